// The token, revocation and introspection endpoints: one client, one grant, stores in memory.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "endpoints/introspect.h"
#include "endpoints/revoke.h"
#include "endpoints/token.h"
#include "fakes/fixed_entropy.h"
#include "fakes/headers.h"
#include "fakes/manual_clock.h"
#include "fakes/memory_tokens.h"
#include "http/router.h"
#include "oauth/grant_handler.h"

namespace svc {
namespace {

using fakes::header;
using http::Response;

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kCredentials = "client_id=app&client_secret=secret";
constexpr std::string_view kBasic = "Basic YXBwOnNlY3JldA==";

class OauthEndpoints : public testing::Test {
 protected:
  OauthEndpoints() {
    for (const char* id : {"app", "other"}) {
      oauth::Client client;
      client.id = {id};
      client.secrets.push_back(oauth::keep_secret(keys_, client.id, "secret", entropy_));
      clients_.add(client);
    }
    issued_ = {{"app"}, {7}, {1001}, *oauth::ScopeSet::parse("media:read stats:read"), 1000, 2000};
    oauth::AuthorizationCode code;
    code.issued = issued_;
    code.redirect_uri = "https://app.example/cb";
    grants_.codes[code_.text] = code;
    grants_.tokens[access_.text] = issued_;
    grants_.tokens[refresh_.text] = issued_;
    router_.add("/oauth/token", token_);
    router_.add("/oauth/revoke", revoke_);
    router_.add("/oauth/introspect", introspect_);
  }

  Response ask(http::Request request) {
    request.request_id = "request-1";
    request.remote_address = "192.0.2.1";
    return fakes::now(router_.answer(request));
  }
  Response post(std::string_view path, const std::string& body, std::string_view query = "",
                std::string_view authorization = "", std::string_view type = kForm) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.query = query;
    request.body = body;
    request.content_type = type;
    request.authorization = authorization;
    return ask(request);
  }
  Response by_method(std::string_view method, std::string_view path, std::string_view query = "") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    return ask(request);
  }
  std::string credentials_and(std::string_view more) const {
    return std::string(kCredentials) + "&" + std::string(more);
  }
  std::string exchange_parameters() const {
    return credentials_and("grant_type=authorization_code&code=" + code_.text +
                           "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb");
  }
  static std::string error_of(const Response& response) {
    const std::string start = "{\"error\":\"";
    if (!response.body.starts_with(start)) return "none";
    return response.body.substr(start.size(), response.body.find('"', start.size()) - start.size());
  }

  const base::KeyRing keys_ = std::move(*base::KeyRing::parse("k1:" + std::string(64, 'a')));
  fakes::FixedEntropy entropy_;
  fakes::MemoryClients clients_;
  fakes::MemoryTokens grants_;
  fakes::MemoryStandings standings_;
  fakes::CountedGuesses guesses_;
  fakes::RememberedAudit audit_;
  const oauth::Limits limits_;
  const oauth::GrantId grant_ = oauth::GrantId::of({7}, {1001}, {"app"});
  const oauth::Token code_ = oauth::Token::mint(oauth::TokenKind::Code, grant_, entropy_);
  const oauth::Token access_ = oauth::Token::mint(oauth::TokenKind::Access, grant_, entropy_);
  const oauth::Token refresh_ = oauth::Token::mint(oauth::TokenKind::Refresh, grant_, entropy_);
  oauth::Issued issued_;
  oauth::ClientAuthentication authentication_{clients_, guesses_, keys_};
  oauth::AuthorizationCodeHandler code_handler_{grants_, standings_, audit_, limits_, entropy_};
  oauth::RefreshTokenHandler refresh_handler_{grants_, standings_, limits_, entropy_};
  endpoints::Token token_{authentication_, code_handler_, refresh_handler_};
  endpoints::Revoke revoke_{authentication_, grants_, audit_};
  endpoints::Introspect introspect_{authentication_, grants_, standings_, "https://issuer.example"};
  http::Router router_;
};

TEST_F(OauthEndpoints, OauthT4ReturnsTokensAsJson) {
  for (const bool as_string : {false, true}) {
    clients_.at("app").scope_format =
        as_string ? oauth::ScopeFormat::String : oauth::ScopeFormat::Array;
    const Response response = post("/oauth/token", exchange_parameters());
    ASSERT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.content_type, "application/json");
    std::string access;
    std::string refresh;
    for (const auto& [text, issued] : grants_.tokens) {
      if (text == access_.text || text == refresh_.text) continue;
      (text.starts_with("svca_") ? access : refresh) = text;
    }
    EXPECT_EQ(response.body,
              "{\"access_token\":\"" + access +
                  "\",\"token_type\":\"bearer\",\"expires_in\":21600,"
                  "\"refresh_token\":\"" +
                  refresh + "\",\"scope\":" +
                  (as_string ? R"("media:read stats:read"})" : R"(["media:read","stats:read"]})"));
    grants_.tokens.clear();
  }
}

TEST_F(OauthEndpoints, OauthT3AcceptsParametersInQueryBodyAndBasic) {
  EXPECT_EQ(post("/oauth/token", "", exchange_parameters(), "", "").status, 200);
  EXPECT_EQ(post("/oauth/token", exchange_parameters()).status, 200);
  const std::string rest = exchange_parameters().substr(kCredentials.size() + 1);
  EXPECT_EQ(post("/oauth/token", rest, "", kBasic).status, 200);
  EXPECT_EQ(post("/oauth/token", std::string(kCredentials), rest).status, 200);
  const std::string refresh =
      credentials_and("grant_type=refresh_token&scope=media:read&refresh_token=" + refresh_.text);
  EXPECT_EQ(post("/oauth/token", refresh).status, 200);
  EXPECT_EQ(post("/oauth/token", "", refresh).status, 200);
}

TEST_F(OauthEndpoints, OauthT5EveryResponseIsNoStore) {
  clients_.at("other").refuse_query_credentials = true;
  for (const char* path : {"/oauth/token", "/oauth/revoke", "/oauth/introspect"}) {
    for (const Response& response :
         {post(path, exchange_parameters()), post(path, credentials_and("token=x")), post(path, ""),
          post(path, "{}", "", "", "application/json"), post(path, std::string(kCredentials) + "x"),
          by_method("GET", path)}) {
      EXPECT_EQ(header(response, "Cache-Control"), "no-store") << path << response.status;
      EXPECT_EQ(header(response, "Pragma"), "no-cache");
      EXPECT_EQ(response.content_type, "application/json");
      EXPECT_EQ(header(response, "Access-Control-Allow-Origin"), "none");
    }
  }
}

TEST_F(OauthEndpoints, OauthT6ReturnsTheErrorCodeOfEachMistake) {
  struct Case {
    std::string_view name;
    std::string body;
    int status;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"nothing", "", 400, "invalid_request"},
           Case{"no grant_type", std::string(kCredentials), 400, "invalid_request"},
           Case{"another grant_type", credentials_and("grant_type=password"), 400,
                "unsupported_grant_type"},
           Case{"one in capitals", credentials_and("grant_type=Refresh_token"), 400,
                "unsupported_grant_type"},
           Case{"no client", "grant_type=refresh_token&refresh_token=x", 401, "invalid_client"},
           Case{"no secret", "grant_type=refresh_token&client_id=app", 401, "invalid_client"},
           Case{"a wrong secret", "grant_type=refresh_token&client_id=app&client_secret=x", 401,
                "invalid_client"},
           Case{"no code", credentials_and("grant_type=authorization_code&redirect_uri=x"), 400,
                "invalid_request"},
           Case{"no redirect_uri", credentials_and("grant_type=authorization_code&code=x"), 400,
                "invalid_request"},
           Case{"no refresh token", credentials_and("grant_type=refresh_token"), 400,
                "invalid_request"},
           Case{"an unknown code",
                credentials_and("grant_type=authorization_code&redirect_uri=x&code=x"), 400,
                "invalid_grant"},
           Case{"an unknown refresh token",
                credentials_and("grant_type=refresh_token&refresh_token=x"), 400, "invalid_grant"},
           Case{"a wider scope",
                credentials_and("grant_type=refresh_token&scope=all:all&refresh_token=" +
                                refresh_.text),
                400, "invalid_scope"},
       }) {
    const Response response = post("/oauth/token", c.body);
    EXPECT_EQ(response.status, c.status) << c.name;
    EXPECT_EQ(error_of(response), c.error) << c.name;
    EXPECT_EQ(header(response, "WWW-Authenticate"),
              c.status == 401 ? "Basic realm=\"svc\", charset=\"UTF-8\"" : "none");
  }
}

TEST_F(OauthEndpoints, OauthT6Answers429WithRetryAfterAfter20WrongSecrets) {
  const std::string guess = "client_id=app&client_secret=x&grant_type=refresh_token";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(post("/oauth/token", guess).status, 401);
  for (const char* path : {"/oauth/token", "/oauth/revoke", "/oauth/introspect"}) {
    const Response response = post(path, guess);
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(header(response, "Retry-After"), "60");
    EXPECT_EQ(error_of(response), "invalid_client");
  }
}

TEST_F(OauthEndpoints, OauthT6AnOutageIsA503NotARefusal) {
  for (const bool clients_away : {true, false}) {
    clients_.away = clients_away;
    grants_.away = true;
    for (const auto& [path, body] :
         {std::pair{"/oauth/token", exchange_parameters()},
          {"/oauth/revoke", credentials_and("token=" + access_.text)},
          {"/oauth/introspect", credentials_and("token=" + access_.text)}}) {
      const Response response = post(path, body);
      EXPECT_EQ(response.status, 503) << path;
    }
  }
}

TEST_F(OauthEndpoints, OauthT6AWrongSecretIsInvalidClientEvenDuringAnOutage) {
  grants_.away = true;
  const std::string wrong = "client_id=app&client_secret=x&";
  for (const auto& [path, body] :
       {std::pair{"/oauth/token",
                  wrong + "grant_type=refresh_token&refresh_token=" + refresh_.text},
        {"/oauth/revoke", wrong + "token=" + access_.text},
        {"/oauth/introspect", wrong + "token=" + access_.text}}) {
    const Response response = post(path, body);
    EXPECT_EQ(response.status, 401) << path;
    EXPECT_EQ(error_of(response), "invalid_client") << path;
  }
}

// `about` is a field of the access log.
TEST_F(OauthEndpoints, ResponsesToAnAuthenticatedClientAreAboutIt) {
  EXPECT_EQ(post("/oauth/token", exchange_parameters()).about, "app");
  EXPECT_EQ(post("/oauth/token", credentials_and("grant_type=refresh_token")).about, "app");
  EXPECT_EQ(post("/oauth/revoke", credentials_and("token=unknown")).about, "app");
  EXPECT_EQ(post("/oauth/introspect", credentials_and("token=unknown")).about, "app");
  EXPECT_EQ(post("/oauth/token", credentials_and("grant_type=password")).about, "");
  EXPECT_EQ(post("/oauth/token", "grant_type=refresh_token&client_id=app&client_secret=x").about,
            "");
}

TEST_F(OauthEndpoints, OauthT1RefusesOtherContentTypes) {
  struct Case {
    std::string_view type;
    int status;
  };
  for (const Case& c : {
           Case{"application/x-www-form-urlencoded", 200},
           Case{"Application/X-WWW-Form-Urlencoded", 200},
           Case{"application/x-www-form-urlencoded; charset=UTF-8", 200},
           Case{"application/x-www-form-urlencoded ;charset=UTF-8", 200},
           Case{"application/json", 415},
           Case{"text/plain", 415},
           Case{"multipart/form-data; boundary=x", 415},
           Case{"application/x-www-form-urlencodedx", 415},
           Case{"", 415},
           Case{";", 415},
       }) {
    EXPECT_EQ(post("/oauth/token", exchange_parameters(), "", "", c.type).status, c.status)
        << c.type;
  }
  EXPECT_EQ(post("/oauth/token", "{}", exchange_parameters(), "", "application/json").status, 415);
  EXPECT_EQ(post("/oauth/token", "", exchange_parameters(), "", "application/json").status, 200)
      << "without a body its type says nothing";
}

TEST_F(OauthEndpoints, OauthK1ErrorsDoNotRepeatTheRequest) {
  const std::string secret = "verysecretword";
  for (const std::string& body :
       {"grant_type=" + secret, "grant_type=refresh_token&client_id=" + secret,
        credentials_and("grant_type=refresh_token&refresh_token=" + secret),
        credentials_and("grant_type=authorization_code&redirect_uri=" + secret + "&code=" + secret),
        credentials_and("grant_type=refresh_token&scope=" + secret +
                        "&refresh_token=" + refresh_.text)}) {
    const Response response = post("/oauth/token", body);
    EXPECT_GE(response.status, 400);
    EXPECT_EQ(response.body.find(secret), std::string::npos) << response.body;
  }
}

TEST_F(OauthEndpoints, OauthV1RevokesATokenOfTheCallingClient) {
  for (const oauth::Token& token : {access_, refresh_}) {
    for (const char* hint : {"", "&token_type_hint=access_token", "&token_type_hint=refresh_token",
                             "&token_type_hint=unknown"}) {
      grants_.tokens[token.text] = issued_;
      grants_.revoked.clear();
      audit_.said.clear();
      const Response response =
          post("/oauth/revoke", credentials_and("token=" + token.text + hint));
      EXPECT_EQ(response.status, 200);
      EXPECT_EQ(response.body, "{}");
      EXPECT_EQ(grants_.revoked, std::vector<std::string>{token.text}) << hint;
      EXPECT_EQ(audit_.said, std::vector<std::string>{"tokens.revoked app by the application"});
    }
  }
}

TEST_F(OauthEndpoints, OauthV1RespondsAlikeForTokensThatItDoesNotRevoke) {
  const auto other = [](std::string_view token) {
    return "client_id=other&client_secret=secret&token=" + std::string(token);
  };
  grants_.tokens[code_.text] = issued_;
  const std::string ended = oauth::Token::mint(oauth::TokenKind::Access, grant_, entropy_).text;
  for (const std::string& body :
       {other(access_.text), other(refresh_.text), credentials_and("token=unknown"),
        credentials_and("token=" + code_.text), credentials_and("token=" + ended)}) {
    const Response response = post("/oauth/revoke", body);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "{}");
  }
  EXPECT_TRUE(grants_.revoked.empty());
  EXPECT_TRUE(audit_.said.empty());
  EXPECT_EQ(std::ranges::count(grants_.confirmed, ended), 1)
      << "perhaps a revocation that no replica had";
  EXPECT_EQ(std::ranges::count(grants_.confirmed, access_.text), 0);
}

TEST_F(OauthEndpoints, OauthV1RequiresAClientAndAToken) {
  const std::string token = "token=" + access_.text;
  EXPECT_EQ(post("/oauth/revoke", token).status, 401);
  EXPECT_EQ(post("/oauth/revoke", "client_id=app&" + token).status, 401);
  EXPECT_EQ(post("/oauth/revoke", "client_id=app&client_secret=x&" + token).status, 401);
  EXPECT_EQ(error_of(post("/oauth/revoke", std::string(kCredentials))), "invalid_request");
  EXPECT_EQ(post("/oauth/revoke", "", "", kBasic).status, 400);
  EXPECT_TRUE(grants_.revoked.empty());
  EXPECT_EQ(post("/oauth/revoke", token, "", kBasic).status, 200);
  EXPECT_EQ(grants_.revoked.size(), 1u);
}

TEST_F(OauthEndpoints, OauthB3ATokenOfADemotedContactIsInactiveAndCanBeRevoked) {
  standings_.standing = {media::Role::User, true};
  for (const oauth::Token& token : {access_, refresh_}) {
    const std::string body = credentials_and("token=" + token.text);
    EXPECT_EQ(post("/oauth/introspect", body).body, R"({"active":false})");
    EXPECT_EQ(post("/oauth/revoke", body).status, 200);
  }
  EXPECT_EQ(grants_.revoked.size(), 2u);
}

TEST_F(OauthEndpoints, OauthI1DescribesAnActiveTokenOfTheCallingClient) {
  EXPECT_EQ(post("/oauth/introspect", credentials_and("token=" + access_.text)).body,
            R"({"active":true,"scope":"media:read stats:read","client_id":"app",)"
            R"("token_type":"bearer","iat":1000,"exp":2000,"sub":"7","account_id":1001,)"
            R"("iss":"https://issuer.example"})");
  grants_.tokens[refresh_.text].expires = 0;
  EXPECT_EQ(post("/oauth/introspect", credentials_and("token=" + refresh_.text)).body,
            R"({"active":true,"scope":"media:read stats:read","client_id":"app",)"
            R"("token_type":"refresh_token","iat":1000,"sub":"7","account_id":1001,)"
            R"("iss":"https://issuer.example"})");
}

TEST_F(OauthEndpoints, OauthI1ReportsOtherTokensAsInactive) {
  grants_.tokens[code_.text] = issued_;
  for (const std::string& body :
       {"client_id=other&client_secret=secret&token=" + access_.text,
        "client_id=other&client_secret=secret&token=" + refresh_.text,
        credentials_and("token=unknown"), credentials_and("token=" + code_.text)}) {
    const Response response = post("/oauth/introspect", body);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, R"({"active":false})");
  }
  EXPECT_EQ(post("/oauth/introspect", "token=" + access_.text).status, 401);
  EXPECT_EQ(post("/oauth/introspect", std::string(kCredentials)).status, 400);
}

}  // namespace
}  // namespace svc
