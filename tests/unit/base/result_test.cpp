#include "base/result.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::base {
namespace {

using Text = Result<std::string, std::string>;

TEST(Result, DistinguishesAValueFromARefusalOfTheSameType) {
  const Text value(std::string("yes"));
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, "yes");
  EXPECT_EQ(value->size(), 3u);
  const Text refused = Refusal{std::string("no")};
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "no");
}

TEST(ResultDeathTest, AbortsOnAccessToTheMissingAlternative) {
  const Text value(std::string("yes"));
  const Text refused = Refusal{std::string("no")};
  EXPECT_DEATH(static_cast<void>(value.error()), "");
  EXPECT_DEATH(static_cast<void>(refused.value()), "");
  EXPECT_DEATH(static_cast<void>(refused->size()), "");
}

}  // namespace
}  // namespace svc::base
