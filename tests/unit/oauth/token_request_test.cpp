#include "oauth/token_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::oauth {
namespace {

using Code = GrantError::Code;

// The credentials that were read, in one line: "id secret basic|form[ in
// query]".
std::string credentials(const base::Result<TokenRequest, GrantError>& request) {
  if (!request)
    return std::string(name_of(request.error().code)) + ": " + request.error().description;
  return request->client_id + " " + request->client_secret + (request->basic ? " basic" : " form") +
         (request->secret_in_query ? " in query" : "");
}

TEST(TokenRequest, OauthT1ReadsParametersFromQueryAndBody) {
  const std::string all =
      "grant_type=authorization_code&client_id=app&client_secret=s%2Bx+y&code=c&"
      "redirect_uri=https%3A%2F%2Fa.example%2Fcb%3Fx%3D1&code_verifier=v&refresh_token=r&"
      "scope=media%3Aread+stats:read&token=t&token_type_hint=h&unknown=u";
  for (const bool in_query : {true, false}) {
    const auto request =
        TokenRequest::parse(in_query ? all : "", in_query ? std::string() : all, "");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->grant_type, "authorization_code");
    EXPECT_EQ(request->client_id, "app");
    EXPECT_EQ(request->client_secret, "s+x y");
    EXPECT_EQ(request->code, "c");
    EXPECT_EQ(request->redirect_uri, "https://a.example/cb?x=1");
    EXPECT_EQ(request->code_verifier, "v");
    EXPECT_EQ(request->refresh_token, "r");
    EXPECT_EQ(request->scope, "media:read stats:read");
    EXPECT_EQ(request->token, "t");
    EXPECT_EQ(request->token_type_hint, "h");
    EXPECT_EQ(request->secret_in_query, in_query);
    EXPECT_FALSE(request->basic);
  }
  const auto both = TokenRequest::parse("client_id=app&code=", "client_secret=s&code=c", "");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->client_id + both->client_secret + both->code, "appsc");
  EXPECT_FALSE(both->secret_in_query);
}

TEST(TokenRequest, OauthT1RefusesRepeatedParameters) {
  for (const char* name : {"grant_type", "client_id", "client_secret", "code", "redirect_uri",
                           "code_verifier", "refresh_token", "scope", "token", "token_type_hint"}) {
    const std::string one = std::string(name) + "=x";
    const std::string error =
        "invalid_request: the parameter " + std::string(name) + " is repeated";
    EXPECT_EQ(credentials(TokenRequest::parse(one + "&" + one, "", "")), error);
    EXPECT_EQ(credentials(TokenRequest::parse("", one + "&" + one, "")), error);
    EXPECT_EQ(credentials(TokenRequest::parse(one, one, "")), error);
    const std::string escaped =
        "%" + std::string(name[0] == 'c' ? "63" : "00") + std::string(name + 1) + "=x";
    if (name[0] == 'c') {
      EXPECT_EQ(credentials(TokenRequest::parse(one, escaped, "")), error);
    }
    EXPECT_TRUE(TokenRequest::parse(one + "&" + name + "=&" + name, std::string(name) + "=", ""))
        << "an empty parameter is an absent one";
  }
  EXPECT_TRUE(TokenRequest::parse("other=1&other=2", "other=3", "")) << "unknown ones may repeat";
}

TEST(TokenRequest, RefusesMoreParametersThanItReads) {
  std::string many;
  for (int i = 0; i < 4096; ++i) many += "a&";
  EXPECT_EQ(credentials(TokenRequest::parse("", many + "client_id=app", "")),
            "invalid_request: there are too many parameters");
}

TEST(TokenRequest, OauthT2ReadsBasicCredentials) {
  constexpr std::string_view kNotBase64 =
      "invalid_client: the Basic credentials are not base64 of client_id:client_secret";
  constexpr std::string_view kNotBasic =
      "invalid_client: the Authorization header must be of the scheme Basic";
  struct Case {
    std::string_view name;
    std::string_view header;
    std::string_view read;
  };
  for (const Case& c : {
           Case{"plain", "Basic YXBwOnNlY3JldA==", "app secret basic"},
           Case{"the scheme in capitals", "BASIC YXBwOnNlY3JldA==", "app secret basic"},
           Case{"the scheme in small letters", "basic YXBwOnNlY3JldA==", "app secret basic"},
           Case{"two spaces", "Basic  YXBwOnNlY3JldA==", "app secret basic"},
           Case{"a colon in the secret", "Basic YXBwOmE6Yg==", "app a:b basic"},  // app:a:b
           Case{"escapes in both halves", "Basic YSUzQWI6YyUyQmQrZQ==", "a:b c+d e basic"},
           Case{"a plus is a space", "Basic YXBwOmErYg==", "app a b basic"},  // app:a+b
           Case{"no secret", "Basic YXBwOg==", "app  basic"},
           Case{"no id", "Basic OnNlY3JldA==", " secret basic"},
           Case{"no colon", "Basic YXBw", kNotBase64},
           Case{"padding left out", "Basic YXBwOnNlY3JldA", kNotBase64},
           Case{"one padding of two", "Basic YXBwOnNlY3JldA=", kNotBase64},
           Case{"bits left over", "Basic YXBwOnNlY3JldB==", kNotBase64},
           Case{"another alphabet", "Basic YXBwOj8_Pz4-", kNotBase64},
           Case{"something behind", "Basic YXBwOnNlY3JldA== ", kNotBase64},
           Case{"a space within", "Basic YXBw OnNlY3JldA==", kNotBase64},
           Case{"nothing", "Basic ", kNotBase64},
           Case{"the scheme alone", "Basic", kNotBasic},
           Case{"no space", "BasicYXBwOnNlY3JldA==", kNotBasic},
           Case{"another scheme", "Bearer YXBwOnNlY3JldA==", kNotBasic},
       }) {
    EXPECT_EQ(credentials(TokenRequest::parse("", "", c.header)), c.read) << c.name;
  }
}

TEST(TokenRequest, OauthT1AcceptsOnlyOneWayOfAuthentication) {
  constexpr std::string_view kBasic = "Basic YXBwOnNlY3JldA==";
  constexpr std::string_view kTwo =
      "invalid_request: there are two ways of client authentication, Basic and client_secret";
  constexpr std::string_view kDiffers =
      "invalid_request: the parameter client_id differs from the Basic credentials";
  struct Case {
    std::string_view query;
    std::string_view body;
    std::string_view read;
  };
  for (const Case& c : {
           Case{"client_id=app", "", "app secret basic"},
           Case{"", "client_id=app", "app secret basic"},
           Case{"", "client_id=&client_secret=", "app secret basic"},
           Case{"", "client_id=App", kDiffers},
           Case{"client_id=other", "", kDiffers},
           Case{"", "client_secret=secret", kTwo},
           Case{"client_secret=secret", "", kTwo},
           Case{"", "client_id=app&client_secret=secret", kTwo},
       }) {
    EXPECT_EQ(credentials(TokenRequest::parse(c.query, c.body, kBasic)), c.read)
        << c.query << " " << c.body;
  }
}

}  // namespace
}  // namespace svc::oauth
