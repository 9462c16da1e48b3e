#include "stores/people.h"

#include <gtest/gtest.h>

#include <string>

#include "base/unavailable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/keys.h"

namespace svc {
namespace {

const std::string kPeopleHash =
    "scrypt$14$8$5$" + std::string(32, 'a') + "$" + std::string(64, 'b');
const std::string kOther =
    "$argon2id$v=19$m=19456,t=2,p=1$+" + std::string(21, 'A') + "$" + std::string(42, '/') + "8";

class People : public testing::Test {
 protected:
  void SetUp() override {
    media::Contact olivia;
    olivia.id = {501};
    olivia.name = R"(Olivia "password_hash":"x")";
    olivia.email = "Olivia@acme.example";
    olivia.password_hash = kPeopleHash;
    olivia.memberships = {{{1001}, media::Role::Owner}};
    keep(olivia);
    for (const std::int64_t id : {1001, 1002}) {
      media::Account account;
      account.id = {id};
      account.name = "Account " + std::to_string(id);
      account.host = "acme.example";
      account.url = "https://acme.example";
      server_.command({"SET", stores::keys::account(account.id), to_record(account)});
    }
  }
  void keep(const media::Contact& contact) {
    server_.command({"SET", stores::keys::contact(contact.id), to_record(contact)});
    server_.command(
        {"SET", stores::keys::contact_email(contact.email), std::to_string(contact.id.value())});
  }
  std::string record() { return server_.text({"GET", "catalog:contact:501"}); }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::People people_{store_.redis()};
};

// Counts commands to the store: on a busy machine, a duration would prove
// little.
TEST_F(People, LookupsOfUnknownEmailsTakeTheSameCommands) {
  const auto commands = [&] {
    const std::string info = server_.text({"INFO", "commandstats"});
    const std::size_t at = info.find("cmdstat_get:calls=");
    return at == std::string::npos ? 0 : std::stoi(info.substr(at + 18));
  };
  const int start = commands();
  store_.run(people_.find_contact("olivia@acme.example"));
  const int found = commands();
  store_.run(people_.find_contact("nobody@acme.example"));
  EXPECT_EQ(found - start, 2);
  EXPECT_EQ(commands() - found, 2);
}

TEST_F(People, ReplaceAHashOnlyIfItIsUnchanged) {
  std::string expected = record();
  expected.replace(expected.find(kPeopleHash), kPeopleHash.size(), kOther);
  EXPECT_TRUE(store_.run(people_.set_password_hash({501}, kPeopleHash, kOther)));
  EXPECT_EQ(record(), expected) << "nothing else changes";
  EXPECT_FALSE(store_.run(people_.set_password_hash({501}, kPeopleHash, "scrypt$x")))
      << "another was faster";
  EXPECT_FALSE(store_.run(people_.set_password_hash({501}, "", "scrypt$x")));
  EXPECT_FALSE(store_.run(people_.set_password_hash({501}, "x", "scrypt$x")))
      << "a name is no hash";
  EXPECT_FALSE(store_.run(people_.set_password_hash({999}, kPeopleHash, kOther)));
  EXPECT_EQ(record(), expected);
}

TEST_F(People, KeepTheFieldsOfANewerVersion) {
  std::string newer = record();
  newer.insert(newer.size() - 1, R"(,"later":{"a":1})");
  server_.command({"SET", "catalog:contact:501", newer});
  ASSERT_TRUE(store_.run(people_.set_password_hash({501}, kPeopleHash, kOther)));
  EXPECT_NE(record().find(R"("later":{"a":1})"), std::string::npos);
}

}  // namespace
}  // namespace svc
