#include "login/one_time_code.h"

#include <gtest/gtest.h>

#include <set>

#include "fakes/fixed_entropy.h"

namespace svc::login {
namespace {

const std::string kSecretOfTheRfc = "12345678901234567890";

// RFC 6238, appendix B: the last 6 of the 8 digits there.
TEST(OneTimeCode, HasTheValuesOfTheRfc) {
  struct Case {
    std::int64_t time;
    std::string_view code;
  };
  for (const Case& c :
       {Case{59, "287082"}, Case{1111111109, "081804"}, Case{1111111111, "050471"},
        Case{1234567890, "005924"}, Case{2000000000, "279037"}, Case{20000000000, "353130"}})
    EXPECT_EQ(one_time_code(kSecretOfTheRfc, one_time_step(c.time)), c.code) << c.time;
}

TEST(OneTimeCode, MatchesThePresentStepAndItsNeighbours) {
  constexpr std::int64_t kNow = 1111111111;
  const std::int64_t step = one_time_step(kNow);
  for (const std::int64_t other : {-2, -1, 0, 1, 2}) {
    const auto found =
        matching_step(kSecretOfTheRfc, one_time_code(kSecretOfTheRfc, step + other), kNow);
    EXPECT_EQ(found.has_value(), other >= -1 && other <= 1) << other;
    EXPECT_EQ(found.value_or(step + other), step + other);
  }
  for (const char* text : {"", "05047", "0504711", "05047x", "50471"})
    EXPECT_FALSE(matching_step(kSecretOfTheRfc, text, kNow)) << text;
}

// RFC 4648 §10, without padding.
TEST(OneTimeCode, Base32HasTheValuesOfTheRfc) {
  for (const auto& [plain, encoded] :
       {std::pair("", ""), std::pair("f", "MY"), std::pair("fo", "MZXQ"), std::pair("foo", "MZXW6"),
        std::pair("foob", "MZXW6YQ"), std::pair("fooba", "MZXW6YTB"),
        std::pair("foobar", "MZXW6YTBOI")})
    EXPECT_EQ(base32(plain), encoded);
}

TEST(OneTimeCode, TheUriNamesServiceAndUser) {
  EXPECT_EQ(one_time_uri(kSecretOfTheRfc, "A & B", "jo@acme.example"),
            "otpauth://totp/A%20%26%20B:jo%40acme.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            "&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30");
}

TEST(OneTimeCode, RecoveryCodesDifferAndAreReadAsTheyAreTyped) {
  base::SystemEntropy entropy;
  const auto codes = new_recovery_codes(entropy);
  EXPECT_EQ(std::set(codes.begin(), codes.end()).size(), kRecoveryCodes);
  for (const std::string& code : codes) {
    EXPECT_EQ(code.size(), 11u);
    EXPECT_EQ(code.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567-"), std::string::npos);
  }
  EXPECT_EQ(canonical_code(" ABCDE fghij\r\n"), "abcdefghij");
  EXPECT_EQ(canonical_code("abcde-fghij"), "abcdefghij");
  for (const char* typed :
       {"123 456", "123-456", "１２３４５６", "１２３　４５６", "123\u00a0456", "123\u202f456",
        "123\u2013456", "123\u2212456", "123\u30fc456", "１２３－４５６", "\u200e123456\u200b",
        "\ufeff123\t456", "١٢٣٤٥٦", "۱۲۳۴۵۶", "१२३४५६"})
    EXPECT_EQ(canonical_code(typed), "123456") << typed;
  EXPECT_EQ(canonical_code("ＡＢＣＤＥ‐ｆｇｈｉｊ"), "abcdefghij");
  EXPECT_EQ(canonical_code("\xff"
                           "12"),
            "\xff"
            "12");
}

}  // namespace
}  // namespace svc::login
