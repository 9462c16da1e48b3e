#include "text/words.h"

#include <gtest/gtest.h>

namespace svc::text {
namespace {

TEST(Words, FillsInValues) {
  EXPECT_EQ(filled("{a} and {b}, {a}", {{"a", "1"}, {"b", "{a}"}}), "1 and {a}, 1");
  EXPECT_EQ(filled("{c} {", {{"a", "1"}}), "{c} {");
  EXPECT_EQ(filled("{{a}} }", {{"a", "1"}}), "{1} }");
  EXPECT_EQ(filled("", {}), "");
  EXPECT_EQ(translatable("Log in"), "Log in");
}

}  // namespace
}  // namespace svc::text
