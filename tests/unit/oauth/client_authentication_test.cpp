#include "oauth/client_authentication.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/fixed_entropy.h"
#include "fakes/memory_tokens.h"

namespace svc::oauth {
namespace {

class ClientAuthenticationTest : public testing::Test {
 protected:
  ClientAuthenticationTest() {
    for (const char* id : {"app", "other"}) {
      Client client;
      client.id = {id};
      client.secrets.push_back(
          keep_secret(keys_, client.id, "secret of " + client.id.value(), entropy_));
      clients_.add(client);
    }
    clients_.at("app").secrets.push_back(keep_secret(keys_, {"app"}, "the older one", entropy_));
    Client without;
    without.id = {"without"};
    clients_.add(without);
  }

  std::string run(std::string id, std::string secret, std::string_view address = "192.0.2.1",
                  bool in_query = false) {
    TokenRequest request;
    request.client_id = std::move(id);
    request.client_secret = std::move(secret);
    request.secret_in_query = in_query;
    const auto client = fakes::now(authentication_.run(request, address));
    if (client) return "is " + client->id.value();
    if (client.error().code == GrantError::Code::TooManyFailures) return "wait";
    return std::string(name_of(client.error().code));
  }

  const base::KeyRing keys_ = std::move(*base::KeyRing::parse("k1:" + std::string(64, 'a')));
  fakes::FixedEntropy entropy_;
  fakes::MemoryClients clients_;
  fakes::CountedGuesses guesses_;
  ClientAuthentication authentication_{clients_, guesses_, keys_};
};

TEST_F(ClientAuthenticationTest, OauthT6AcceptsOnlyTheClientsOwnSecrets) {
  EXPECT_EQ(run("app", "secret of app"), "is app");
  EXPECT_EQ(run("app", "the older one"), "is app") << "two live while one is rotated";
  for (const auto& [id, secret] : {std::pair{"app", "secret of other"},
                                   {"app", "secret of ap"},
                                   {"app", "secret of app "},
                                   {"app", ""},
                                   {"", "secret of app"},
                                   {"", ""},
                                   {"App", "secret of app"},
                                   {"nobody", "secret of app"},
                                   {"without", "x"},
                                   {"without", ""},
                                   {"a/b:c*", "x"},
                                   {"a\r\nb", "x"}}) {
    EXPECT_EQ(run(id, secret), "invalid_client") << id << " " << secret;
  }
  EXPECT_EQ(run(std::string(65, 'a'), "x"), "invalid_client");
}

TEST_F(ClientAuthenticationTest, OauthT6RespondsAlikeForUnknownClientsAndWrongSecrets) {
  const auto words = [&](const std::string& id) {
    TokenRequest request;
    request.client_id = id;
    request.client_secret = "guess";
    return fakes::now(authentication_.run(request, "192.0.2.1")).error().description;
  };
  EXPECT_EQ(words("app"), words("nobody"));
  EXPECT_EQ(words("app"), words("no/id"));
}

TEST_F(ClientAuthenticationTest, OauthT6ThrottlesAfterTwentyWrongSecretsPerClientAndAddress) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run("app", "guess"), "invalid_client") << i;
  EXPECT_EQ(run("app", "guess"), "wait");
  EXPECT_EQ(run("app", "secret of app"), "wait") << "or a guess that is right would be told";
  EXPECT_EQ(run("app", "secret of app", "192.0.2.2"), "is app");
  EXPECT_EQ(run("other", "secret of other"), "is other");
  EXPECT_EQ(guesses_.counts["app 192.0.2.1"], 20) << "who waits is not counted";
}

// Without this, each of the 2^64 addresses of a network would have its own 20
// guesses.
TEST_F(ClientAuthenticationTest, OauthT6CountsAnIpv6NetworkAsOneAddress) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(run("app", "guess", "2001:db8:1:2::" + std::to_string(i)), "invalid_client") << i;
  EXPECT_EQ(run("app", "guess", "2001:db8:1:2:ffff::1"), "wait");
  EXPECT_EQ(run("app", "secret of app", "2001:db8:1:3::1"), "is app");
}

TEST_F(ClientAuthenticationTest, OauthT6CountsOnlyWrongSecretsOfKnownClients) {
  for (int i = 0; i < 30; ++i) EXPECT_EQ(run("app", "secret of app"), "is app");
  for (int i = 0; i < 30; ++i) EXPECT_EQ(run("nobody", "guess"), "invalid_client");
  EXPECT_EQ(guesses_.counts["app 192.0.2.1"], 0);
  EXPECT_EQ(guesses_.counts["nobody 192.0.2.1"], 0);
}

TEST_F(ClientAuthenticationTest, OauthT1AClientMayRefuseItsSecretInTheQuery) {
  EXPECT_EQ(run("app", "secret of app", "192.0.2.1", true), "is app");
  clients_.at("app").refuse_query_credentials = true;
  EXPECT_EQ(run("app", "secret of app", "192.0.2.1", true), "invalid_request");
  EXPECT_EQ(run("app", "guess", "192.0.2.1", true), "invalid_client");
  EXPECT_EQ(run("app", "secret of app"), "is app");
}

TEST_F(ClientAuthenticationTest, OauthT6AnOutageIsNotAWrongSecret) {
  clients_.away = true;
  EXPECT_THROW(run("app", "secret of app"), base::Unavailable);
}

}  // namespace
}  // namespace svc::oauth
