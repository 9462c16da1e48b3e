#include "media/upload_form.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace svc::media {
namespace {

text::Multipart form(const std::string& file_name = "film.mp4", std::uint64_t length = 10) {
  text::Multipart form;
  form.file = text::Multipart::File{"file", file_name, 100, length};
  return form;
}

TEST(UploadForm, CutsALongFileNameAtACharacter) {
  struct Case {
    std::string name, cut;
  };
  const auto times = [](std::size_t count, std::string_view text) {
    std::string out;
    while (count-- > 0) out += text;
    return out;
  };
  for (const Case& c : {
           Case{std::string(255, 'a'), std::string(255, 'a')},
           Case{std::string(256, 'a'), std::string(255, 'a')},
           Case{std::string(300, 'a') + ".mp4", std::string(251, 'a') + ".mp4"},
           Case{times(100, "日") + ".mp4", times(83, "日") + ".mp4"},
           Case{times(100, "🎬") + ".webm", times(62, "🎬") + ".webm"},
           Case{"a" + times(200, "é"), "a" + times(127, "é")},
           Case{"a." + std::string(300, 'b'), "a." + std::string(253, 'b')},
           Case{"C:\\" + std::string(300, 'c') + "\\b.mp4", "b.mp4"},
           Case{std::string(250, 'a') + "     b.mp4", std::string(250, 'a') + ".mp4"},
           Case{std::string(5000, 'a'), std::string(255, 'a')},
       }) {
    const auto read = read_upload_form(form(c.name), "");
    EXPECT_EQ(read->media.name, c.cut);
    EXPECT_EQ(read->file.name, c.cut);
  }
}

// The file is accepted without its name.
TEST(UploadForm, AFileNameWithAControlIsNone) {
  for (const std::string name :
       {"a\xc2\x85.png", "a\nb.png", "a\tb.png", "a\x7f.png", "\xff.png"}) {
    const auto read = read_upload_form(form(name), "");
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(read->media.name, "Untitled") << name;
  }
}

// The first of both was taken.
TEST(UploadForm, RefusesAFieldThatIsGivenTwice) {
  for (const std::string name : {"name", "description", "project_id"}) {
    text::Multipart twice = form();
    twice.fields = {{name, "a"}, {"other", "b"}, {"other", "c"}};
    EXPECT_TRUE(read_upload_form(twice, "")) << name;
    twice.fields.push_back({name, "a"});
    const auto read = read_upload_form(twice, "");
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().field, name);
    EXPECT_EQ(read.error().words, "is given twice");
  }
}

// Ignored, visibility[]=private was a public film.
TEST(UploadForm, RefusesATextAsAList) {
  for (const auto& [field, name] : std::vector<std::pair<std::string, std::string>>{
           {"visibility", "visibility[]"}, {"visibility", "visibility[0]"}, {"name", "name[]"}}) {
    text::Multipart list = form();
    list.fields = {{name, "private"}};
    const auto read = read_upload_form(list, "");
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().field, field);
    EXPECT_EQ(read.error().words, "must be one text, not a list");
  }
}

// 2048 "&" and 8192 NUL were within the limits, and took 62 KB of the store.
TEST(UploadForm, LimitsCountTheStoredValue) {
  const auto read = [](const std::string& field, const std::string& value) {
    text::Multipart with = form();
    with.fields = {{field, value}};
    return read_upload_form(with, "2026-03-01T10:00:00Z");
  };
  struct Case {
    std::string_view name;
    std::string field, value;
    bool allowed;
  };
  for (const Case& c : {
           Case{"as many escapes as fit", "name", std::string(341, '&'), true},
           Case{"one more", "name", std::string(342, '&'), false},
           Case{"escapes in a description", "description", std::string(1365, '<'), true},
           Case{"one more", "description", std::string(1366, '<'), false},
           Case{"quotes", "description", std::string(4097, '"'), false},
           Case{"lines and tabs", "description", "a\r\n\tb", true},
           Case{"NUL", "description", std::string("a\0b", 3), false},
           Case{"escape", "description", "a\x1b[0m", false},
           Case{"delete", "description", "a\x7f", false},
           Case{"a C1 control", "description", "a\xc2\x9b", false},
           Case{"a C1 control", "name", "a\xc2\x85", false},
           Case{"other letters of two bytes", "description", "\xc3\x9f\xc2\xa0", true},
       }) {
    SCOPED_TRACE(std::string(c.name) + " " + c.field);
    const auto result = read(c.field, c.value);
    EXPECT_EQ(static_cast<bool>(result), c.allowed);
    if (result) {
      Media media = result->media;
      media.id = *HashedId::parse("a1");
      media.account = {1};
      EXPECT_LT(to_record(media).size(), 2048u + 8192 + 512);
    } else {
      EXPECT_NE(result.error().words.find("control characters"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace svc::media
