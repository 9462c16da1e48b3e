#include "oauth/authorization_response.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::oauth {
namespace {

TEST(AuthorizationResponse, AllowsOnlyRfc6749sCharactersInADescription) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const Answer answer = answer_with_error({"invalid_request", all},
                                          {"https://c.example/", {}, ResponseMode::Query}, "i");
  ASSERT_EQ(answer[1].name, "error_description");
  const std::string& kept = answer[1].value;
  ASSERT_EQ(kept.size(), all.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool allowed =
        (i >= 0x20 && i <= 0x21) || (i >= 0x23 && i <= 0x5b) || (i >= 0x5d && i <= 0x7e);
    EXPECT_EQ(kept[i], allowed ? static_cast<char>(i) : '?') << i;
  }
}

}  // namespace
}  // namespace svc::oauth
