#include "text/printable_output.h"

#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"
#include "text/utf8.h"

namespace svc::text {
namespace {

std::string passed(std::string_view text, Unprintable how) {
  std::ostringstream out;
  PrintableBuffer buffer(*out.rdbuf(), how);
  std::ostream stream(&buffer);
  stream << text << std::flush;
  EXPECT_TRUE(stream);
  return out.str();
}

std::string as_json(std::string_view text) { return "{\"x\":\"" + std::string(text) + "\"}"; }

TEST(PrintableOutput, ReplacesControlCharacters) {
  struct Case {
    std::string_view name, text, shown, escaped;
  };
  for (const Case& c : {
           Case{"text", "Grüße, 世界 👍", "Grüße, 世界 👍", "Grüße, 世界 👍"},
           Case{"escape", "\x1b[2J", "?[2J", "\\u001b[2J"},
           Case{"bell", "a\x07", "a?", "a\\u0007"},
           Case{"nul", std::string_view("a\0b", 3), "a?b", "a\\u0000b"},
           Case{"tabulator", "a\tb", "a?b", "a\\u0009b"},
           Case{"carriage return", "a\rb", "a?b", "a\\u000db"},
           Case{"delete", "a\x7f", "a?", "a\\u007f"},
           Case{"C1 control", "\xc2\x9b", "?", "\\u009b"},
           Case{"C1 control as a byte",
                "\x9b"
                "31m",
                "?31m", "\\ufffd31m"},
           Case{"Arabic letter mark", "\xd8\x9c", "?", "\\u061c"},
           Case{"left-to-right mark", "\xe2\x80\x8e", "?", "\\u200e"},
           Case{"right-to-left mark", "\xe2\x80\x8f", "?", "\\u200f"},
           Case{"line separator", "\xe2\x80\xa8", "?", "\\u2028"},
           Case{"paragraph separator", "\xe2\x80\xa9", "?", "\\u2029"},
           Case{"embedding", "\xe2\x80\xaa", "?", "\\u202a"},
           Case{"override", "\xe2\x80\xae", "?", "\\u202e"},
           Case{"isolate", "\xe2\x81\xa6", "?", "\\u2066"},
           Case{"end of an isolate", "\xe2\x81\xa9", "?", "\\u2069"},
           Case{"tag", "\xf3\xa0\x81\x81", "?", "\\udb40\\udc41"},
           Case{"joiner, that nothing obeys", "\xe2\x80\x8d", "\xe2\x80\x8d", "\xe2\x80\x8d"},
           Case{"overlong", "\xc0\x9b", "??", "\\ufffd\\ufffd"},
           Case{"surrogate", "\xed\xa0\x80", "???", "\\ufffd\\ufffd\\ufffd"},
           Case{"half a character", "a\xe2\x80", "a??", "a\\ufffd\\ufffd"},
           Case{"half a character, then another", "\xe2\xc2\x9b", "??", "\\ufffd\\u009b"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(passed(c.text, Unprintable::QuestionMark), c.shown);
    const std::string json = passed(as_json(c.text), Unprintable::JsonEscape);
    EXPECT_EQ(json, as_json(c.escaped).substr(0, json.size()));
    json::Document document;
    const auto value = document.parse(json);
    ASSERT_TRUE(value) << value.error();
    if (is_utf8(c.text)) {
      EXPECT_EQ(value->find("x")->string(), c.text) << "programs get it as it is";
    }
  }
}

TEST(PrintableOutput, KeepsLineFeeds) {
  EXPECT_EQ(passed("a\nb\n", Unprintable::QuestionMark), "a\nb\n");
  EXPECT_EQ(passed("[\n1]\n", Unprintable::JsonEscape), "[\n1]\n");
}

// However the text is cut into pieces, the output is the same.
TEST(PrintableOutput, HandlesCharactersThatArriveInPieces) {
  const std::string text = "a\xc2\x9b\xe2\x80\xae\x9b世👍\xe2\x80.";
  std::ostringstream out;
  PrintableBuffer buffer(*out.rdbuf(), Unprintable::QuestionMark);
  std::ostream stream(&buffer);
  for (const char c : text) stream << c;
  EXPECT_EQ(out.str(), "a???世👍??.");
  stream.put('\xe2');
  EXPECT_EQ(out.str(), "a???世👍??.") << "its rest may come";
  stream << std::flush;
  EXPECT_EQ(out.str(), "a???世👍??.?");
}

TEST(PrintableOutput, ReportsWriteErrors) {
  class : public std::streambuf {
  } full;
  PrintableBuffer buffer(full, Unprintable::QuestionMark);
  std::ostream stream(&buffer);
  stream << "x";
  EXPECT_FALSE(stream);
}

TEST(PrintableOutput, FiltersBothStreamsWhileItExists) {
  std::ostringstream out;
  std::ostringstream error;
  std::streambuf* const out_before = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const error_before = std::cerr.rdbuf(error.rdbuf());
  {
    const PrintableStreams streams(Unprintable::JsonEscape);
    std::cout << "\"\x1b\"";
    std::cerr << "\x1b" << 1;
  }
  EXPECT_EQ(std::cout.rdbuf(), out.rdbuf());
  EXPECT_EQ(std::cerr.rdbuf(), error.rdbuf());
  std::cout.rdbuf(out_before);
  std::cerr.rdbuf(error_before);
  EXPECT_EQ(out.str(), "\"\\u001b\"");
  EXPECT_EQ(error.str(), "?1");
}

}  // namespace
}  // namespace svc::text
