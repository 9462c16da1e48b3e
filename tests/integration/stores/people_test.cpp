#include "stores/catalog/people.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/password_hashes.h"
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
    store_.run(stores::store_password_hash(store_.redis(), contact.id, contact.password_hash));
    server_.command(
        {"SET", stores::keys::contact_email(contact.email), std::to_string(contact.id.value())});
  }
  std::string hash() { return server_.text({"GET", "catalog:password:501"}); }
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
  EXPECT_EQ(found - start, 3);
  EXPECT_EQ(commands() - found, 3);
}

TEST_F(People, ReplaceAHashOnlyIfItIsUnchanged) {
  const std::string expected = record();
  EXPECT_TRUE(store_.run(people_.set_password_hash({501}, kPeopleHash, kOther)));
  EXPECT_EQ(hash(), kOther);
  EXPECT_FALSE(store_.run(people_.set_password_hash({501}, kPeopleHash, "scrypt$x")))
      << "another was faster";
  EXPECT_FALSE(store_.run(people_.set_password_hash({501}, "", "scrypt$x")));
  EXPECT_FALSE(store_.run(people_.set_password_hash({501}, "x", "scrypt$x")))
      << "a name is no hash";
  EXPECT_FALSE(store_.run(people_.set_password_hash({999}, kPeopleHash, kOther)));
  EXPECT_EQ(hash(), kOther);
  EXPECT_EQ(record(), expected);
}

TEST_F(People, OperationsD48TheGrantPoolReadsNoHash) {
  stores::People of_grant(store_.redis(), stores::People::Hashes::Hidden);
  EXPECT_EQ(store_.run(people_.find_contact(media::ContactId{501}))->password_hash, kPeopleHash);
  EXPECT_EQ(store_.run(of_grant.find_contact(media::ContactId{501}))->password_hash, "");
  EXPECT_EQ(record().find(kPeopleHash), std::string::npos) << record();
}

// In every order of members; a later version's members stay.
TEST_F(People, OperationsD48ReadAndMoveTheHashOfAnEarlierVersion) {
  const std::string member = R"("password_hash":")" + std::string(kPeopleHash) + '"';
  const std::string without = record();
  std::string first = without;
  std::string last = without;
  first.insert(1, member + ",");
  last.insert(last.size() - 1, R"(,"later":{"a":1},)" + member);
  for (const std::string& earlier : {first, last}) {
    SCOPED_TRACE(earlier);
    server_.command({"SET", "catalog:contact:501", earlier});
    server_.command({"DEL", "catalog:password:501"});
    EXPECT_EQ(store_.run(people_.find_contact(media::ContactId{501}))->password_hash, kPeopleHash);
    EXPECT_TRUE(store_.run(people_.set_password_hash({501}, kPeopleHash, kOther)));
    EXPECT_EQ(hash(), kOther);
    std::string moved = earlier;
    const std::size_t at = moved.find(member);
    moved.erase(earlier == first ? at : at - 1, member.size() + 1);
    EXPECT_EQ(record(), moved);
    // If a backup restores the old record, the newer hash is used.
    server_.command({"SET", "catalog:contact:501", earlier});
    EXPECT_EQ(store_.run(people_.find_contact(media::ContactId{501}))->password_hash, kOther);
    EXPECT_TRUE(store_.run(stores::move_password_hash(store_.redis(), {501})));
    EXPECT_EQ(hash(), kOther);
  }
}

// A user, its address and its password change in one step.
TEST_F(People, OperationsD70OneOfSimultaneousWritersGetsAnEmailAddress) {
  using Written = stores::CatalogRegistry::Written;
  stores::CatalogRegistry registry(store_.redis());
  std::vector<media::Contact> many(64);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].id = {static_cast<std::int64_t>(601 + i)};
    many[i].name = "Nina";
    many[i].email = "nina@acme.example";
    many[i].memberships = {{{1001}, media::Role::User}};
  }
  std::vector<loop::Task<Written>> tasks;
  for (const media::Contact& one : many)
    tasks.push_back(registry.write_contact(one, "", "", kPeopleHash));
  const auto outcomes = store_.run(loop::all(std::move(tasks)));
  EXPECT_EQ(std::ranges::count(outcomes, Written::Done), 1);
  EXPECT_EQ(std::ranges::count(outcomes, Written::EmailTaken), 63);
  EXPECT_EQ(server_.command({"KEYS", "catalog:contact:6*"}).size(), 1u);
  EXPECT_EQ(server_.command({"KEYS", "catalog:password:6*"}).size(), 1u);
}

TEST_F(People, OperationsD70AnAddressMovesWithItsRecord) {
  using Written = stores::CatalogRegistry::Written;
  stores::CatalogRegistry registry(store_.redis());
  media::Contact contact = *store_.run(people_.find_contact(media::ContactId{501}));
  const std::string former = contact.email;
  const std::string before = record();
  contact.email = "new@acme.example";
  const auto write = [&](std::string_view read) {
    return store_.run(registry.write_contact(contact, read, former, std::nullopt));
  };
  EXPECT_EQ(write("{}"), Written::Changed);
  EXPECT_TRUE(store_.run(people_.find_contact(former)));
  EXPECT_EQ(write(before), Written::Done);
  EXPECT_EQ(write(before), Written::Done) << "sent again";
  EXPECT_FALSE(store_.run(people_.find_contact(former)));
  EXPECT_TRUE(store_.run(people_.find_contact("new@acme.example")));
  EXPECT_EQ(server_.command({"EXISTS", stores::keys::contact_email(former)}).integer(), 0);
}

}  // namespace
}  // namespace svc
