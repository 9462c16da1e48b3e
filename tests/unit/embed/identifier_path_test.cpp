#include "embed/identifier_path.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::embed {
namespace {

using namespace std::string_view_literals;

TEST(IdentifierPath, OembedR2OembedO3AcceptsIdentifiersJoinedByDots) {
  for (const std::string_view text :
       {"a", "_", "$", "callback", "jQuery1_2$", "a.b", "window.app.on_ready", "$.b._1", "classes",
        "In", "THIS", "await_", "svcEmbed"}) {
    EXPECT_TRUE(is_identifier_path(text, 128)) << text;
  }
}

TEST(IdentifierPath, OembedR2OembedO3RefusesTextsThatAreNotIdentifierPaths) {
  struct Case {
    std::string_view name, text;
  };
  for (const Case& c : {
           Case{"nothing", ""},
           Case{"a digit in front", "1a"},
           Case{"a digit in front of a segment", "a.1"},
           Case{"a dot alone", "."},
           Case{"a dot in front", ".a"},
           Case{"a dot at the end", "a."},
           Case{"two dots", "a..b"},
           Case{"a call", "alert(1)"},
           Case{"an index", "a[0]"},
           Case{"a space", "a b"},
           Case{"an assignment", "a=b"},
           Case{"two statements", "a;b"},
           Case{"the end of the comment", "*/alert"},
           Case{"a tag", "<script>"},
           Case{"a quote", "a'b"},
           Case{"a line feed", "a\n"},
           Case{"a NUL", "a\0"sv},
           Case{"a letter of another alphabet", "é"},
           Case{"an escape", "\\u0061"},
           Case{"U+2028", "a\u2028"},
           Case{"a dash", "a-b"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(is_identifier_path(c.text, 128));
  }
}

TEST(IdentifierPath, OembedR2OembedO3RefusesReservedWordsInEverySegment) {
  for (const char* const word :
       {"arguments", "await",      "break",   "case",    "catch",      "class",     "const",
        "continue",  "debugger",   "default", "delete",  "do",         "else",      "enum",
        "eval",      "export",     "extends", "false",   "finally",    "for",       "function",
        "if",        "implements", "import",  "in",      "instanceof", "interface", "let",
        "new",       "null",       "package", "private", "protected",  "public",    "return",
        "static",    "super",      "switch",  "this",    "throw",      "true",      "try",
        "typeof",    "undefined",  "var",     "void",    "while",      "with",      "yield"}) {
    SCOPED_TRACE(word);
    EXPECT_FALSE(is_identifier_path(word, 128));
    EXPECT_FALSE(is_identifier_path(std::string("a.") + word, 128));
    EXPECT_FALSE(is_identifier_path(std::string(word) + ".a", 128));
    EXPECT_TRUE(is_identifier_path(std::string(word) + "_", 128));
  }
}

TEST(IdentifierPath, OembedR2OembedO3LimitsTheLength) {
  EXPECT_TRUE(is_identifier_path(std::string(128, 'a'), 128));
  EXPECT_FALSE(is_identifier_path(std::string(129, 'a'), 128));
  EXPECT_TRUE(is_identifier_path("abc.defg", 8));
  EXPECT_FALSE(is_identifier_path("abc.defgh", 8));
}

}  // namespace
}  // namespace svc::embed
