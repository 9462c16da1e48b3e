#include "oauth/authorization_response.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/form.h"

namespace svc::oauth {
namespace {

constexpr std::string_view kIssuer = "https://api.home.example";

ReturnTo to(std::string uri, std::optional<std::string> state = std::nullopt) {
  return {std::move(uri), std::move(state), ResponseMode::Query};
}

Token example_code() {
  return Token::of(TokenKind::Code, {std::string(32, 'a')}, std::string(64, 'b'));
}

Answer example_answer(const ReturnTo& where) {
  media::Account account;
  account.id = {1002};
  account.name = "Binary & Sons <Studio>";
  account.url = "https://binary.svc.example";
  media::Contact contact;
  contact.id = {504};
  contact.name = "Ćlara Östlund 陈";
  contact.email = "clara+x@closed.example";
  return answer_with_code(example_code(), account, contact, where, kIssuer);
}

TEST(AuthorizationResponse, OauthA5NamesTheContactAndTheAccount) {
  const ReturnTo where = to("https://client.example/cb", "st");
  EXPECT_EQ(location_of(example_answer(where), where),
            "https://client.example/cb?code=svcc_" + std::string(32, 'a') + std::string(64, 'b') +
                "&state=st&iss=https%3A%2F%2Fapi.home.example&account_id=1002"
                "&account_url=https%3A%2F%2Fbinary.svc.example"
                "&account_name=Binary%20%26%20Sons%20%3CStudio%3E&contact_id=504"
                "&contact_name=%C4%86lara%20%C3%96stlund%20%E9%99%88"
                "&contact_email=clara%2Bx%40closed.example");
}

TEST(AuthorizationResponse, OauthA5PutsExtraParametersFirstAndKeepsTheirBytes) {
  for (const std::string_view uri :
       {"https://client.example/cb?tenant=42", "https://client.example/cb?b=2&a=1&b=%e9&c",
        "https://client.example/cb?x=%0d%0aSet-Cookie:%20a&y='()*~;,:@/?&z=%2B+"}) {
    const ReturnTo where = to(std::string(uri));
    const std::string location = location_of(example_answer(where), where);
    EXPECT_TRUE(location.starts_with(std::string(uri) + "&code=svcc_")) << location;
  }
}

TEST(AuthorizationResponse, OauthA4ReturnsTheStateByteForByte) {
  std::string all;
  for (int byte = 255; byte >= 0; --byte) all += static_cast<char>(byte);
  for (const std::string& state :
       {all, std::string("a b+c&d=e#f"), std::string("%41"), std::string("é")}) {
    const ReturnTo where = to("https://client.example/cb?my=1", state);
    const std::string location = location_of(example_answer(where), where);
    const auto form = text::Form::parse(location.substr(location.find('?') + 1));
    EXPECT_EQ(form.find("state"), state);
    for (const char c : location) EXPECT_TRUE(c > 0x20 && c < 0x7f) << location;
  }
  const ReturnTo none = to("https://client.example/cb");
  EXPECT_EQ(location_of(example_answer(none), none).find("state="), std::string::npos);
}

TEST(AuthorizationResponse, OauthA4NamesTheIssuerInErrorsToo) {
  const ReturnTo where = to("https://client.example/cb?my=1", "s t");
  EXPECT_EQ(
      location_of(answer_with_error({"access_denied", "The user denied access."}, where, kIssuer),
                  where),
      "https://client.example/cb?my=1&error=access_denied&error_description=The%20user%20denied"
      "%20access.&state=s%20t&iss=https%3A%2F%2Fapi.home.example");
}

TEST(AuthorizationResponse, OauthA5AllowsOnlyRfc6749sCharactersInADescription) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const Answer answer = answer_with_error({"invalid_request", all}, to("https://c.example/"), "i");
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
