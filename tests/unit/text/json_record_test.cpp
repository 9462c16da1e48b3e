#include "text/json_record.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::text {
namespace {

const std::vector<std::string_view> kKeys{"a", "b", "c"};

// The error that `read` reports for `json`; empty if the record is valid.
std::string error_of(std::string_view json, const std::function<void(JsonRecord&)>& read) {
  json::Document document;
  const auto value = document.parse(json);
  if (!value) return "not JSON: " + value.error();
  JsonRecord record(*value);
  record.be_strict();
  read(record);
  EXPECT_EQ(record.ok(), record.error().empty());
  return record.error();
}

TEST(JsonRecord, ReadsEveryKindOfValue) {
  json::Document document;
  const auto value = document.parse(
      R"({"text":"t","empty":"","integer":-5,"number":2.5,"yes":true,"list":[1],"object":{}})");
  ASSERT_TRUE(value);
  JsonRecord record(*value);
  EXPECT_EQ(record.text("text", 1), "t");
  EXPECT_EQ(record.text("empty", 10), "");
  EXPECT_EQ(record.optional_text("empty", 10), "");
  EXPECT_EQ(record.integer("integer", -5, -5), -5);
  EXPECT_EQ(record.optional_number("number", 0, 3), 2.5);
  EXPECT_EQ(record.optional_number("integer", -10, 0), -5.0);
  EXPECT_TRUE(record.boolean("yes"));
  EXPECT_EQ(record.array("list")->size(), 1u);
  EXPECT_TRUE(record.optional_object("object"));
  EXPECT_EQ(record.error(), "");
}

TEST(JsonRecord, OptionalValuesMayBeMissingOrNull) {
  json::Document document;
  const auto value = document.parse(R"({"null":null})");
  ASSERT_TRUE(value);
  JsonRecord record(*value);
  for (const char* key : {"null", "missing"}) {
    SCOPED_TRACE(key);
    EXPECT_EQ(record.optional_text(key, 9), std::nullopt);
    EXPECT_EQ(record.optional_integer(key, 0, 9), std::nullopt);
    EXPECT_EQ(record.optional_number(key, 0, 9), std::nullopt);
    EXPECT_FALSE(record.optional_array(key));
    EXPECT_FALSE(record.optional_object(key));
    EXPECT_TRUE(record.optional_boolean(key, true));
    EXPECT_FALSE(record.optional_boolean(key, false));
  }
  EXPECT_TRUE(record.ok());
}

TEST(JsonRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name, json;
    std::function<void(JsonRecord&)> read;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"no object", "[1]", [](JsonRecord&) {}, "must be a JSON object"},
           Case{"a missing text", "{}", [](JsonRecord& r) { r.text("a", 9); }, "a is missing"},
           Case{"a null text", R"({"a":null})", [](JsonRecord& r) { r.text("a", 9); },
                "a is missing"},
           Case{"a number for a text", R"({"a":1})", [](JsonRecord& r) { r.text("a", 9); },
                "a must be a string"},
           Case{"a long text", R"({"a":"1234567890"})", [](JsonRecord& r) { r.text("a", 9); },
                "a is longer than 9 bytes"},
           Case{"a long text, counted in bytes", R"({"a":"\u9648\u9648"})",
                [](JsonRecord& r) { r.optional_text("a", 5); }, "a is longer than 5 bytes"},
           Case{"a missing integer", "{}", [](JsonRecord& r) { r.integer("a", 1, 9); },
                "a is missing"},
           Case{"a text for an integer", R"({"a":"1"})",
                [](JsonRecord& r) { r.integer("a", 1, 9); }, "a must be an integer from 1 to 9"},
           Case{"a fraction for an integer", R"({"a":1.5})",
                [](JsonRecord& r) { r.optional_integer("a", 1, 9); },
                "a must be an integer from 1 to 9"},
           Case{"a small integer", R"({"a":0})", [](JsonRecord& r) { r.integer("a", 1, 9); },
                "a must be an integer from 1 to 9"},
           Case{"a large integer", R"({"a":10})", [](JsonRecord& r) { r.integer("a", 1, 9); },
                "a must be an integer from 1 to 9"},
           Case{"a huge integer", R"({"a":99999999999999999999})",
                [](JsonRecord& r) { r.integer("a", 1, 9); }, "a must be an integer from 1 to 9"},
           Case{"a large number", R"({"a":9.25})",
                [](JsonRecord& r) { r.optional_number("a", 0.5, 9); },
                "a must be a number from 0.5 to 9"},
           Case{"a text for a number", R"({"a":"1"})",
                [](JsonRecord& r) { r.optional_number("a", 0.5, 9); },
                "a must be a number from 0.5 to 9"},
           Case{"a missing boolean", "{}", [](JsonRecord& r) { r.boolean("a"); }, "a is missing"},
           Case{"a number for a boolean", R"({"a":1})", [](JsonRecord& r) { r.boolean("a"); },
                "a must be true or false"},
           Case{"a text for a boolean", R"({"a":"true"})",
                [](JsonRecord& r) { r.optional_boolean("a", false); }, "a must be true or false"},
           Case{"a missing array", "{}", [](JsonRecord& r) { r.array("a"); }, "a is missing"},
           Case{"an object for an array", R"({"a":{}})", [](JsonRecord& r) { r.array("a"); },
                "a must be an array"},
           Case{"an array for an object", R"({"a":[]})",
                [](JsonRecord& r) { r.optional_object("a"); }, "a must be an object or null"},
           Case{"a key that is not known", R"({"a":1,"d":2})",
                [](JsonRecord& r) { r.allow_only(kKeys); },
                "d is an unknown key; the allowed keys are a, b, c"},
           Case{"a key that occurs twice", R"({"a":1,"b":2,"a":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); }, "a occurs twice"},
           Case{"keys in another order", R"({"c":1,"b":2,"a":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); }, ""},
           Case{"the last key twice", R"({"b":1,"c":2,"c":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); }, "c occurs twice"},
           Case{"a key that is not known, behind all others", R"({"c":1,"a":2,"b":1,"":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); },
                " is an unknown key; the allowed keys are a, b, c"},
           Case{"a rule of the caller's", R"({"a":1})",
                [](JsonRecord& r) { r.refuse("a", "must be even"); }, "a must be even"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(error_of(c.json, c.read), c.error);
  }
}

TEST(JsonRecord, KeepsTheFirstError) {
  EXPECT_EQ(error_of(R"({"b":1})",
                     [](JsonRecord& record) {
                       record.text("a", 9);
                       record.text("b", 9);
                       record.refuse("c", "must be something else");
                       record.allow_only({});
                     }),
            "a is missing");
}

TEST(JsonRecord, IgnoresUnknownKeysUnlessItIsStrict) {
  json::Document document;
  const auto value = document.parse(R"({"a":1,"new":2,"inner":{"new":3}})");
  ASSERT_TRUE(value);
  JsonRecord record(*value);
  record.allow_only(kKeys);
  JsonRecord inner(record, "inner", *record.optional_object("inner"));
  inner.allow_only(kKeys);
  record.adopt(inner);
  EXPECT_EQ(record.error(), "");
}

TEST(JsonRecord, ErrorsNameThePathOfANestedRecord) {
  const auto read = [](JsonRecord& record) {
    const auto list = record.array("list");
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      JsonRecord element(record, "list", i, list->at(i));
      element.allow_only(kKeys);
      if (const auto object = element.optional_object("a")) {
        JsonRecord inner(element, "a", *object);
        inner.allow_only(kKeys);
        inner.integer("b", 1, 9);
        element.adopt(inner);
      }
      record.adopt(element);
    }
  };
  struct Case {
    std::string_view name, json, error;
  };
  for (const Case& c : {
           Case{"nothing is wrong", R"({"list":[{"a":{"b":1}},{}]})", ""},
           Case{"an element is no object", R"({"list":[{},7]})", "list[1]: must be a JSON object"},
           Case{"an element has an unknown key", R"({"list":[{"x":1}]})",
                "list[0]: x is an unknown key; the allowed keys are a, b, c"},
           Case{"two levels down", R"({"list":[{},{},{"a":{"b":0}}]})",
                "list[2]: a: b must be an integer from 1 to 9"},
           Case{"a repeated key two levels down", R"({"list":[{"a":{"b":1,"b":1}}]})",
                "list[0]: a: b occurs twice"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(error_of(c.json, read), c.error);
  }
}

TEST(JsonRecord, ReadsOfANonObjectReturnDefaults) {
  EXPECT_EQ(error_of("\"text\"",
                     [](JsonRecord& record) {
                       EXPECT_EQ(record.text("a", 9), "");
                       EXPECT_EQ(record.integer("a", 3, 9), 3);
                       EXPECT_FALSE(record.array("a"));
                       EXPECT_FALSE(record.boolean("a"));
                       record.allow_only(kKeys);
                     }),
            "must be a JSON object");
}

}  // namespace
}  // namespace svc::text
