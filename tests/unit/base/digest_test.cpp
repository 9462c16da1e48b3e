#include "base/digest.h"

#include <gtest/gtest.h>

#include "base/hex.h"

namespace svc {
namespace {

// The one-block example of FIPS 180-4.
TEST(Digest, MatchesTheExamplesOfTheStandard) {
  EXPECT_EQ(base::to_hex(base::sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(base::to_hex(base::sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Digest, ComparesWholeTexts) {
  EXPECT_TRUE(base::equal_in_constant_time("", ""));
  EXPECT_TRUE(base::equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(base::equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(base::equal_in_constant_time("abc", "abcd"));
}

}  // namespace
}  // namespace svc
