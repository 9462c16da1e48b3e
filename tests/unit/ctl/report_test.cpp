#include "ctl/report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ctl/printable.h"

namespace svc::ctl {
namespace {

Report example() {
  return Report()
      .text("id", "a\x1b[31m\"b")
      .integer("number", -5)
      .boolean("whether", true)
      .texts("names", {"one", "two"})
      .texts("none", {})
      .text("empty", "")
      .time("since", 1'780'000'000)
      .nothing("never")
      .texts("own", std::vector<std::string>{"a", "b"}, "a,b")
      .texts("any", std::vector<std::string>{}, "any")
      .texts("inherited", std::nullopt, "inherit");
}

std::string printed(bool json) {
  std::ostringstream out;
  example().print(out, json);
  return out.str();
}

TEST(Report, IsOneLinePerKeyForUsers) {
  EXPECT_EQ(printed(false),
            "id         a?[31m\"b\n"
            "number     -5\n"
            "whether    yes\n"
            "names      one two\n"
            "since      2026-05-28T20:26:40Z\n"
            "own        a,b\n"
            "any        any\n"
            "inherited  inherit\n");
}

TEST(Report, IsOneLineOfJsonForPrograms) {
  EXPECT_EQ(printed(true),
            R"({"id":"a\u001b[31m\"b","number":-5,"whether":true,"names":["one","two"],)"
            R"("none":[],"empty":"","since":"2026-05-28T20:26:40Z","never":null,)"
            R"("own":["a","b"],"any":[],"inherited":null})"
            "\n");
}

TEST(Printable, LeavesNothingThatATerminalObeys) {
  struct Case {
    std::string_view name, text, shown;
  };
  for (const Case& c : {
           Case{"letters of any script", "Grüße 日本 👍", "Grüße 日本 👍"},
           Case{"controls", "a\x1b[2J\r\n\t\x7f", "a?[2J????"},
           Case{"controls of two bytes",
                "a\xc2\x9b"
                "2J\xc2\xa0",
                "a?2J\xc2\xa0"},
           Case{"what reorders", "a\u202eb\u2066c\u200fd\u061ce", "a?b?c?d?e"},
           Case{"separators of lines", "a\u2028b\u2029c", "a?b?c"},
           Case{"bytes that are no UTF-8", "a\x9b\xff\xe2\x80", "a????"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(printable(c.text), c.shown);
  }
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("äöü", 6), "äöü");
  EXPECT_EQ(printable("äöü", 5), "äö …");
  EXPECT_EQ(printable("", 0), "");
}

}  // namespace
}  // namespace svc::ctl
