#include "captions/settings.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "captions/file.h"
#include "captions/subrip.h"
#include "captions/webvtt.h"

namespace svc::captions {
namespace {

TEST(CueSettings, ApiC3AreKeptIfTheyAreValid) {
  struct Case {
    std::string_view text, kept;
  };
  for (const Case& c : {
           Case{"line:0%", "line:0%"},
           Case{" \talign:left   line:-1,end\tposition:10.5%,line-left size:80% vertical:rl ",
                "vertical:rl line:-1,end position:10.5%,line-left size:80% align:left"},
           Case{"line:1 line:2", "line:2"},
           Case{"line:5 line:x", "line:5"},
           Case{"region:a LINE:0 line : 0 :0 line: align:middle", ""},
           Case{"line:101% position:-1% size:100.1% size:5 position:5", ""},
           Case{"line:1.5 line:- line:0x1 line:1e3 line:+1 line:.5% line:5.% line:5%%", ""},
           Case{"line:0,middle position:0%,left vertical:up align:start,end", ""},
           Case{"line:99999999999999999999", ""},
           Case{"line:0% --> 00:05.000", "line:0%"},
           Case{"line:0%<b> align:start&lt;", ""},
       }) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(settings_of(c.text), c.kept);
    EXPECT_EQ(settings_of(settings_of(c.text)), c.kept);
  }
}

TEST(CueSettings, ApiC3AreThePlacesOfOtherFormats) {
  for (int key = -1; key <= 10; ++key) {
    const std::string settings = settings_of_place(key);
    EXPECT_EQ(settings_of(settings), settings);
    EXPECT_EQ(place_of(settings), key >= 1 && key <= 9 ? key : kMiddleAtTheBottom) << key;
  }
  EXPECT_EQ(place_of("line:10%"), 8);
  EXPECT_EQ(place_of("line:2 align:start"), 8);
  EXPECT_EQ(place_of("line:-2"), 2);
  EXPECT_EQ(place_of("line:90%"), 2);
  EXPECT_EQ(place_of("vertical:rl line:0"), 2);
}

TEST(CueSettings, ApiC3AreInEveryFileThatIsWritten) {
  const auto cues = [](const std::string& text) {
    auto read = read_file(text);
    EXPECT_TRUE(read) << read.error();
    return read ? *read : std::vector<Cue>();
  };
  const std::string top = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000 line:0\na\n";
  const std::string subrip = "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}a\n";
  EXPECT_EQ(to_webvtt(cues(top)), top);
  EXPECT_EQ(to_webvtt(cues(subrip)), top);
  EXPECT_EQ(to_subrip(cues(top)), subrip);
  // SSA's places, and the first of a cue.
  EXPECT_EQ(to_subrip(cues("1\n00:00:01,000 --> 00:00:02,000\n<i>{\\a6}a{\\an1}</i>\n")),
            "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>a</i>\n");
}

}  // namespace
}  // namespace svc::captions
