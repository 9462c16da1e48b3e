#include "media/playlist.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/json_fields.h"

namespace svc::media {
namespace {

using fakes::JsonFields;

const JsonFields kPlaylist{{"id", R"("pl4yl1st01")"},
                           {"account_id", "1001"},
                           {"name", R"("Launch week")"},
                           {"media_ids", R"(["l4unchf1lm","sm4ll480px","l4unchf1lm"])"}};

base::Result<Playlist, std::string> read_playlist(const std::string& json) {
  text::json::Document document;
  const auto value = document.parse(json);
  if (!value) return base::Refusal{"not JSON: " + value.error()};
  text::JsonRecord record(*value);
  record.be_strict();
  record.allow_only(kPlaylistKeys);
  return playlist_from_record(record);
}

std::string ids(std::size_t count) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "\"a\"" : ",\"a\"");
  return out + "]";
}

TEST(PlaylistRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name;
    JsonFields record;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"no id", kPlaylist.without("id"), "id is missing"},
           Case{"a wrong id", kPlaylist.with("id", R"("a/b")"),
                "id must be 1 to 64 letters and digits"},
           Case{"no account", kPlaylist.without("account_id"), "account_id is missing"},
           Case{"a wrong account", kPlaylist.with("account_id", "-1"),
                "account_id must be an integer from 1 to 9007199254740991"},
           Case{"no name", kPlaylist.without("name"), "name is missing"},
           Case{"a long name", kPlaylist.with("name", "\"" + std::string(2049, 'a') + "\""),
                "name is longer than 2048 bytes"},
           Case{"no media", kPlaylist.without("media_ids"), "media_ids is missing"},
           Case{"a text for media", kPlaylist.with("media_ids", R"("a,b")"),
                "media_ids must be an array"},
           Case{"as many media as may be", kPlaylist.with("media_ids", ids(10'000)), "accepted"},
           Case{"too many media", kPlaylist.with("media_ids", ids(10'001)),
                "media_ids has more than 10000 entries"},
           Case{"a media that is none", kPlaylist.with("media_ids", R"(["a","b c"])"),
                "media_ids[1] must be 1 to 64 letters and digits"},
           Case{"a number for a media", kPlaylist.with("media_ids", "[7]"),
                "media_ids[0] must be 1 to 64 letters and digits"},
           Case{"an unknown key", kPlaylist.with("videos", "[]"),
                "videos is an unknown key; the allowed keys are kind, id, account_id, name, "
                "media_ids"},
       }) {
    SCOPED_TRACE(c.name);
    const auto playlist = read_playlist(c.record.text());
    EXPECT_EQ(playlist ? "accepted" : playlist.error(), c.error);
  }
}

}  // namespace
}  // namespace svc::media
