#include "redis/clients.h"

#include <gtest/gtest.h>

#include "base/entropy.h"
#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"

namespace svc {
namespace {

class Clients : public testing::Test {
 protected:
  const oauth::ClientId id_{"app-1"};
  integration::RedisServer server_;
  fakes::ManualClock clock_;
  redis::Connection connection_{server_.settings(), clock_};
  redis::Clients clients_{connection_};
};

TEST_F(Clients, FindsAClientAsItWasKept) {
  oauth::Client client;
  client.id = id_;
  client.account = {1001};
  client.name = "An app";
  client.redirect_uri = "https://app.example/cb";
  client.scopes.add("media:read");
  client.scope_format = oauth::ScopeFormat::String;
  client.created = "2026-01-05T09:00:00Z";
  client.secrets.push_back({"k1:00", "11"});
  server_.command({"SET", "oauth:client:app-1", oauth::to_record(client)});
  const auto found = clients_.find_client(id_);
  ASSERT_TRUE(found);
  EXPECT_EQ(oauth::to_record(*found), oauth::to_record(client));
  EXPECT_FALSE(clients_.find_client({"app-2"}));
}

// What was read of a record is kept only for as long as the record is the same.
TEST_F(Clients, FindsAClientAsItIsNow) {
  oauth::Client client;
  client.id = id_;
  client.account = {1001};
  client.name = "An app";
  client.redirect_uri = "https://app.example/cb";
  client.scopes.add("media:read");
  client.created = "2026-01-05T09:00:00Z";
  client.secrets.push_back({"k1:00", "11"});
  server_.command({"SET", "oauth:client:app-1", oauth::to_record(client)});
  EXPECT_EQ(clients_.find_client(id_)->name, "An app");
  client.name = "Another";
  client.secrets.front().mac = "22";
  server_.command({"SET", "oauth:client:app-1", oauth::to_record(client)});
  connection_.settle();
  EXPECT_EQ(oauth::to_record(*clients_.find_client(id_)), oauth::to_record(client));
  server_.command({"DEL", "oauth:client:app-1"});
  connection_.settle();
  EXPECT_FALSE(clients_.find_client(id_));
}

TEST_F(Clients, ADamagedRecordIsAnOutage) {
  server_.command({"SET", "oauth:client:app-1", "{"});
  EXPECT_THROW(clients_.find_client(id_), base::Unavailable);
}

TEST_F(Clients, T6CountsGuessesOfEachClientAtEachAddressForAMinute) {
  EXPECT_EQ(clients_.guesses(id_, "192.0.2.1"), 0);
  for (int i = 0; i < 3; ++i) clients_.count_guess(id_, "192.0.2.1");
  clients_.count_guess(id_, "2001:db8::1");
  connection_.settle();
  EXPECT_EQ(clients_.guesses(id_, "192.0.2.1"), 3);
  EXPECT_EQ(clients_.guesses(id_, "2001:db8::1"), 1);
  EXPECT_EQ(clients_.guesses({"app-2"}, "192.0.2.1"), 0);
  const std::int64_t left = server_.command({"TTL", "oauth:guess:app-1:192.0.2.1"}).integer();
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 60);
}

// They were all told how many there were before any of them was answered.
TEST_F(Clients, T6CountsGuessesOfOneRoundOneByOne) {
  for (int i = 0; i < 5; ++i) {
    clients_.expect_guesses(id_, "192.0.2.1");
    EXPECT_EQ(clients_.guesses(id_, "192.0.2.1"), i);
    clients_.count_guess(id_, "192.0.2.1");
  }
}

// A guess begins no minute anew: nobody is held up for longer than that.
TEST_F(Clients, T6TheMinuteBeginsWithTheFirstGuess) {
  clients_.count_guess(id_, "192.0.2.1");
  server_.command({"EXPIRE", "oauth:guess:app-1:192.0.2.1", "5"});
  clients_.count_guess(id_, "192.0.2.1");
  EXPECT_LE(server_.command({"TTL", "oauth:guess:app-1:192.0.2.1"}).integer(), 5);
}

}  // namespace
}  // namespace svc
