// oauth.md, Token endpoint.
#include <gtest/gtest.h>

#include <set>

#include "rules/oauth/application.h"
#include "text/uri.h"

namespace svc::rules::tokens {
namespace {

using TokenEndpoint = WithApplication;

const std::string kForm = "application/x-www-form-urlencoded";
const std::string kCredentials =
    "client_id=demo-client-0001&client_secret=demo-secret-0001-not-for-production";
const std::string kBasic =
    "Basic ZGVtby1jbGllbnQtMDAwMTpkZW1vLXNlY3JldC0wMDAxLW5vdC1mb3ItcHJvZHVjdGlvbg==";
constexpr const char* kEndpoints[] = {kTokenPath, kRevokePath, kIntrospectPath};
// RFC 7636, appendix B.
const std::string kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const std::string kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

Ask token(const std::string& body, const std::string& query = "", const std::string& basic = "",
          const std::string& type = kForm) {
  Ask ask = Ask("POST /oauth/token" + (query.empty() ? "" : "?" + query)).with_body(body);
  if (!body.empty()) ask.headers["Content-Type"] = type;
  if (!basic.empty()) ask.headers["Authorization"] = basic;
  return ask;
}

// --- requests ---

TEST_F(TokenEndpoint, OauthT1OauthT3ParametersAreInQueryBodyOrBasic) {
  const std::string rest =
      "grant_type=refresh_token&scope=media%3Aread&refresh_token=" + new_tokens().refresh;
  const std::string exchange =
      "grant_type=authorization_code&redirect_uri=" + text::percent_encode(kRedirectUri) +
      "&code=" + new_code();
  expect({
      {"all in the query", token("", kCredentials + "&" + rest), 200},
      {"all in the body", token(kCredentials + "&" + rest), 200},
      {"Basic and a body", token(rest, "", kBasic), 200},
      {"Basic and a query", token("", rest, kBasic), 200},
      {"Basic and the same client_id", token("client_id=demo-client-0001&" + rest, "", kBasic),
       200},
      {"the same in the query", token(rest, "client_id=demo-client-0001", kBasic), 200},
      {"empty ones beside Basic", token("client_id=&client_secret=&" + rest, "", kBasic), 200},
      {"credentials in the body", token(kCredentials, rest), 200},
      {"an empty one elsewhere", token(kCredentials + "&code=", rest + "&scope=&grant_type"), 200},
      {"unknown ones, twice", token(kCredentials + "&other=1&other=2&" + rest, "other=3"), 200},
      {"escapes",
       token("%63lient_id=demo%2Dclient-0001&client_secret=demo-secret-0001-not-for-"
             "productio%6E&" +
             rest),
       200},
      {"a code in the query", token("", kCredentials + "&" + exchange), 200},
  });
}

TEST_F(TokenEndpoint, OauthT1NoParameterIsRepeated) {
  for (const std::string name :
       {"grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier",
        "refresh_token", "scope", "token", "token_type_hint"}) {
    const std::string one = name + "=x";
    const std::string says = "the parameter " + name + " is repeated";
    expect({
        {"in the query", token("", one + "&" + one), 400, "", {"invalid_request", says}},
        {"in the body", token(one + "&" + one), 400, "", {"invalid_request", says}},
        {"in both", token(one, one), 400, "", {"invalid_request", says}},
        {"escaped",
         token(one, text::percent_encode(name.substr(0, 1)) + name.substr(1) + "=y"),
         400,
         "",
         {"invalid_request", says}},
    });
  }
  std::string many;
  for (int i = 0; i < 4096; ++i) many += "a&";
  expect({{"too many", token(many + kCredentials), 400, "", {"there are too many parameters"}}});
}

TEST_F(TokenEndpoint, OauthT1OneWayOfClientAuthentication) {
  const std::string two = "there are two ways of client authentication";
  const std::string differs = "the parameter client_id differs from the Basic credentials";
  expect({
      {"a secret in the body", token("client_secret=x", "", kBasic), 400, "", {two}},
      {"a secret in the query", token("", "client_secret=x", kBasic), 400, "", {two}},
      {"the same twice", token(kCredentials, "", kBasic), 400, "", {two}},
      {"another id", token("client_id=other", "", kBasic), 400, "", {differs}},
      {"another case", token("", "client_id=Demo-client-0001", kBasic), 400, "", {differs}},
      {"none", token("grant_type=refresh_token&refresh_token=x"), 401, "", {"invalid_client"}},
  });
}

TEST_F(TokenEndpoint, OauthT1AnApplicationMayRefuseItsSecretInTheQuery) {
  import_other(R"("refuse_query_credentials": true)");
  const std::string wrong = "client_id=every-scope-0001&client_secret=x";
  const std::string right = "client_id=every-scope-0001&client_secret=every-secret-0001";
  const std::string rest = "grant_type=refresh_token&refresh_token=x";
  expect({
      {"in the query", token(rest, right), 400, "", {"\"invalid_request\""}},
      {"a wrong one", token(rest, wrong), 401, "", {"\"invalid_client\""}},
      {"in the body", token(right, rest), 400, "", {"\"invalid_grant\""}},
  });
}

TEST_F(TokenEndpoint, OauthT1TheBodyIsAForm) {
  const std::string right =
      kCredentials + "&grant_type=refresh_token&refresh_token=" + new_tokens().refresh;
  for (const std::string type :
       {"application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded",
        "application/x-www-form-urlencoded; charset=UTF-8",
        "application/x-www-form-urlencoded ;charset=UTF-8"})
    expect({{type, token(right, "", "", type), 200}});
  for (const std::string type :
       {"application/json", "text/plain", "multipart/form-data; boundary=x",
        "application/x-www-form-urlencodedx", "", ";"})
    expect({{type, token(right, "", "", type), 415, "", {"\"invalid_request\""}}});
  expect({
      {"JSON beside a query", token("{}", right, "", "application/json"), 415},
      {"no body", token("", right).with("Content-Type", "application/json"), 200},
  });
}

TEST_F(TokenEndpoint, OauthT2BasicIsStrictBase64OfTwoFormEncodedHalves) {
  stores().import(R"({"kind": "application", "client_id": "app", "client_secret": "a:b c+d",)"
                  R"("account_id": 1001, "name": "A", "redirect_uri": "https://a.example/",)"
                  R"("scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"})");
  const std::string no_base64 = "the Basic credentials are not base64 of client_id:client_secret";
  const std::string no_basic = "the Authorization header must be of the scheme Basic";
  const auto row = [](std::string name, const std::string& header, const std::string& says) {
    const bool right = says == "invalid_grant";
    return Row{std::move(name),
               token("grant_type=refresh_token&refresh_token=x", "", header),
               right ? 400 : 401,
               "application/json",
               {right ? "invalid_grant" : "invalid_client", says}};
  };
  expect({
      row("split at the first colon", "Basic YXBwOmE6YitjJTJCZA==", "invalid_grant"),
      row("both halves encoded", "Basic JTYxcHA6YSUzQWIlMjBjJTJCZA==", "invalid_grant"),
      row("in capitals", "BASIC YXBwOmE6YitjJTJCZA==", "invalid_grant"),
      row("in small letters", "basic YXBwOmE6YitjJTJCZA==", "invalid_grant"),
      row("two spaces", "Basic  YXBwOmE6YitjJTJCZA==", "invalid_grant"),
      row("not encoded: a plus is a space", "Basic YXBwOmE6YiBjK2Q=", ""),
      row("no secret", "Basic YXBwOg==", "needs"),
      row("no id", "Basic OnNlY3JldA==", "needs"),
      row("no colon", "Basic YXBw", no_base64),
      row("padding left out", "Basic YXBwOmE6YitjJTJCZA", no_base64),
      row("one padding of two", "Basic YXBwOmE6YitjJTJCZA=", no_base64),
      row("bits left over", "Basic YXBwOmE6YitjJTJCZB==", no_base64),
      row("another alphabet", "Basic YXBwOj8_Pz4-", no_base64),
      row("something behind", "Basic YXBwOmE6YitjJTJCZA== ", no_base64),
      row("a space within", "Basic YXBw OmE6YitjJTJCZA==", no_base64),
      row("nothing", "Basic ", no_base64),
      row("the scheme alone", "Basic", no_basic),
      row("no space", "BasicYXBwOmE6YitjJTJCZA==", no_basic),
      row("another scheme", "Bearer YXBwOmE6YitjJTJCZA==", no_basic),
  });
}

// --- responses ---

TEST_F(TokenEndpoint, OauthT4AResponseIsCompleteAndItsScopeHasTheFormatOfTheApplication) {
  import_other(R"("scope_format": "string")");
  const Answer array = exchange(new_code());
  const Answer text = exchange(new_code(kOtherAsks), kOtherExchanges);
  for (const auto& [answer, scope] :
       {std::pair{array, R"(["media:read","stats:read"])"},
        std::pair{text, R"("all:all all:read media:read stats:read media:upload")"}}) {
    const Tokens tokens = tokens_of(answer);
    EXPECT_EQ(answer.body, R"({"access_token":")" + tokens.access +
                               R"(","token_type":"bearer","expires_in":21600,"refresh_token":")" +
                               tokens.refresh + R"(","scope":)" + scope + "}");
    EXPECT_TRUE(tokens.access.starts_with("svca_") && tokens.refresh.starts_with("svcr_"));
  }
}

TEST_F(TokenEndpoint, OauthT5EveryResponseIsJsonThatNoCacheKeeps) {
  const std::string code = new_code();
  std::vector<Answer> answers{exchange(code), exchange("x")};
  for (const char* path : kEndpoints) {
    answers.push_back(post(path, {{"token", "x"}, {"grant_type", "refresh_token"}}));
    answers.push_back(post(path, {{"client_secret", "x"}}));
    answers.push_back(post(path, {{"client_id", "-"}, {"client_secret", "-"}}));
    answers.push_back(ask(
        Ask(std::string("POST ") + path).with("Content-Type", "application/json").with_body("{}")));
    for (const char* method : {"GET ", "PUT "}) {
      answers.push_back(ask(std::string(method) + path));
      EXPECT_EQ(answers.back().header("Allow"),
                path == std::string(kIntrospectPath) ? "POST" : "POST, OPTIONS");
    }
  }
  std::set<int> statuses;
  for (const Answer& answer : answers) {
    statuses.insert(answer.status);
    EXPECT_EQ(answer.type, "application/json") << answer.status;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store") << answer.status;
    EXPECT_EQ(answer.header("Pragma"), "no-cache") << answer.status;
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "none") << answer.status;
    EXPECT_EQ(answer.header("WWW-Authenticate"),
              answer.status == 401 ? R"(Basic realm="svc", charset="UTF-8")" : "none");
  }
  EXPECT_EQ(statuses, (std::set{200, 400, 401, 405, 415}));
}

TEST_F(TokenEndpoint, OauthT6EachMistakeHasItsError) {
  const std::string refresh = new_tokens().refresh;
  struct Case {
    std::string_view name, body, outcome;
    bool authenticated = true;
  };
  for (const Case& c : {
           Case{"nothing", "", "400 invalid_request", false},
           Case{"no grant_type", "", "400 invalid_request"},
           Case{"another", "grant_type=password", "400 unsupported_grant_type"},
           Case{"in capitals", "grant_type=Refresh_token", "400 unsupported_grant_type"},
           Case{"no client", "grant_type=refresh_token&refresh_token=x", "401 invalid_client",
                false},
           Case{"no secret", "grant_type=refresh_token&client_id=demo-client-0001",
                "401 invalid_client", false},
           Case{"no code", "grant_type=authorization_code&redirect_uri=x", "400 invalid_request"},
           Case{"no redirect_uri", "grant_type=authorization_code&code=x", "400 invalid_request"},
           Case{"no refresh token", "grant_type=refresh_token", "400 invalid_request"},
           Case{"an unknown code", "grant_type=authorization_code&redirect_uri=x&code=x",
                "400 invalid_grant"},
           Case{"an unknown token", "grant_type=refresh_token&refresh_token=x",
                "400 invalid_grant"},
       }) {
    const std::string body =
        (c.authenticated ? kCredentials + "&" : std::string()) + std::string(c.body);
    EXPECT_EQ(outcome(ask(token(body))), c.outcome) << c.name;
  }
}

TEST_F(TokenEndpoint, OauthT6AClientHasItsOwnSecretsOnly) {
  site_.request_id = "request-1";
  std::set<std::string> words;
  for (const auto& [id, secret] : std::initializer_list<std::pair<std::string, std::string>>{
           {kClient, "demo-secret-0002-not-for-production"},
           {kClient, "demo-secret-0001-not-for-productio"},
           {kClient, std::string(kSecret) + " "},
           {kClient, ""},
           {"", kSecret},
           {"", ""},
           {"Demo-client-0001", kSecret},
           {"nobody", kSecret},
           {"a/b:c*", "x"},
           {"a\r\nb", "x"},
           {std::string(65, 'a'), "x"}}) {
    const Answer answer = post(kRevokePath, {{"client_id", id}, {"client_secret", secret}});
    EXPECT_EQ(outcome(answer), "401 invalid_client") << id << " " << secret;
    EXPECT_TRUE(answer.has(R"("request_id":"request-1"})")) << answer.body;
    if (!id.empty() && !secret.empty()) words.insert(answer.body);
  }
  EXPECT_EQ(words.size(), 1u) << "unknown clients and wrong secrets are told alike";
}

TEST_F(TokenEndpoint, OauthT6WrongSecretsAreThrottledPerClientAndAddress) {
  const std::string code = new_code();
  const auto guess = [&] { return refresh("x", {{"client_secret", "guess"}}); };
  for (int i = 0; i < 30; ++i) post(kRevokePath, {{"token", "x"}});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(guess().status, 401) << i << ": right ones do not count";
  for (const char* path : kEndpoints) {
    const Answer answer = post(path, {{"client_secret", "guess"}, {"grant_type", "refresh_token"}});
    EXPECT_EQ(outcome(answer), "429 temporarily_unavailable");
    EXPECT_EQ(answer.header("Retry-After"), "60");
  }
  EXPECT_EQ(exchange(code).status, 429) << "or a guess that is right would be told";
  EXPECT_EQ(post(kRevokePath, {{"client_id", "demo-client-0002"},
                               {"client_secret", "demo-secret-0002-not-for-production"},
                               {"token", "x"}})
                .status,
            200);
  // A network of IPv6 is one address, or each of its 2^64 would have its own 20.
  for (int i = 0; i < 20; ++i) {
    site_.address = "2001:db8:1:2::" + std::to_string(i);
    EXPECT_EQ(guess().status, 401) << i;
  }
  site_.address = "2001:db8:1:2:ffff::1";
  EXPECT_EQ(guess().status, 429);
  site_.address = "2001:db8:1:3::1";
  EXPECT_EQ(exchange(code).status, 200);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(post(kRevokePath, {{"client_id", "nobody"}}).status, 401) << i;
}

TEST_F(TokenEndpoint, OauthT6TheMinuteBeginsWithTheFirstWrongSecret) {
  refresh("x", {{"client_secret", "guess"}});
  const std::string key = keys("oauth:guess:*").at(0);
  stores().command({"EXPIRE", key, "5"});
  refresh("x", {{"client_secret", "guess"}});
  EXPECT_LE(stores().command({"TTL", key}).integer(), 5);
}

// A parsed record is kept only while the stored record is unchanged.
TEST_F(TokenEndpoint, OauthT4AChangedApplicationIsSeenImmediately) {
  const std::string key = "oauth:client:demo-client-0001";
  const Tokens tokens = new_tokens();
  EXPECT_TRUE(refresh(tokens.refresh).has(R"("scope":["media:read")"));
  stores().edit(key, R"("array")", R"("string")");
  EXPECT_TRUE(refresh(tokens.refresh).has(R"("scope":"media:read stats:read")"));
  stores().command({"DEL", key});
  EXPECT_EQ(outcome(refresh(tokens.refresh)), "401 invalid_client");
}

TEST_F(TokenEndpoint, OauthT6EveryBadGrantHasOneWording) {
  const std::string code = new_code();
  const std::string spent = new_code();
  exchange(spent);
  const Ask::Fields other{{"client_id", "demo-client-0002"},
                          {"client_secret", "demo-secret-0002-not-for-production"}};
  std::set<std::string> words;
  for (const Answer& answer :
       {exchange("unknown"), exchange(code, other), exchange(code, {{"redirect_uri", "https://x"}}),
        exchange(code, {{"code_verifier", kVerifier}}), exchange(spent), refresh("unknown")}) {
    EXPECT_EQ(answer.status, 400);
    words.insert(answer.body.substr(0, answer.body.find(R"("request_id")")));
  }
  ASSERT_EQ(words.size(), 1u);
  for (const char c : *words.begin()) EXPECT_TRUE(c >= 0x20 && c <= 0x7e && c != '\\');
}

TEST_F(TokenEndpoint, ErrorsDoNotRepeatTheRequest) {
  const std::string secret = "verysecretword";
  for (const Answer& answer :
       {post("/oauth/token", {{"grant_type", secret}}), refresh("x", {{"client_id", secret}}),
        refresh(secret), exchange(secret, {{"redirect_uri", secret}}),
        refresh(new_tokens().refresh, {{"scope", secret}})}) {
    EXPECT_GE(answer.status, 400);
    EXPECT_FALSE(answer.has(secret)) << answer.body;
  }
}

// --- an unavailable store ---

class OauthWithoutStore : public Rules {
 protected:
  OauthWithoutStore() : Rules({"--redis-state=unix:///nonexistent/redis.sock"}) {}
};

TEST_F(OauthWithoutStore, OauthT6AnOutageIsA503AndNeverARefusal) {
  const std::string unknown = "svca_" + std::string(96, 'a');
  std::vector<Ask> asked{Ask("/v1/account?access_token=" + unknown),
                         Ask("DELETE /v1/medias/l4unchf1lm?access_token=" + unknown),
                         Ask("POST /v1/medias?access_token=" + unknown).with_body("x"),
                         Ask("/oauth/authorize?client_id=demo-client-0001&redirect_uri=x")};
  for (const char* path : kEndpoints)
    asked.push_back(Ask(std::string("POST ") + path)
                        .with_form({{"client_id", "demo-client-0001"},
                                    {"client_secret", "demo-secret-0001-not-for-production"},
                                    {"grant_type", "refresh_token"},
                                    {"refresh_token", "svcr_" + std::string(96, 'a')},
                                    {"token", unknown}}));
  for (const Ask& one : asked) {
    const Answer answer = ask(one);
    EXPECT_EQ(answer.status, 503) << one.target;
    EXPECT_EQ(answer.header("Retry-After"), "1") << one.target;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store") << one.target;
    EXPECT_FALSE(answer.has("invalid")) << answer.body;
  }
}

// As if a part of the store were unavailable: the record cannot be read.
TEST_F(TokenEndpoint, OauthT6AWrongClientIsRefusedAlsoWhileItsGrantCannotBeRead) {
  const std::string code = new_code();
  for (const std::string& key : keys("oauth:code:*")) {
    stores().command({"DEL", key});
    stores().command({"SET", key, "no hash"});
  }
  EXPECT_EQ(exchange(code).status, 503);
  EXPECT_EQ(outcome(exchange(code, {{"client_secret", "x"}})), "401 invalid_client");
  EXPECT_EQ(outcome(exchange(code, {{"redirect_uri", "-"}})), "400 invalid_request");
  const Tokens tokens = new_tokens();
  for (const std::string& key : keys("oauth:grant:*")) {
    stores().command({"DEL", key});
    stores().command({"SET", key, "no hash"});
  }
  for (const Answer& answer :
       {refresh(tokens.refresh), introspect(tokens.access), revoke(tokens.access)})
    EXPECT_EQ(answer.status, 503) << answer.body;
  const Ask::Fields wrong{{"client_secret", "x"}, {"token", tokens.access}};
  for (const Answer& answer :
       {refresh(tokens.refresh, wrong), post(kIntrospectPath, wrong), post(kRevokePath, wrong)})
    EXPECT_EQ(outcome(answer), "401 invalid_client");
}

TEST_F(TokenEndpoint, OauthT8AFullStoreDoesNotSpendTheCode) {
  const std::string code = new_code();
  stores().command({"CONFIG", "SET", "maxmemory", "1"});
  const Answer full = exchange(code);
  stores().command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(exchange(code).status, 200);
}

// --- codes ---

TEST_F(TokenEndpoint, OauthT7OauthU4OauthT9OnlyACompleteProofSpendsTheCode) {
  const std::string uri = std::string(kRedirectUri) + "?tenant=1";
  const Ask::Fields asked{{"redirect_uri", uri}};
  const std::string code = new_code(asked);
  const auto changed = [&](std::size_t at) {
    std::string text = code;
    text[at] = text[at] == 'a' ? 'b' : 'a';
    return text;
  };
  const Ask::Fields other{{"client_id", "demo-client-0002"},
                          {"client_secret", "demo-secret-0002-not-for-production"},
                          {"redirect_uri", uri}};
  for (const std::string& text : {std::string("abc"), changed(10), changed(40), code + "0"})
    EXPECT_EQ(outcome(exchange(text, asked)), "400 invalid_grant") << text;
  EXPECT_EQ(outcome(exchange(code, other)), "400 invalid_grant");
  for (const std::string& one :
       {std::string(kRedirectUri), uri + "&", std::string(kRedirectUri) + "?tenant=2",
        std::string("HTTP://127.0.0.1:9090/callback?tenant=1"),
        std::string("http://127.0.0.1:9091/callback?tenant=1"),
        std::string(kRedirectUri) + "?tenant=%31", std::string(kRedirectUri) + "/?tenant=1"})
    EXPECT_EQ(outcome(exchange(code, {{"redirect_uri", one}})), "400 invalid_grant") << one;
  EXPECT_EQ(outcome(exchange(code, {{"redirect_uri", uri}, {"code_verifier", kVerifier}})),
            "400 invalid_grant")
      << "a verifier without a challenge";
  EXPECT_EQ(exchange(code, asked).status, 200);

  const std::string challenged =
      new_code({{"code_challenge", kChallenge}, {"code_challenge_method", "S256"}});
  for (const std::string& verifier :
       {std::string("-"), kVerifier + "A", kVerifier.substr(0, 42), kVerifier.substr(0, 42) + "j",
        kChallenge, kVerifier + "=", " " + kVerifier, std::string(43, 'A')}) {
    EXPECT_EQ(outcome(exchange(challenged, {{"code_verifier", verifier}})), "400 invalid_grant")
        << verifier;
  }
  EXPECT_EQ(exchange(challenged, {{"code_verifier", kVerifier}}).status, 200);
}

TEST_F(TokenEndpoint, OauthA7ACodeEndsAfterAMinute) {
  const std::string late = new_code();
  site_.pass(59);
  EXPECT_EQ(exchange(new_code()).status, 200);
  site_.pass(1);
  EXPECT_EQ(outcome(exchange(late)), "400 invalid_grant");
}

TEST_F(TokenEndpoint, OauthA47AGrantHasTwentyLiveCodesAndTheOldestEnds) {
  const std::string spent = new_code();
  const Tokens tokens = tokens_of(exchange(spent));
  std::vector<std::string> codes;
  for (int i = 0; i < 25; ++i) codes.push_back(new_code());
  EXPECT_EQ(keys("oauth:code:*").size(), 21u);
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_EQ(exchange(codes[i]).status, i < 5 ? 400 : 200) << i;
  EXPECT_TRUE(lives(tokens.access));
  EXPECT_EQ(outcome(exchange(spent)), "400 invalid_grant");
  EXPECT_FALSE(lives(tokens.access)) << "a spent code stays, so that its second use is known";
}

TEST_F(TokenEndpoint, OauthT8OauthL6TheSecondUseOfACodeEndsTheGrantWithItsConsent) {
  const Tokens older = new_tokens();
  const std::string code = new_code();
  const Tokens first = tokens_of(exchange(code));
  const Tokens refreshed = tokens_of(refresh(first.refresh));
  const std::string waiting = new_code();
  EXPECT_EQ(outcome(exchange(code)), "400 invalid_grant");
  for (const std::string& access : {older.access, first.access, refreshed.access})
    EXPECT_FALSE(lives(access));
  for (const std::string& token : {older.refresh, first.refresh})
    EXPECT_EQ(outcome(refresh(token)), "400 invalid_grant");
  EXPECT_EQ(outcome(exchange(waiting)), "400 invalid_grant");
  EXPECT_EQ(stores().events("code.replayed 501 the grant was ended"), 1u);
  // Only once: a third use does not affect a new consent.
  EXPECT_EQ(browser_.ask(authorize()).status, 200) << "the contact is asked again";
  const Tokens anew = new_tokens();
  const std::size_t recorded = stores().events().size();
  EXPECT_EQ(outcome(exchange(code)), "400 invalid_grant");
  EXPECT_TRUE(lives(anew.access));
  EXPECT_EQ(stores().events().size(), recorded);
}

TEST_F(TokenEndpoint, OauthT8ASpentCodeIsKnownForTenMinutes) {
  const std::string code = new_code();
  exchange(code);
  const std::int64_t left = stores().command({"TTL", keys("oauth:code:*").at(0)}).integer();
  EXPECT_TRUE(left > 60 && left <= 600) << left;
  site_.pass(599);
  const Tokens tokens = new_tokens();
  EXPECT_EQ(exchange(code).status, 400);
  EXPECT_FALSE(lives(tokens.access));
}

TEST_F(TokenEndpoint, OauthT8ARepetitionByNginxReplacesTheTokensThatNoClientHas) {
  const std::string code = new_code();
  site_.request_id = "same";
  const Tokens first = tokens_of(exchange(code));
  site_.pass(70);  // also when the code has expired in the meantime
  const Tokens second = tokens_of(exchange(code));
  EXPECT_FALSE(lives(first.access));
  EXPECT_EQ(outcome(refresh(first.refresh)), "400 invalid_grant");
  EXPECT_TRUE(lives(second.access));
  // Nor does it replace tokens that were issued after a revocation.
  revoke(second.refresh);
  site_.request_id = "another";
  const Tokens later = new_tokens();
  site_.request_id = "same";
  EXPECT_EQ(exchange(code).status, 200);
  EXPECT_TRUE(lives(later.access));
  EXPECT_EQ(events("code.replayed"), 0u);
}

// --- refresh ---

TEST_F(TokenEndpoint, OauthT10ARefreshKeepsTheRefreshTokenAndOlderAccessTokens) {
  const Tokens tokens = new_tokens();
  const Tokens second = tokens_of(refresh(tokens.refresh));
  const Tokens third = tokens_of(refresh(tokens.refresh));
  EXPECT_EQ(second.refresh, tokens.refresh);
  EXPECT_EQ(third.refresh, tokens.refresh);
  EXPECT_EQ((std::set{tokens.access, second.access, third.access}.size()), 3u);
  for (const std::string& access : {tokens.access, second.access, third.access})
    EXPECT_TRUE(lives(access));
}

TEST_F(TokenEndpoint, OauthT10RefreshesThoughRedisForgotScriptsOrAccessTokens) {
  const std::string code = new_code();
  stores().command({"SCRIPT", "FLUSH"});
  const Tokens tokens = tokens_of(exchange(code));
  stores().command({"SCRIPT", "FLUSH"});
  const std::string access = keys("oauth:access:*").at(0);
  stores().command({"DEL", access});
  const Tokens anew = tokens_of(refresh(tokens.refresh));
  EXPECT_TRUE(lives(anew.access));
  EXPECT_FALSE(lives(tokens.access));
  EXPECT_GT(stores().command({"TTL", access}).integer(), 21'600);
  stores().command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(revoke(tokens.refresh).status, 200);
  EXPECT_FALSE(lives(anew.access));
}

TEST_F(TokenEndpoint, OauthT10ScopesMayNarrowAndNeverWiden) {
  const Tokens tokens = new_tokens();
  struct Case {
    std::string_view scope, outcome;
  };
  for (const Case& c : {
           Case{"-", "media:read stats:read"}, Case{"", "media:read stats:read"},
           Case{"media:read", "media:read"}, Case{"stats:read media:read", "media:read stats:read"},
           Case{"media:read media:read", "media:read"}, Case{"media:upload", "400 invalid_scope"},
           Case{"media:read media:upload", "400 invalid_scope"},
           Case{"all:all", "400 invalid_scope"}, Case{"all:read", "400 invalid_scope"},
           Case{"unknown", "400 invalid_scope"}, Case{"media:read,stats:read", "400 invalid_scope"},
           Case{" ", "400 invalid_scope"}, Case{"openid offline_access", "media:read stats:read"},
           Case{"openid stats:read", "stats:read"},
           Case{"-", "media:read stats:read"},  // to narrow once narrows nothing later
       }) {
    const Answer answer = refresh(tokens.refresh, {{"scope", std::string(c.scope)}});
    const std::string access = member_of(answer, "access_token");
    EXPECT_EQ(access.empty() ? outcome(answer) : member_of(introspect(access), "scope"), c.outcome)
        << c.scope;
  }
}

TEST_F(TokenEndpoint, OauthT10RefreshesWithTheLastRefreshTokenOfThisClientOnly) {
  const Tokens tokens = new_tokens();
  const std::string code = new_code();
  const Ask::Fields other{{"client_id", "demo-client-0002"},
                          {"client_secret", "demo-secret-0002-not-for-production"}};
  EXPECT_EQ(outcome(refresh(tokens.refresh, other)), "400 invalid_grant");
  Ask::Fields wider = other;
  wider.emplace_back("scope", "all:all");
  EXPECT_EQ(outcome(refresh(tokens.refresh, wider)), "400 invalid_grant")
      << "another's scopes are not told";
  for (const std::string& text :
       {tokens.access, code, std::string("abc"), "svcr_" + code.substr(5)})
    EXPECT_EQ(outcome(refresh(text)), "400 invalid_grant") << text;
  EXPECT_EQ(refresh(tokens.refresh).status, 200) << "a new code alone replaces nothing";
  const Tokens anew = tokens_of(exchange(code));
  EXPECT_EQ(outcome(refresh(tokens.refresh)), "400 invalid_grant");
  EXPECT_TRUE(lives(tokens.access));
  EXPECT_EQ(refresh(anew.refresh).status, 200);
}

TEST_F(TokenEndpoint, OauthT10ARefreshTokenEndsAfterSixtyIdleDays) {
  const std::int64_t idle = 60 * 86'400;
  const Tokens tokens = new_tokens();
  site_.pass(idle - 1);
  EXPECT_EQ(refresh(tokens.refresh).status, 200);
  site_.pass(idle - 1);
  EXPECT_EQ(refresh(tokens.refresh).status, 200) << "its use began the time anew";
  site_.pass(idle);
  EXPECT_EQ(outcome(refresh(tokens.refresh)), "400 invalid_grant");
}

class TokenLifetimes : public WithApplication {
 protected:
  TokenLifetimes()
      : WithApplication({"--access-token-lifetime=120", "--refresh-token-idle=0",
                         "--access-tokens-per-grant=3"}) {}
};

TEST_F(TokenLifetimes, OauthT10OauthT11AreConfigurable) {
  const Answer answer = exchange(new_code());
  const Tokens tokens = tokens_of(answer);
  EXPECT_EQ(member_of(answer, "expires_in"), "120");
  EXPECT_EQ(member_of(introspect(tokens.refresh), "exp"), "") << "never";
  site_.pass(119);
  EXPECT_TRUE(lives(tokens.access));
  site_.pass(1);
  EXPECT_FALSE(lives(tokens.access));
  site_.pass(9 * 365 * 86'400);
  EXPECT_EQ(refresh(tokens.refresh).status, 200);
}

TEST_F(TokenLifetimes, OauthK4TheOldestAccessTokensEndAboveTheLimit) {
  const Tokens tokens = new_tokens();
  std::vector<std::string> all{tokens.access};
  for (int i = 0; i < 7; ++i) all.push_back(tokens_of(refresh(tokens.refresh)).access);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(lives(all[i]), i >= all.size() - 3) << i;
  EXPECT_EQ(stores().command({"XLEN", keys("oauth:access:*").at(0)}).integer(), 3);
}

TEST_F(TokenLifetimes, OauthK4EveryKeyHasATimeToLive) {
  const std::set<std::string> before = [&] {
    const std::vector<std::string> all = keys("*");
    return std::set(all.begin(), all.end());
  }();
  const auto expect_ends = [&] {
    std::size_t count = 0;
    for (const std::string& key : keys("*")) {
      if (before.contains(key) || key.starts_with("audit:")) continue;
      EXPECT_GT(stores().command({"TTL", key}).integer(), 0) << key;
      ++count;
    }
    return count;
  };
  const Tokens tokens = new_tokens();
  const std::string code = new_code();
  refresh(tokens.refresh);
  EXPECT_TRUE(lives(tokens.access));
  post("/oauth/token", {{"client_secret", "x"}});
  EXPECT_GE(expect_ends(), 9u);
  const auto grant = keys("oauth:grant:*").at(0);
  EXPECT_GE(stores().command({"TTL", grant}).integer(),
            stores().command({"TTL", keys("oauth:refresh:*").at(0)}).integer());
  revoke(tokens.access);
  expect_ends();
}

TEST_F(TokenEndpoint, OauthT11AnAccessTokenEndsAfterSixHours) {
  const std::string access = new_tokens().access;
  site_.pass(21'599);
  EXPECT_TRUE(lives(access));
  site_.pass(1);
  EXPECT_FALSE(lives(access));
}

}  // namespace
}  // namespace svc::rules::tokens
