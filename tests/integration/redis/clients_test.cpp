#include "redis/clients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/entropy.h"
#include "base/unavailable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"

namespace svc {
namespace {

class Clients : public testing::Test {
 protected:
  std::optional<oauth::Client> find(const oauth::ClientId& id) {
    return store_.run(clients_.find_client(id));
  }
  std::int64_t guesses(const oauth::ClientId& id, std::string_view address) {
    return store_.run(clients_.guesses(id, address));
  }
  void count_guess(std::string_view address) { store_.run(clients_.count_guess(id_, address)); }

  const oauth::ClientId id_{"app-1"};
  integration::RedisServer server_;
  integration::Store store_{server_};
  redis::Clients clients_{store_.redis()};
};

// A parsed record is cached only while the stored record is unchanged.
TEST_F(Clients, FindsAChangedClient) {
  oauth::Client client;
  client.id = id_;
  client.account = {1001};
  client.name = "An app";
  client.redirect_uri = "https://app.example/cb";
  client.scopes.add("media:read");
  client.created = "2026-01-05T09:00:00Z";
  client.secrets.push_back({"k1:00", "11"});
  server_.command({"SET", "oauth:client:app-1", oauth::to_record(client)});
  EXPECT_EQ(find(id_)->name, "An app");
  client.name = "Another";
  client.secrets.front().mac = "22";
  server_.command({"SET", "oauth:client:app-1", oauth::to_record(client)});
  EXPECT_EQ(oauth::to_record(*find(id_)), oauth::to_record(client));
  server_.command({"DEL", "oauth:client:app-1"});
  EXPECT_FALSE(find(id_));
}

// Further guesses do not restart the minute, so a client is throttled for at
// most a minute.
TEST_F(Clients, OauthT6TheMinuteBeginsWithTheFirstGuess) {
  count_guess("192.0.2.1");
  server_.command({"EXPIRE", "oauth:guess:app-1:192.0.2.1", "5"});
  count_guess("192.0.2.1");
  EXPECT_LE(server_.command({"TTL", "oauth:guess:app-1:192.0.2.1"}).integer(), 5);
}

}  // namespace
}  // namespace svc
