#include "text/form.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::text {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(std::string_view query) {
  Pairs pairs;
  const Form form = Form::parse(query);
  for (const FormField& field : form.fields()) pairs.emplace_back(field.name, field.value);
  return pairs;
}

TEST(FormDecode, DecodesPlusAndPercent) {
  struct Case {
    std::string_view name, text, decoded;
  };
  for (const Case& c : {
           Case{"nothing", "", ""},
           Case{"plain text", "abc-._~", "abc-._~"},
           Case{"a plus is a space", "a+b++c", "a b  c"},
           Case{"an escaped plus stays a plus", "a%2Bb", "a+b"},
           Case{"upper and lower hex digits", "%2f%2F%c3%A9", "//\xc3\xa9"},
           Case{"any byte may come out", "%00%ff", std::string_view("\0\xff", 2)},
           Case{"once only", "%2541", "%41"},
           Case{"a percent at the end", "100%", "100%"},
           Case{"a percent and one digit at the end", "a%4", "a%4"},
           Case{"a percent and no digits", "50%zz%4g", "50%zz%4g"},
           Case{"a percent before an escape", "%%41", "%A"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(form_decode(c.text), c.decoded);
  }
}

TEST(Form, SplitsAQueryIntoDecodedFields) {
  struct Case {
    std::string_view name, query;
    Pairs fields;
  };
  for (const Case& c : {
           Case{"nothing", "", {}},
           Case{"one field", "a=1", {{"a", "1"}}},
           Case{"in the order they came", "b=2&a=1", {{"b", "2"}, {"a", "1"}}},
           Case{"a name without a value", "a&b=", {{"a", ""}, {"b", ""}}},
           Case{"a value without a name", "=x", {{"", "x"}}},
           Case{"empty pieces are left out", "&&a=1&&&b=2&", {{"a", "1"}, {"b", "2"}}},
           Case{"a value may hold equals signs", "a=b=c==", {{"a", "b=c=="}}},
           Case{"names are decoded too", "plugin%5Ba%5D=1", {{"plugin[a]", "1"}}},
           Case{"escaped separators separate nothing", "a=1%26b%3D2", {{"a", "1&b=2"}}},
           Case{"a semicolon separates nothing", "a=1;b=2", {{"a", "1;b=2"}}},
           Case{"a question mark is a character", "url=http://h/?x=1", {{"url", "http://h/?x=1"}}},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(pairs_of(c.query), c.fields);
  }
}

TEST(Form, FindsTheFirstFieldOfAName) {
  const Form form = Form::parse("a=1&b=&a=2");
  EXPECT_EQ(form.find("a"), "1");
  EXPECT_EQ(form.find("b"), "");
  EXPECT_EQ(form.find("c"), std::nullopt);
  EXPECT_EQ(form.find("A"), std::nullopt);
}

TEST(Form, IgnoresFieldsBeyondItsLimit) {
  std::string query;
  for (std::size_t i = 0; i < Form::kMaxFields + 10; ++i) query += "n" + std::to_string(i) + "=v&";
  const Form form = Form::parse(query);
  EXPECT_EQ(form.fields().size(), Form::kMaxFields);
  EXPECT_TRUE(form.find("n" + std::to_string(Form::kMaxFields - 1)));
  EXPECT_FALSE(form.find("n" + std::to_string(Form::kMaxFields)));
}

}  // namespace
}  // namespace svc::text
