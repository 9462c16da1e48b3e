#include "text/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace svc::text::json {
namespace {

using namespace std::string_view_literals;

TEST(JsonString, IsSafeInAScriptElementToo) {
  struct Case {
    std::string_view name, text, written;
  };
  for (const Case& c : {
           Case{"nothing", "", R"("")"},
           Case{"plain", "abc /", R"("abc /")"},
           Case{"quote and backslash", R"(a"b\c)", R"("a\"b\\c")"},
           Case{"the five short escapes", "\b\f\n\r\t", R"("\b\f\n\r\t")"},
           Case{"other control characters", "\0\x01\x1f\x7f"sv, R"("\u0000\u0001\u001f\u007f")"},
           Case{"oembed-R1's three", "<script>&", R"("\u003cscript\u003e\u0026")"},
           Case{"a closing script tag", "</script>", R"("\u003c/script\u003e")"},
           Case{"U+2028 and U+2029", "a\u2028b\u2029c", R"("a\u2028b\u2029c")"},
           Case{"their neighbours stay", "\u2027\u202a", "\"\u2027\u202a\""},
           Case{"UTF-8 stays as it is", "é陈😀", "\"é陈😀\""},
           Case{"a byte that is no UTF-8",
                "a\xff"
                "b",
                R"("a\ufffdb")"},
           Case{"a cut character", "a\xe2\x80", R"("a\ufffd\ufffd")"},
           Case{"a surrogate", "\xed\xa0\x80", R"("\ufffd\ufffd\ufffd")"},
           Case{"an apostrophe", "'", R"("'")"},
       }) {
    SCOPED_TRACE(c.name);
    std::string out;
    append_string(out, c.text);
    EXPECT_EQ(out, c.written);
  }
}

TEST(JsonNesting, CountsTheBracketsThatAreOutsideOfTexts) {
  struct Case {
    std::string_view text;
    std::size_t depth;
  };
  for (const Case& c : {
           Case{"7", 0},
           Case{"[]", 1},
           Case{R"({"a":[1],"b":[{}]})", 3},
           Case{R"([[],[],[]])", 2},
           Case{R"(["[[[[","{{{{\"[[[["])", 1},
           Case{R"(["\\",[]])", 2},
           Case{"[[[[", 4},
           Case{"]]]][", 1},
           Case{R"(["[)", 1},
           Case{R"(["\)", 1},
       }) {
    EXPECT_FALSE(is_nested_deeper(c.text, c.depth)) << c.text;
    if (c.depth > 0) {
      EXPECT_TRUE(is_nested_deeper(c.text, c.depth - 1)) << c.text;
    }
  }
}

TEST(JsonDecimal, HasUpToThreeDecimals) {
  struct Case {
    double number;
    std::string_view written;
  };
  for (const Case& c : {
           Case{0, "0"},
           Case{5, "5"},
           Case{16.43, "16.43"},
           Case{0.001, "0.001"},
           Case{0.5, "0.5"},
           Case{29.97, "29.97"},
           Case{23.976, "23.976"},
           Case{0.0004, "0"},
           Case{0.0005, "0.001"},
           Case{1.9996, "2"},
           Case{100.05, "100.05"},
           Case{-1.5, "-1.5"},
           Case{-0.001, "-0.001"},
           Case{1e15, "1000000000000000"},
           Case{2e15, "0"},
           Case{std::numeric_limits<double>::infinity(), "0"},
           Case{-std::numeric_limits<double>::infinity(), "0"},
           Case{std::nan(""), "0"},
       }) {
    SCOPED_TRACE(c.number);
    std::string out;
    append_decimal(out, c.number);
    EXPECT_EQ(out, c.written);
  }
}

TEST(JsonObjectWriter, WritesKeysInTheOrderGiven) {
  std::string out = "x";
  ObjectWriter writer(out);
  writer.string("b", "t").integer("a", -9007199254740991).decimal("d", 1.25);
  writer.boolean("yes", true).boolean("no", false).null("nil");
  writer.raw("list") += "[1,2]";
  ObjectWriter(writer.raw("inner")).string("<k>", "").null("\"").null("k").end();
  writer.end();
  EXPECT_EQ(out, R"(x{"b":"t","a":-9007199254740991,"d":1.25,"yes":true,"no":false,"nil":null,)"
                 R"("list":[1,2],"inner":{"\u003ck\u003e":"","\"":null,"k":null}})");
}

TEST(JsonObjectWriter, WritesArraysOfStrings) {
  std::string out;
  ObjectWriter(out).end();
  ArrayWriter(out).end();
  EXPECT_EQ(out, "{}[]");
  out.clear();
  ObjectWriter(out)
      .strings("none", std::vector<std::string>())
      .strings("two", std::vector<std::string_view>{"[", "<"})
      .end();
  EXPECT_EQ(out, R"({"none":[],"two":["[","\u003c"]})");
}

TEST(JsonArrayWriter, WritesElementsOfEveryKind) {
  std::string out = "[";  // the preceding text does not matter
  ArrayWriter array(out);
  array.string("a").string("[");
  array.next() += "null";
  ObjectWriter(array.next()).integer("k", 1).end();
  ArrayWriter inner(array.next());
  inner.end();
  array.end();
  EXPECT_EQ(out, R"([["a","[",null,{"k":1},[]])");
}

TEST(JsonDocument, ReadsEveryKindOfValue) {
  Document document;
  const auto parsed =
      document.parse(R"( {"s":"a\u00e9\n","i":-12,"f":1.5,"t":true,"n":null,"l":[1,"x"],"o":{}} )");
  ASSERT_TRUE(parsed) << parsed.error();
  const Value object = *parsed;
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object.size(), 7u);
  EXPECT_EQ(object.key(0), "s");
  EXPECT_EQ(object.member(0).string(), "a\u00e9\n");
  EXPECT_EQ(object.find("i")->integer(), -12);
  EXPECT_EQ(object.find("i")->number(), -12.0);
  EXPECT_EQ(object.find("f")->number(), 1.5);
  EXPECT_EQ(object.find("f")->integer(), std::nullopt);
  EXPECT_EQ(object.find("t")->boolean(), true);
  EXPECT_TRUE(object.find("n")->is_null());
  ASSERT_TRUE(object.find("l")->is_array());
  EXPECT_EQ(object.find("l")->size(), 2u);
  EXPECT_EQ(object.find("l")->at(1).string(), "x");
  EXPECT_EQ(object.find("o")->size(), 0u);
  const Value text = *object.find("s");
  EXPECT_FALSE(text.integer() || text.number() || text.boolean() || text.find("x"));
  EXPECT_EQ(text.size(), 0u);
  EXPECT_FALSE(object.find("i")->string() || object.find("missing"));
}

TEST(JsonDocument, IntegersMustFitTheirType) {
  struct Case {
    std::string_view text;
    std::optional<std::int64_t> integer;
  };
  Document document;
  for (const Case& c : {
           Case{"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
           Case{"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
           Case{"9223372036854775808", std::nullopt},
           Case{"1.0", std::nullopt},
           Case{"1e3", std::nullopt},
           Case{"-0", 0},
       }) {
    SCOPED_TRACE(c.text);
    const auto value = document.parse(c.text);
    ASSERT_TRUE(value) << value.error();
    EXPECT_EQ(value->integer(), c.integer);
  }
}

TEST(JsonDocument, RefusesTextsThatAreNotRfc8259) {
  struct Case {
    std::string_view name, text;
  };
  Document document;
  for (const Case& c : {
           Case{"nothing", ""},
           Case{"white space", "  "},
           Case{"an open object", R"({"a":1)"},
           Case{"an open string", R"({"a":"b)"},
           Case{"a comma at the end", R"({"a":1,})"},
           Case{"a key without quotes", "{a:1}"},
           Case{"single quotes", "{'a':1}"},
           Case{"two values", "{} {}"},
           Case{"something behind", "{}x"},
           Case{"a comment", "{/**/}"},
           Case{"a leading zero", "[01]"},
           Case{"a plus", "[+1]"},
           Case{"not a number", "[NaN]"},
           Case{"infinity", "[Infinity]"},
           Case{"a number no double holds", "[1e999]"},
           Case{"a control character in a string", "[\"a\nb\"]"},
           Case{"an unknown escape", R"(["\x41"])"},
           Case{"half a surrogate pair", R"(["\ud83d"])"},
           Case{"the other half", R"(["\udc00"])"},
           Case{"two first halves", R"(["\ud83d\ud83d"])"},
           Case{"Latin-1", "[\"caf\xe9\"]"},
           Case{"an overlong form", "[\"\xc0\xaf\"]"},
           Case{"a byte order mark", "\xef\xbb\xbf{}"},
           Case{"a NUL behind a value", "{}\0"sv},
           Case{"a NUL in a string", "[\"a\0b\"]"sv},
       }) {
    SCOPED_TRACE(c.name);
    const auto value = document.parse(c.text);
    EXPECT_FALSE(value) << c.text;
  }
}

TEST(JsonDocument, ErrorsNameTheByte) {
  Document document;
  const auto value = document.parse(R"({"a":1,"b":tru})");
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().find("(at byte 15)"), std::string::npos) << value.error();
  const auto nul = document.parse("{\0}"sv);
  ASSERT_FALSE(nul);
  EXPECT_EQ(nul.error(), "a NUL byte (at byte 2)");
}

TEST(JsonDocument, ReadsAMillionNestedArrays) {
  Document document;
  const std::string open(1 << 20, '[');
  EXPECT_FALSE(document.parse(open));
  EXPECT_TRUE(document.parse(open + std::string(open.size(), ']')));
  EXPECT_TRUE(document.parse("{}")) << "and is of use afterwards";
}

TEST(JsonDocument, KeepsNothingOfThePreviousText) {
  Document document;
  std::string big = "[0";
  for (int i = 0; i < 10'000; ++i) big += ",\"" + std::to_string(i) + "\"";
  big += "]";
  for (int round = 0; round < 3; ++round) {
    const auto long_list = document.parse(big);
    ASSERT_TRUE(long_list);
    EXPECT_EQ(long_list->size(), 10'001u);
    ASSERT_FALSE(document.parse("{"));
    const auto small = document.parse(R"({"a":"b"})");
    ASSERT_TRUE(small);
    EXPECT_EQ(small->size(), 1u);
    EXPECT_EQ(small->find("a")->string(), "b");
  }
}

TEST(JsonDocument, DoesNotUseTheTextAfterParsing) {
  Document document;
  std::string text = R"({"key":"a value that is longer than any small string"})";
  const auto value = document.parse(text);
  ASSERT_TRUE(value);
  text.assign(text.size(), '#');
  EXPECT_EQ(value->find("key")->string(), "a value that is longer than any small string");
}

// Texts of every length, so that a reader of 16 bytes at a time sees every
// alignment.
TEST(JsonDocument, ReadsOurOwnTextsLikeOthers) {
  Document document;
  for (std::size_t length = 0; length < 100; ++length) {
    SCOPED_TRACE(length);
    const std::string content =
        std::string(length / 2, ' ') + std::string(length - length / 2, 'x');
    const std::string text = std::string(length, ' ') + "{\"a\":\"" + content + "\\n\",\"b\":1}" +
                             std::string(length, '\n');
    for (const Origin origin : {Origin::Outside, Origin::Ours}) {
      const auto value = document.parse(text, origin);
      ASSERT_TRUE(value) << value.error();
      EXPECT_EQ(value->find("a")->string(), content + "\n");
      EXPECT_EQ(value->find("b")->integer(), 1);
    }
  }
}

TEST(JsonDocument, RefusesOurOwnTextsIfTheyAreBroken) {
  Document document;
  for (const std::string_view text : {"", "{", "{\"a\":", "{\"a\":1}x", "nonsense", "{\"a\":\"b"}) {
    EXPECT_FALSE(document.parse(text, Origin::Ours)) << text;
  }
}

TEST(JsonValue, FindsTheFirstOfDuplicateKeys) {
  Document document;
  const auto value = document.parse(R"({"a":1,"b":2,"a":3})");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->find("a")->integer(), 1);
}

TEST(JsonValue, FindsFromAHintInAnyOrder) {
  Document document;
  const auto value = document.parse(R"({"a":1,"b":2,"c":3})");
  ASSERT_TRUE(value);
  std::size_t hint = 0;
  for (const auto& [name, number] :
       {std::pair("c", 3), std::pair("a", 1), std::pair("b", 2), std::pair("b", 2)}) {
    EXPECT_EQ(value->find(name, hint)->integer(), number);
  }
  EXPECT_FALSE(value->find("d", hint));
  hint = 1000;
  EXPECT_EQ(value->find("a", hint)->integer(), 1);
  const auto empty = document.parse("{}");
  hint = 0;
  EXPECT_FALSE(empty->find("a", hint));
}

}  // namespace
}  // namespace svc::text::json
