// The number of round trips to the store per request of an application.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "endpoints/introspect.h"
#include "endpoints/revoke.h"
#include "endpoints/token.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "integration/trips.h"
#include "loop/all.h"
#include "oauth/bearer.h"
#include "redis/audit.h"
#include "redis/clients.h"
#include "redis/grants.h"
#include "redis/standings.h"

namespace svc {
namespace {

using oauth::Token;
using oauth::TokenKind;

class OauthTrips : public testing::Test {
 protected:
  OauthTrips() {
    oauth::Client client;
    client.id = {"app"};
    client.account = {1001};
    client.name = "An app";
    client.redirect_uri = "https://app.example/cb";
    client.scopes.add("media:read");
    client.created = "2026-01-05T09:00:00Z";
    client.secrets.push_back(oauth::keep_secret(keys_, client.id, "secret", entropy_));
    server_.command({"SET", "oauth:client:app", oauth::to_record(client)});
    server_.command({"SET", "catalog:contact:7",
                     R"({"id":7,"name":"N","email":"n@example.com",)"
                     R"("memberships":[{"account_id":1001,"role":"owner"}]})"});
    server_.command({"SET", "catalog:account:1001",
                     R"({"id":1001,"name":"A","host":"a.example","url":"https://a.example",)"
                     R"("oauth_enabled":true})"});
    // Afterwards Redis knows the scripts, and the grant was used a moment ago.
    const std::string first = exchanged().body;
    EXPECT_EQ(ask(introspect_, "token=" + member(first, "access_token")).status, 200);
  }

  static redis::ConnectionSettings observed(redis::ConnectionSettings settings,
                                            redis::TripObserver& observer) {
    settings.observer = &observer;
    return settings;
  }
  static std::string member(const std::string& body, const std::string& name) {
    const std::string start = "\"" + name + "\":\"";
    const std::size_t at = body.find(start);
    EXPECT_NE(at, std::string::npos) << body;
    return body.substr(at + start.size(), body.find('"', at + start.size()) - at - start.size());
  }

  Token issued_code() {
    const oauth::GrantId grant = oauth::GrantId::of({7}, {1001}, {"app"});
    const Token code = Token::mint(TokenKind::Code, grant, entropy_, oauth::Holder{{7}, {1001}});
    oauth::AuthorizationCode record;
    record.issued.client = {"app"};
    record.issued.contact = {7};
    record.issued.account = {1001};
    record.issued.scopes = *oauth::ScopeSet::parse("media:read");
    record.redirect_uri = "https://app.example/cb";
    store_.run(grants_.issue_code(code, record, true, 1));
    return code;
  }
  // Sends a request of the client with its secret; trips_.count is the number
  // of its round trips.
  http::Response ask(http::Endpoint& endpoint, const std::string& parameters) {
    const std::string body = "client_id=app&client_secret=secret&" + parameters;
    http::Request request;
    request.method = "POST";
    request.content_type = "application/x-www-form-urlencoded";
    request.body = body;
    const std::string id = "request-" + std::to_string(++requests_);
    request.request_id = id;
    request.remote_address = "192.0.2.1";
    trips_.count = 0;
    return store_.run(endpoint.answer(request));
  }
  http::Response exchanged() {
    return ask(token_,
               "grant_type=authorization_code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
               "&code=" +
                   issued_code().text);
  }

  integration::RedisServer server_;
  fakes::ManualWallClock clock_;
  base::SystemEntropy entropy_;
  integration::Trips trips_;
  integration::Store store_{observed(server_.settings(), trips_)};
  const base::KeyRing keys_ = std::move(*base::KeyRing::parse("k1:" + std::string(64, 'a')));
  const oauth::Limits limits_;
  redis::Clients clients_{store_.redis()};
  redis::Grants grants_{store_.redis(), keys_, limits_, clock_, entropy_};
  redis::Standings standings_{store_.redis()};
  redis::Audit audit_{store_.redis()};
  oauth::ClientAuthentication authentication_{clients_, clients_, keys_};
  oauth::AuthorizationCodeHandler code_handler_{grants_, standings_, audit_, limits_, entropy_};
  oauth::RefreshTokenHandler refresh_handler_{grants_, standings_, limits_, entropy_};
  endpoints::Token token_{authentication_, code_handler_, refresh_handler_};
  endpoints::Revoke revoke_{authentication_, grants_, audit_};
  endpoints::Introspect introspect_{authentication_, grants_, standings_, "https://issuer.example"};
  int requests_ = 0;
};

TEST_F(OauthTrips, AnExchangeAndARefreshTakeTwoEach) {
  const http::Response exchange = exchanged();
  ASSERT_EQ(exchange.status, 200) << exchange.body;
  EXPECT_EQ(trips_.count, 2);
  const http::Response refreshed = ask(
      token_, "grant_type=refresh_token&refresh_token=" + member(exchange.body, "refresh_token"));
  ASSERT_EQ(refreshed.status, 200) << refreshed.body;
  EXPECT_EQ(trips_.count, 2);
}

TEST_F(OauthTrips, ATokenCheckTakesOne) {
  const std::string access = member(exchanged().body, "access_token");
  const oauth::ScopeSet wanted = *oauth::ScopeSet::parse("media:read");
  trips_.count = 0;
  EXPECT_TRUE(store_.run(oauth::check_bearer(grants_, standings_, access, wanted)));
  EXPECT_EQ(trips_.count, 1);
  const http::Response introspected = ask(introspect_, "token=" + access);
  EXPECT_TRUE(introspected.body.starts_with(R"({"active":true)")) << introspected.body;
  EXPECT_EQ(trips_.count, 1);
  EXPECT_EQ(ask(revoke_, "token=unknown").status, 200);
  EXPECT_EQ(trips_.count, 1);
}

TEST_F(OauthTrips, ManySimultaneousChecksTakeOne) {
  const std::string access = member(exchanged().body, "access_token");
  const oauth::ScopeSet wanted = *oauth::ScopeSet::parse("media:read");
  trips_.count = 0;
  std::vector<loop::Task<base::Result<oauth::Issued, oauth::BearerError>>> checks;
  for (int i = 0; i < 50; ++i)
    checks.push_back(oauth::check_bearer(grants_, standings_, access, wanted));
  const auto all = store_.run(loop::all(std::move(checks)));
  for (const auto& one : all) EXPECT_TRUE(one);
  EXPECT_EQ(trips_.count, 1);
}

// Each request gets the response that it would get alone.
TEST_F(OauthTrips, ManySimultaneousRefreshesTakeTwoAndGetOwnTokens) {
  const std::string refresh = member(exchanged().body, "refresh_token");
  const std::string body =
      "client_id=app&client_secret=secret&grant_type=refresh_token&refresh_token=" + refresh;
  http::Request request;
  request.method = "POST";
  request.content_type = "application/x-www-form-urlencoded";
  request.body = body;
  request.remote_address = "192.0.2.1";
  trips_.count = 0;
  std::vector<loop::Task<http::Response>> answers;
  for (int i = 0; i < 50; ++i) answers.push_back(token_.answer(request));
  const auto all = store_.run(loop::all(std::move(answers)));
  EXPECT_EQ(trips_.count, 2);
  std::set<std::string> tokens;
  for (const http::Response& one : all) {
    ASSERT_EQ(one.status, 200) << one.body;
    tokens.insert(member(one.body, "access_token"));
  }
  EXPECT_EQ(tokens.size(), all.size());
  for (const std::string& token : tokens)
    EXPECT_TRUE(ask(introspect_, "token=" + token).body.starts_with(R"({"active":true)"));
}

// A wrong secret is refused on its own and does not affect the other requests.
TEST_F(OauthTrips, OauthT6AWrongSecretDoesNotAffectSimultaneousRequests) {
  const std::string refresh = member(exchanged().body, "refresh_token");
  std::vector<std::string> bodies;
  for (int i = 0; i < 40; ++i) {
    bodies.push_back("client_id=app&grant_type=refresh_token&refresh_token=" + refresh +
                     "&client_secret=" + (i % 4 == 0 ? "wrong" : "secret"));
  }
  std::vector<http::Request> requests(bodies.size());
  std::vector<loop::Task<http::Response>> answers;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    requests[i].method = "POST";
    requests[i].content_type = "application/x-www-form-urlencoded";
    requests[i].body = bodies[i];
    requests[i].remote_address = "192.0.2.1";
    answers.push_back(token_.answer(requests[i]));
  }
  const auto all = store_.run(loop::all(std::move(answers)));
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].status, i % 4 == 0 ? 401 : 200) << i;
}

}  // namespace
}  // namespace svc
