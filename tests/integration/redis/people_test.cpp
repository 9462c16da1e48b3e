#include "redis/people.h"

#include <gtest/gtest.h>

#include <string>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "redis/keys.h"

namespace svc {
namespace {

const std::string kHash = "scrypt$14$8$5$" + std::string(32, 'a') + "$" + std::string(64, 'b');
const std::string kOther = "scrypt$14$8$5$" + std::string(32, 'c') + "$" + std::string(64, 'd');

class People : public testing::Test {
 protected:
  void SetUp() override {
    media::Contact olivia;
    olivia.id = {501};
    olivia.name = R"(Olivia "password_hash":"x")";
    olivia.email = "Olivia@acme.example";
    olivia.password_hash = kHash;
    olivia.memberships = {{{1001}, media::Role::Owner}};
    keep(olivia);
    for (const std::int64_t id : {1001, 1002}) {
      media::Account account;
      account.id = {id};
      account.name = "Account " + std::to_string(id);
      account.host = "acme.example";
      account.url = "https://acme.example";
      server_.command({"SET", redis::keys::account(account.id), to_record(account)});
    }
  }
  void keep(const media::Contact& contact) {
    server_.command({"SET", redis::keys::contact(contact.id), to_record(contact)});
    server_.command(
        {"SET", redis::keys::contact_email(contact.email), std::to_string(contact.id.number)});
  }
  std::string record() { return server_.text({"GET", "catalog:contact:501"}); }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
  redis::Connection connection_{server_.settings(), clock_};
  redis::People people_{connection_};
};

TEST_F(People, AreFoundByIdAndByEmailWithoutCase) {
  EXPECT_EQ(people_.find_contact(media::ContactId{501})->email, "Olivia@acme.example");
  EXPECT_EQ(people_.find_contact("oLIVIA@ACME.example")->id, media::ContactId{501});
  EXPECT_FALSE(people_.find_contact(media::ContactId{502}));
  EXPECT_FALSE(people_.find_contact("nobody@acme.example"));
  EXPECT_FALSE(people_.find_contact(""));
}

TEST_F(People, AreNotFoundByAnEmailThatTheyHadOnce) {
  server_.command({"SET", "catalog:contact_email:old@acme.example", "501"});
  EXPECT_FALSE(people_.find_contact("old@acme.example"));
  server_.command({"SET", "catalog:contact_email:gone@acme.example", "999"});
  EXPECT_FALSE(people_.find_contact("gone@acme.example"));
}

// Not the time, which says nothing on a busy machine: what is asked of the store.
TEST_F(People, L3AreAsMuchWorkToMissAsToFind) {
  const auto commands = [&] {
    const std::string info = server_.text({"INFO", "commandstats"});
    const std::size_t at = info.find("cmdstat_get:calls=");
    return at == std::string::npos ? 0 : std::stoi(info.substr(at + 18));
  };
  const int start = commands();
  people_.find_contact("olivia@acme.example");
  const int found = commands();
  connection_.settle();
  people_.find_contact("nobody@acme.example");
  EXPECT_EQ(found - start, 2);
  EXPECT_EQ(commands() - found, 2);
}

TEST_F(People, HaveAccountsInTheOrderAsked) {
  EXPECT_EQ(people_.find_account({1001})->name, "Account 1001");
  EXPECT_FALSE(people_.find_account({1003}));
  const auto accounts = people_.find_accounts({{1002}, {1003}, {1001}});
  ASSERT_EQ(accounts.size(), 2u);
  EXPECT_EQ(accounts[0].id, media::AccountId{1002});
  EXPECT_EQ(accounts[1].id, media::AccountId{1001});
  EXPECT_TRUE(people_.find_accounts({}).empty());
}

TEST_F(People, L3KeepANewHashInPlaceOfTheOneThatWasSeen) {
  std::string expected = record();
  expected.replace(expected.find(kHash), kHash.size(), kOther);
  EXPECT_TRUE(people_.set_password_hash({501}, kHash, kOther));
  EXPECT_EQ(record(), expected) << "nothing else changes";
  EXPECT_FALSE(people_.set_password_hash({501}, kHash, "scrypt$x")) << "another was faster";
  EXPECT_FALSE(people_.set_password_hash({501}, "", "scrypt$x"));
  EXPECT_FALSE(people_.set_password_hash({501}, "x", "scrypt$x")) << "a name is no hash";
  EXPECT_FALSE(people_.set_password_hash({999}, kHash, kOther));
  EXPECT_EQ(record(), expected);
}

TEST_F(People, L3KeepWhatOnlyANewerWorkerKnows) {
  std::string newer = record();
  newer.insert(newer.size() - 1, R"(,"later":{"a":1})");
  server_.command({"SET", "catalog:contact:501", newer});
  ASSERT_TRUE(people_.set_password_hash({501}, kHash, kOther));
  EXPECT_NE(record().find(R"("later":{"a":1})"), std::string::npos);
}

TEST_F(People, AreUnavailableWhenTheyCannotBeRead) {
  server_.command({"SET", "catalog:contact:501", "nonsense"});
  EXPECT_THROW(people_.find_contact("olivia@acme.example"), base::Unavailable);
  server_.stop();
  EXPECT_THROW(people_.find_account({1001}), base::Unavailable);
}

}  // namespace
}  // namespace svc
