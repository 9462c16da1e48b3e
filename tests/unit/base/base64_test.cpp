#include "base/base64.h"

#include <gtest/gtest.h>

namespace svc {
namespace {

// RFC 4648 §10.
TEST(Base64, ReadsTheVectorsOfItsRfc) {
  struct Case {
    std::string_view encoded, plain;
  };
  for (const Case& c : {Case{"", ""}, Case{"Zg==", "f"}, Case{"Zm8=", "fo"}, Case{"Zm9v", "foo"},
                        Case{"Zm9vYg==", "foob"}, Case{"Zm9vYmE=", "fooba"},
                        Case{"Zm9vYmFy", "foobar"}, Case{"+/+/", "\xfb\xff\xbf"}}) {
    SCOPED_TRACE(c.encoded);
    EXPECT_EQ(base::base64_decode(c.encoded), c.plain);
  }
}

TEST(Base64, RefusesInputThatIsNotCanonical) {
  for (const std::string_view text : {"Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=",
                                      "Zm8=Zm8=", "Zm 9", "Zm9v\n", "-_-_", "Zm9v====", "=Zm9"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(base::base64_decode(text), std::nullopt);
  }
}

TEST(Base64, ReadsAndWritesTextWithoutPadding) {
  for (const std::string_view text : {"", "Zg", "Zm8", "Zm9v", "+/+/"})
    EXPECT_EQ(base::base64_encode_unpadded(base::base64_decode_unpadded(text).value()), text);
  for (const std::string_view text : {"Zg==", "Zm8=", "Z", "Zh", "-_-_"})
    EXPECT_EQ(base::base64_decode_unpadded(text), std::nullopt) << text;
}

TEST(Base64, WritesTheUrlAlphabetWithoutPadding) {
  EXPECT_EQ(base::base64url_encode(""), "");
  EXPECT_EQ(base::base64url_encode("f"), "Zg");
  EXPECT_EQ(base::base64url_encode("fo"), "Zm8");
  EXPECT_EQ(base::base64url_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base::base64url_encode("\xfb\xff\xbf"), "-_-_");
}

TEST(Base64, ReadsTheUrlAlphabetWithoutPadding) {
  for (const std::string_view text : {"", "Zg", "Zm8", "Zm9v", "-_-_"})
    EXPECT_EQ(base::base64url_encode(base::base64url_decode(text).value()), text);
  for (const std::string_view text : {"Zg==", "Zm8=", "Z", "Zh", "+/+/", "Zm 9"})
    EXPECT_EQ(base::base64url_decode(text), std::nullopt) << text;
}

}  // namespace
}  // namespace svc
