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

// Kinds, limits and paths of nested records: unit/media/ and unit/oauth/client_test.cpp.
TEST(JsonRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name, json;
    std::function<void(JsonRecord&)> read;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"no object", "[1]",
                [](JsonRecord& r) {
                  EXPECT_EQ(r.text("a", 9), "");
                  EXPECT_EQ(r.integer("a", 3, 9), 3);
                  EXPECT_FALSE(r.array("a") || r.boolean("a"));
                  r.allow_only(kKeys);
                },
                "must be a JSON object"},
           Case{"a long text, counted in bytes", R"({"a":"\u9648\u9648"})",
                [](JsonRecord& r) { r.optional_text("a", 5); }, "a is longer than 5 bytes"},
           Case{"a text as long as may be", R"({"a":"\u9648"})",
                [](JsonRecord& r) { r.text("a", 3); }, ""},
           Case{"a huge integer", R"({"a":99999999999999999999})",
                [](JsonRecord& r) { r.integer("a", 1, 9); }, "a must be an integer from 1 to 9"},
           Case{"the first and the last integer", R"({"a":1,"b":9})",
                [](JsonRecord& r) { r.integer("a", 1, 9), r.optional_integer("b", 1, 9); }, ""},
           Case{"a large number", R"({"a":9.25})",
                [](JsonRecord& r) { r.optional_number("a", 0.5, 9); },
                "a must be a number from 0.5 to 9"},
           Case{"a boolean", R"({"a":true})", [](JsonRecord& r) { EXPECT_TRUE(r.boolean("a")); },
                ""},
           Case{"a missing boolean", "{}", [](JsonRecord& r) { r.boolean("a"); }, "a is missing"},
           Case{"a key that occurs twice", R"({"a":1,"b":2,"a":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); }, "a occurs twice"},
           Case{"keys in another order", R"({"c":1,"b":2,"a":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); }, ""},
           Case{"the last key twice", R"({"b":1,"c":2,"c":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); }, "c occurs twice"},
           Case{"a key that is not known, behind all others", R"({"c":1,"a":2,"b":1,"":1})",
                [](JsonRecord& r) { r.allow_only(kKeys); },
                " is an unknown key; the allowed keys are a, b, c"},
           Case{"two levels down", R"({"list":[{},{"a":{"b":1,"b":1}}]})",
                [](JsonRecord& r) {
                  JsonRecord element(r, "list", 1, r.array("list")->at(1));
                  JsonRecord inner(element, "a", *element.optional_object("a"));
                  inner.allow_only(kKeys);
                  element.adopt(inner);
                  r.adopt(element);
                },
                "list[1]: a: b occurs twice"},
           Case{"the first of several", R"({"b":1})",
                [](JsonRecord& r) {
                  r.text("a", 9);
                  r.text("b", 9);
                  r.refuse("c", "must be something else");
                  r.allow_only({});
                },
                "a is missing"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(error_of(c.json, c.read), c.error);
  }
}

}  // namespace
}  // namespace svc::text
