#include "media/file_title.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace svc::media {
namespace {

TEST(FileTitle, LosesTheEndingOfAKnownType) {
  for (const auto& [name, title] : {std::pair{"film.mp4", "film"},
                                    {"Holiday 2026.MOV", "Holiday 2026"},
                                    {"a.b.webm", "a.b"},
                                    {"film .mkv", "film"},
                                    {"notes.txt", "notes.txt"},
                                    {"version 1.2", "version 1.2"},
                                    {"Mr. Smith", "Mr. Smith"},
                                    {".mp4", ".mp4"},
                                    {"\u200b.mp4", "\u200b.mp4"},
                                    {"film", "film"},
                                    {"", ""}})
    EXPECT_EQ(title_of_file(name), title);
}

}  // namespace
}  // namespace svc::media
