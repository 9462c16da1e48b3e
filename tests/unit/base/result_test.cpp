#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
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

TEST(Result, HoldsAMoveOnlyValue) {
  Result<std::unique_ptr<int>, int> made(std::make_unique<int>(7));
  ASSERT_TRUE(made);
  **made = 8;
  const std::unique_ptr<int> taken = std::move(*made);
  EXPECT_EQ(*taken, 8);
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
