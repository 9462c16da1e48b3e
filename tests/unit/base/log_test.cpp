#include "base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>
#include <string>
#include <string_view>

#include "text/json.h"
#include "text/rfc3339.h"
#include "text/utf8.h"

namespace svc::base::log {
namespace {

using namespace std::string_view_literals;

// Removes the time and the process id, which differ between runs.
std::string without_time_and_pid(const std::string& line) {
  static const std::regex kStart(R"re(^\{"time":"[^"]*",)re");
  static const std::regex kPid(R"re("pid":[0-9]+)re");
  return std::regex_replace(std::regex_replace(line, kStart, "{"), kPid, "\"pid\":0");
}

TEST(Log, IsOneJsonObjectPerLine) {
  EXPECT_EQ(without_time_and_pid(format(Level::Warn, "store.lost",
                                        {{"store", "unix:///s"},
                                         {"count", 3},
                                         {"big", std::uint64_t{1} << 40},
                                         {"negative", -1},
                                         {"ms", 1.25},
                                         {"fresh", true},
                                         {"stale", false}})),
            R"({"level":"warn","event":"store.lost","pid":0,"store":"unix:///s","count":3,)"
            R"("big":1099511627776,"negative":-1,"ms":1.250,"fresh":true,"stale":false})");
}

TEST(Log, NamesEveryLevel) {
  EXPECT_NE(format(Level::Debug, "request", {}).find(R"("level":"debug")"), std::string::npos);
  EXPECT_NE(format(Level::Info, "request", {}).find(R"("level":"info")"), std::string::npos);
  EXPECT_NE(format(Level::Warn, "request", {}).find(R"("level":"warn")"), std::string::npos);
  EXPECT_NE(format(Level::Error, "request", {}).find(R"("level":"error")"), std::string::npos);
}

TEST(Log, HasAnRfc3339TimeAndTheProcessId) {
  text::json::Document document;
  const auto line = document.parse(format(Level::Info, "request", {}));
  ASSERT_TRUE(line) << line.error();
  const auto time = line->find("time")->string();
  ASSERT_TRUE(time);
  EXPECT_TRUE(text::is_rfc3339(*time)) << *time;
  EXPECT_EQ(time->size(), std::string_view("2026-03-01T10:00:00.000Z").size());
  EXPECT_EQ(line->find("pid")->integer(), getpid());
}

TEST(Log, EscapesQuotedValues) {
  struct Case {
    std::string_view name, text, quoted;
  };
  for (const Case& c : {
           Case{"a quote and a backslash", R"(a"b\c)", R"("a\"b\\c")"},
           Case{"a line that would begin another entry", "x\n{\"level\":\"error\"}",
                R"("x\u000a{\"level\":\"error\"}")"},
           Case{"a NUL", "a\0b"sv, R"("a\u0000b")"},
           Case{"an escape sequence of a terminal", "\x1b[2J", R"("\u001b[2J")"},
           Case{"DEL", "\x7f", R"("\u007f")"},
           Case{"UTF-8, byte by byte", "é", R"("\\xc3\\xa9")"},
           Case{"what is no UTF-8", "\xff", R"("\\xff")"},
       }) {
    SCOPED_TRACE(c.name);
    const std::string line = format(Level::Info, "request", {{"value", c.text}});
    EXPECT_NE(line.find("\"value\":" + std::string(c.quoted) + "}"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    text::json::Document document;
    EXPECT_TRUE(document.parse(line)) << line;
  }
}

TEST(Log, StaysValidJsonWithAnyByteInAnyPlace) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string line = format(Level::Info, "request", {{all, all}});
  EXPECT_TRUE(text::is_utf8(line));
  text::json::Document document;
  EXPECT_TRUE(document.parse(line));
}

// Logs in a child process, so that the level of this process does not change.
TEST(LogDeathTest, DropsLinesBelowItsLevel) {
  const auto say_all = [](Level level) {
    set_level(level);
    debug("request");
    info("pool.ready");
    warn("store.back");
    error("store.lost");
    std::_Exit(0);
  };
  const auto exited = testing::ExitedWithCode(0);
  EXPECT_EXIT(say_all(Level::Debug), exited,
              "request(.|\n)*pool.ready(.|\n)*store.back(.|\n)*store.lost");
  EXPECT_EXIT(say_all(Level::Warn), exited, "^[^\n]*store.back[^\n]*\n[^\n]*store.lost[^\n]*\n$");
  EXPECT_EXIT(say_all(Level::Off), exited, "^$");
}

}  // namespace
}  // namespace svc::base::log
