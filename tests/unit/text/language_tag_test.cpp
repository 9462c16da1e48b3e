#include "text/language_tag.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::text {
namespace {

TEST(LanguageTag, IsWellFormed) {
  for (const char* tag : {"en",
                          "EN",
                          "deu",
                          "pt-BR",
                          "es-419",
                          "zh-Hant-TW",
                          "zh-cmn-Hans-CN",
                          "sl-rozaj-biske",
                          "de-CH-1901",
                          "de-1996",
                          "sr-Latn-RS",
                          "en-US-u-islamcal",
                          "zh-CN-a-myext-x-private",
                          "en-x-mine",
                          "qaa-Qaaa-QM-x-southern",
                          "art-lojban",
                          "abcd",
                          "abcdefgh",
                          "x-private",
                          "X-a-12345678"}) {
    EXPECT_TRUE(is_language_tag(tag)) << tag;
  }
  EXPECT_TRUE(is_language_tag("en-x-" + std::string(8, 'a') + "-" + std::string(8, 'b')));
}

TEST(LanguageTag, RefusesEverythingElse) {
  for (const char* tag : {"",
                          "e",
                          "-",
                          "en-",
                          "-en",
                          "en--US",
                          "en_US",
                          "English language",
                          "123",
                          "e1",
                          "en US",
                          "abcdefghi",
                          "en-abcdefghi",
                          "x",
                          "x-",
                          "x-123456789",
                          "i-klingon",
                          "en-u",
                          "en-u-x-a",
                          "en-x",
                          "de-DE-1901-1901",
                          "en-a-bbb-a-ccc",
                          "zh-cmn-yue-nan-hak",
                          "en-US-GB",
                          "en-Latn-Cyrl",
                          "en\"",
                          "en\n",
                          "fran\xc3\xa7",
                          "en-a-b"}) {
    EXPECT_FALSE(is_language_tag(tag)) << tag;
  }
  std::string longest = "en-x";
  while (longest.size() + 3 <= kMaxLanguageTag) longest += "-ab";
  EXPECT_TRUE(is_language_tag(longest)) << longest;
  EXPECT_FALSE(is_language_tag(longest + "-ab"));
}

}  // namespace
}  // namespace svc::text
