#include "oauth/authorization_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/memory_oauth.h"
#include "fakes/oauth_examples.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::oauth {
namespace {

using fakes::kChallenge;
using fakes::scopes;

constexpr std::string_view kUri = "https://client.example/cb";
constexpr std::string_view kEncoded = "https%3A%2F%2Fclient.example%2Fcb";

Client example_client() {
  Client client;
  client.id = {"app-1"};
  client.account = {1001};
  client.name = "App";
  client.redirect_uri = kUri;
  client.scopes = scopes({"media:read", "stats:read"});
  return client;
}

class AuthorizationRequestTest : public testing::Test {
 protected:
  AuthorizationRequestTest() { clients_.add(example_client()); }

  static std::string query(std::string_view more) {
    return "response_type=code&client_id=app-1&redirect_uri=" + std::string(kEncoded) +
           std::string(more);
  }
  // Returns "page: …", "<error code>: …" or "right".
  std::string outcome(std::string_view text) {
    const auto request = fakes::now(read_authorization_request(text, clients_));
    if (!request) return "page: " + request.error().text;
    if (!request->error) return "right";
    return std::string(request->error->code) + ": " + request->error->description;
  }
  AuthorizationRequest read(std::string_view text) {
    auto request = fakes::now(read_authorization_request(text, clients_));
    EXPECT_TRUE(request) << text;
    return request ? std::move(*request) : AuthorizationRequest();
  }

  fakes::MemoryClients clients_;
};

TEST_F(AuthorizationRequestTest, ReadsACompleteRequest) {
  const auto request =
      read("state=a%26b&scope=stats:read&code_challenge=" + std::string(kChallenge) +
           "&code_challenge_method=S256&response_mode=form_post&client_id=app-1&redirect_uri=" +
           std::string(kEncoded) + "%3Fmy%3D1%26x%3D%2526&response_type=code");
  EXPECT_FALSE(request.error);
  EXPECT_EQ(request.client.id.value(), "app-1");
  EXPECT_EQ(request.return_to.redirect_uri, "https://client.example/cb?my=1&x=%26");
  EXPECT_EQ(request.return_to.state, "a&b");
  EXPECT_EQ(request.return_to.mode, ResponseMode::FormPost);
  EXPECT_EQ(request.scopes, scopes({"stats:read"}));
  EXPECT_EQ(request.code_challenge, kChallenge);
}

TEST_F(AuthorizationRequestTest, HasDefaultsForOmittedParameters) {
  const auto request = read(query(""));
  EXPECT_FALSE(request.error);
  EXPECT_EQ(request.return_to.state, std::nullopt);
  EXPECT_EQ(request.return_to.mode, ResponseMode::Query);
  EXPECT_EQ(request.scopes, example_client().scopes);
  EXPECT_EQ(request.code_challenge, "");
}

TEST_F(AuthorizationRequestTest, OauthA1IgnoresUnknownAndEmptyParameters) {
  struct Case {
    std::string_view name, more, expected;
  };
  for (const Case& c : {
           Case{"unknown", "&foo=1&nonce=x&prompt=none", "right"},
           Case{"unknown, twice", "&foo=1&foo=2", "right"},
           Case{"empty scope", "&scope=", "right"},
           Case{"empty state", "&state=", "right"},
           Case{"empty mode", "&response_mode=", "right"},
           Case{"empty challenge", "&code_challenge=&code_challenge_method=", "right"},
           Case{"empty beside one", "&client_id=&redirect_uri=&response_type=&state=&state=x",
                "right"},
           Case{"empty pieces", "&&&", "right"},
           Case{"another case of a name", "&Client_id=x&STATE=1&state=2", "right"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(outcome(query(c.more)), c.expected);
  }
  EXPECT_EQ(outcome("response_type=code&client_id=app-1&redirect_uri="),
            "page: redirect_uri is missing");
  EXPECT_EQ(outcome("response_type=code&client_id=&redirect_uri=" + std::string(kEncoded)),
            "page: client_id is missing");
  EXPECT_EQ(read(query("&state=")).return_to.state, std::nullopt);
}

TEST_F(AuthorizationRequestTest, OauthA1RefusesKnownParametersThatAreRepeated) {
  struct Case {
    std::string_view more, expected;
  };
  for (const Case& c : {
           Case{"&client_id=app-1", "page: client_id is repeated"},
           Case{"&client_id=other", "page: client_id is repeated"},
           Case{"&client%5Fid=app-1", "page: client_id is repeated"},
           Case{"&redirect_uri=x", "page: redirect_uri is repeated"},
           Case{"&response_type=code", "invalid_request: response_type is repeated"},
           Case{"&scope=media:read&scope=stats:read", "invalid_request: scope is repeated"},
           Case{"&state=1&state=1", "invalid_request: state is repeated"},
           Case{"&code_challenge=x&code_challenge=x",
                "invalid_request: code_challenge is repeated"},
           Case{"&code_challenge_method=S256&code_challenge_method=S256",
                "invalid_request: code_challenge_method is repeated"},
           Case{"&response_mode=query&response_mode=query",
                "invalid_request: response_mode is repeated"},
       }) {
    SCOPED_TRACE(c.more);
    EXPECT_EQ(outcome(query(c.more)), c.expected);
  }
  EXPECT_EQ(read(query("&state=1&state=2")).return_to.state, std::nullopt);
  EXPECT_EQ(read(query("&state=1&scope=a&scope=b")).return_to.state, "1");
  EXPECT_EQ(read(query("&state=1&response_mode=form_post&response_mode=query")).return_to.mode,
            ResponseMode::Query);
}

TEST_F(AuthorizationRequestTest, OauthA1RefusesTooManyParameters) {
  std::string filler;
  for (std::size_t i = 0; i < text::Form::kMaxFields; ++i) filler += "&a";
  EXPECT_EQ(outcome(query(filler + "&client_id=other")), "page: there are too many parameters");
}

TEST_F(AuthorizationRequestTest, OauthA2ShowsTheUserWhyARedirectIsUnsafe) {
  struct Case {
    std::string_view name, query, expected;
  };
  const std::string id = "response_type=code&client_id=app-1&redirect_uri=";
  for (const auto& [name, text, expected] : {
           Case{"nothing", "", "page: client_id is missing"},
           Case{"no client", "response_type=code", "page: client_id is missing"},
           Case{"an unknown client", "client_id=app-2", "page: client_id names no application"},
           Case{"no redirect URI", "client_id=app-1", "page: redirect_uri is missing"},
           Case{"a client first", "redirect_uri=x", "page: client_id is missing"},
       }) {
    SCOPED_TRACE(name);
    EXPECT_EQ(outcome(text), expected);
  }
  const Case uris[] = {
      {"a word", "callback", "page: redirect_uri: it is not an absolute URI"},
      {"scheme", "http://client.example/cb",
       "page: redirect_uri: the scheme differs from the registered one"},
      {"host", "https://evil.example/cb",
       "page: redirect_uri: the host differs from the registered one"},
      {"port", "https://client.example:1/cb",
       "page: redirect_uri: the port differs from the registered one"},
      {"path", "https://client.example/cb/",
       "page: redirect_uri: the path differs from the registered one"},
      {"fragment", "https://client.example/cb#a",
       "page: redirect_uri: it has a fragment, the part from # on"},
      {"userinfo", "https://client.example@evil.example/cb",
       "page: redirect_uri: it has a user name or password before the host"},
      {"the answer's", "https://client.example/cb?code=1",
       "page: redirect_uri: an extra parameter is called code, which is a parameter of the answer"},
      {"line ends", "https://client.example/cb?a=\r\nb",
       "page: redirect_uri: it has characters that no URI has"},
  };
  for (const Case& c : uris) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(outcome(id + text::percent_encode(c.query)), c.expected);
  }
  EXPECT_EQ(outcome(id + std::string(kEncoded) + "%3Fa%3D" + std::string(2048, 'x')),
            "page: redirect_uri: it is longer than 2048 bytes");
}

TEST_F(AuthorizationRequestTest, OauthA2ReadsTheStoreOnlyForValidClientIds) {
  for (const std::string& id : {std::string("%00"), std::string("a:b"), std::string("a%20b"),
                                std::string("%ff"), std::string(65, 'a')}) {
    EXPECT_EQ(outcome("client_id=" + id), "page: client_id names no application");
  }
  EXPECT_EQ(clients_.asked, 0);
  EXPECT_EQ(outcome("client_id=" + std::string(64, 'a')), "page: client_id names no application");
  EXPECT_EQ(clients_.asked, 1);
}

TEST_F(AuthorizationRequestTest, OauthA2RedirectErrorsComeBeforeAllOthers) {
  EXPECT_EQ(outcome("client_id=app-1&redirect_uri=https%3A%2F%2Fevil.example%2Fcb&response_type="
                    "token&scope=x&state=1&state=2&response_mode=fragment"),
            "page: redirect_uri: the host differs from the registered one");
}

TEST_F(AuthorizationRequestTest, OauthA3SendsOtherErrorsToTheApplication) {
  const std::string base = "client_id=app-1&redirect_uri=" + std::string(kEncoded);
  const std::string code = base + "&response_type=code";
  struct Case {
    std::string_view name;
    std::string query;
    std::string_view expected;
  };
  for (const Case& c : {
           Case{"no type", base, "invalid_request: response_type is missing"},
           Case{"token", base + "&response_type=token",
                "unsupported_response_type: response_type must be code"},
           Case{"two types", base + "&response_type=code+id_token",
                "unsupported_response_type: response_type must be code"},
           Case{"upper-case type", base + "&response_type=CODE",
                "unsupported_response_type: response_type must be code"},
           Case{"an unknown scope", code + "&scope=media:write",
                "invalid_scope: scope contains an unknown scope"},
           Case{"an unknown scope beside a known", code + "&scope=media:read+openid",
                "invalid_scope: scope contains an unknown scope"},
           Case{"scopes with a comma", code + "&scope=media:read,stats:read",
                "invalid_scope: scope contains an unknown scope"},
           Case{"only a space", code + "&scope=+", "invalid_scope: scope names none"},
           Case{"wider", code + "&scope=media:read+media:upload",
                "invalid_scope: scope contains a scope that the application is not registered for"},
           Case{"everything", code + "&scope=all:all",
                "invalid_scope: scope contains a scope that the application is not registered for"},
           Case{"a mode of the implicit flow", code + "&response_mode=fragment",
                "invalid_request: response_mode must be query or form_post"},
           Case{"the type before the scope", base + "&response_type=x&scope=x",
                "unsupported_response_type: response_type must be code"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(outcome(c.query), c.expected);
    EXPECT_EQ(read(c.query).return_to.redirect_uri, kUri);
  }
}

TEST_F(AuthorizationRequestTest, OauthA4NarrowsScopesAndNeverWidensThem) {
  EXPECT_EQ(read(query("&scope=media:read")).scopes, scopes({"media:read"}));
  EXPECT_EQ(read(query("&scope=stats:read%20media:read")).scopes, example_client().scopes);
  EXPECT_EQ(read(query("&scope=media:read+media:read")).scopes, scopes({"media:read"}));
}

TEST_F(AuthorizationRequestTest, OauthA4KeepsEveryByteOfTheState) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(read(query("&state=" + text::percent_encode(all))).return_to.state, all);
  EXPECT_EQ(read(query("&state=%zz+%2")).return_to.state, "%zz %2");
  EXPECT_EQ(read(query("&state=" + std::string(8000, 's'))).return_to.state,
            std::string(8000, 's'));
}

TEST_F(AuthorizationRequestTest, OauthA4RefusesAStateThatAFormWouldChange) {
  for (const std::string_view state : {"a%0Ab", "%00", "a%0D", "%FF", "%7F"}) {
    const auto request = read(query("&response_mode=form_post&state=" + std::string(state)));
    ASSERT_TRUE(request.error) << state;
    EXPECT_EQ(request.error->code, "invalid_request");
    EXPECT_EQ(request.return_to.state, std::nullopt);
  }
  EXPECT_EQ(read(query("&response_mode=form_post&state=%C3%A9+%22%3C")).return_to.state, "é \"<");
}

TEST_F(AuthorizationRequestTest, OauthA4AcceptsOnlyS256Challenges) {
  const std::string good = "&code_challenge=" + std::string(kChallenge);
  constexpr std::string_view kMethod = "invalid_request: code_challenge_method must be S256";
  constexpr std::string_view kForm =
      "invalid_request: code_challenge must be 43 to 128 unreserved characters";
  struct Case {
    std::string_view name;
    std::string more;
    std::string_view expected;
  };
  for (const Case& c : {
           Case{"S256", good + "&code_challenge_method=S256", "right"},
           Case{"the longest",
                "&code_challenge_method=S256&code_challenge=" + std::string(128, '~'), "right"},
           Case{"without a method, which means plain", good, kMethod},
           Case{"plain", good + "&code_challenge_method=plain", kMethod},
           Case{"another case", good + "&code_challenge_method=s256", kMethod},
           Case{"too short", "&code_challenge_method=S256&code_challenge=" + std::string(42, 'a'),
                kForm},
           Case{"too long", "&code_challenge_method=S256&code_challenge=" + std::string(129, 'a'),
                kForm},
           Case{"padding", good.substr(0, good.size() - 1) + "%3D&code_challenge_method=S256",
                kForm},
           Case{"a plus sign", good.substr(0, good.size() - 1) + "%2B&code_challenge_method=S256",
                kForm},
           Case{"a method alone", "&code_challenge_method=S256",
                "invalid_request: code_challenge_method is there without code_challenge"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(outcome(query(c.more)), c.expected);
  }
  clients_.at("app-1").require_pkce = true;
  EXPECT_EQ(outcome(query("")),
            "invalid_request: code_challenge is missing, and this application must send one");
  EXPECT_EQ(outcome(query(good + "&code_challenge_method=S256")), "right");
}

TEST_F(AuthorizationRequestTest, OauthU2AppliesTheExactRedirectSettingOfTheApplication) {
  const std::string more =
      "client_id=app-1&response_type=code&redirect_uri=" + std::string(kEncoded) + "%3Fmy%3D1";
  EXPECT_EQ(outcome(more), "right");
  clients_.at("app-1").exact_redirect = true;
  EXPECT_EQ(outcome(more),
            "page: redirect_uri: the query differs from the registered one, and this application "
            "is set to allow no extra parameters");
  EXPECT_EQ(outcome(query("")), "right");
}

}  // namespace
}  // namespace svc::oauth
