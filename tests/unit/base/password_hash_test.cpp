#include "base/password_hash.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/fixed_entropy.h"

namespace svc::base {
namespace {

const std::string kSalt16(32, 'a');
const std::string kHash32(64, 'b');

TEST(PasswordHash, StoresItsParametersWithTheHash) {
  fakes::FixedEntropy entropy;
  const std::string stored = hash_password("correct horse", entropy);
  EXPECT_TRUE(stored.starts_with("scrypt$14$8$5$000102030405060708090a0b0c0d0e0f$")) << stored;
  EXPECT_TRUE(is_password_hash(stored));
  EXPECT_TRUE(password_matches("correct horse", stored));
  EXPECT_FALSE(password_matches("correct horsf", stored));
  EXPECT_FALSE(password_matches("", stored));
  EXPECT_FALSE(password_matches("correct horse ", stored));
}

// Expected value from another implementation: hashlib.scrypt(b'p\xc3\xa4ss',
// salt=bytes(range(16)), n=2**14, r=8, p=5, dklen=32).
TEST(PasswordHash, IsScryptOfRfc7914) {
  EXPECT_TRUE(password_matches("päss",
                               "scrypt$14$8$5$000102030405060708090a0b0c0d0e0f$"
                               "73936737cafcb98f1da943a32b860ae86ab50a3051eb4a5349368f5cf26ca8c4"));
  // n=2**15, r=4, p=1, a salt of 8 bytes.
  EXPECT_TRUE(password_matches("päss",
                               "scrypt$15$4$1$0001020304050607$"
                               "e42e8aef4decdbc246c668b39f963aa1ee279e2150956786fb7e2a4899aaa8c1"));
}

TEST(PasswordHash, RefusesOtherFormatsAndExcessiveCosts) {
  struct Case {
    std::string_view name;
    std::string stored;
    bool right;
  };
  for (const Case& c : {
           Case{"the form", "scrypt$14$8$5$" + kSalt16 + "$" + kHash32, true},
           Case{"the largest cost", "scrypt$17$8$16$" + kSalt16 + "$" + kHash32, true},
           Case{"the smallest salt", "scrypt$14$8$5$" + std::string(16, 'a') + "$" + kHash32, true},
           Case{"nothing", "", false},
           Case{"a plain password", "hunter2", false},
           Case{"another scheme", "bcrypt$14$8$5$" + kSalt16 + "$" + kHash32, false},
           Case{"too few parts", "scrypt$14$8$5$" + kSalt16, false},
           Case{"too many parts", "scrypt$14$8$5$" + kSalt16 + "$" + kHash32 + "$", false},
           Case{"N too small", "scrypt$13$8$5$" + kSalt16 + "$" + kHash32, false},
           Case{"N too large", "scrypt$18$8$5$" + kSalt16 + "$" + kHash32, false},
           Case{"N with a sign", "scrypt$+14$8$5$" + kSalt16 + "$" + kHash32, false},
           Case{"r of zero", "scrypt$14$0$5$" + kSalt16 + "$" + kHash32, false},
           Case{"r too large", "scrypt$14$9$5$" + kSalt16 + "$" + kHash32, false},
           Case{"p of zero", "scrypt$14$8$0$" + kSalt16 + "$" + kHash32, false},
           Case{"p too large", "scrypt$14$8$17$" + kSalt16 + "$" + kHash32, false},
           Case{"p that does not fit", "scrypt$14$8$99999999999$" + kSalt16 + "$" + kHash32, false},
           Case{"a short salt", "scrypt$14$8$5$" + std::string(14, 'a') + "$" + kHash32, false},
           Case{"a long salt", "scrypt$14$8$5$" + std::string(130, 'a') + "$" + kHash32, false},
           Case{"a short hash", "scrypt$14$8$5$" + kSalt16 + "$" + std::string(62, 'b'), false},
           Case{"a long hash", "scrypt$14$8$5$" + kSalt16 + "$" + std::string(66, 'b'), false},
           Case{"no hex", "scrypt$14$8$5$" + kSalt16 + "$" + std::string(64, 'g'), false},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_password_hash(c.stored), c.right);
    if (!c.right) {
      EXPECT_FALSE(password_matches("x", c.stored));
    }
  }
}

TEST(PasswordHash, OauthL8ComparesItsCostWithThatOfTheCurrentParameters) {
  struct Case {
    std::string_view parameters;
    bool strong;
    bool too_expensive = false;
  };
  for (const Case& c : {
           Case{"14$8$5", true},
           Case{"14$8$6", true},
           Case{"14$8$8", true},
           Case{"14$8$9", true, true},
           Case{"15$8$5", true, true},
           Case{"17$8$2", true, true},
           Case{"17$8$16", true, true},
           // Recommended by OWASP; these need more memory.
           Case{"15$8$3", true},
           Case{"15$8$4", true},
           Case{"16$8$2", true},
           Case{"17$8$1", true},
           Case{"15$4$5", true},
           // Less work.
           Case{"14$8$4", false},
           Case{"14$8$1", false},
           Case{"15$8$2", false},
           Case{"16$8$1", false},
           // Less memory.
           Case{"14$4$16", false},
           Case{"16$1$16", false},
           Case{"14$1$5", false},
       }) {
    SCOPED_TRACE(c.parameters);
    const std::string hash = "scrypt$" + std::string(c.parameters) + "$" + kSalt16 + "$" + kHash32;
    EXPECT_EQ(is_strong_password_hash(hash), c.strong);
    EXPECT_EQ(is_too_expensive_password_hash(hash), c.too_expensive);
    EXPECT_EQ(has_current_parameters(hash), c.parameters == "14$8$5");
  }
  for (const auto is : {is_strong_password_hash, is_too_expensive_password_hash,
                        has_current_parameters, is_password_hash})
    EXPECT_FALSE(is("hunter2"));
  EXPECT_TRUE(is_strong_password_hash(kHashOfNoPassword));
}

// Expected values from hashlib.scrypt as above, with n=2**15 r=8 p=5 and
// n=2**17 r=8 p=1.
TEST(PasswordHash, OauthL8ComputesNoHashThatCostsTooMuch) {
  EXPECT_FALSE(
      password_matches("päss",
                       "scrypt$15$8$5$000102030405060708090a0b0c0d0e0f$"
                       "87b49c9e0747fdf882e6b3846df1032f491f39b6453acdadcffa88f441fd75f1"));
  EXPECT_TRUE(password_matches("päss",
                               "scrypt$17$8$1$000102030405060708090a0b0c0d0e0f$"
                               "1c2af1294e1d9ce1333a97648cf8dd74956999a3c2dc55f4aa5903802decaac0"));
}

TEST(PasswordHash, HashOfNoPasswordHasTheCurrentParameters) {
  EXPECT_TRUE(is_password_hash(kHashOfNoPassword));
  EXPECT_TRUE(has_current_parameters(kHashOfNoPassword));
  EXPECT_FALSE(password_matches("", kHashOfNoPassword));
}

}  // namespace
}  // namespace svc::base
