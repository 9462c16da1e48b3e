#include "ctl/import/write.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/password_hash.h"
#include "base/unavailable.h"
#include "integration/ctl/import/fixture.h"
#include "oauth/applications.h"
#include "oauth/client.h"
#include "redis/client_registry.h"

namespace svc {
namespace {

using integration::account_line;
using integration::application_line;
using integration::dangling;
using integration::joined;
using integration::media_line;
using integration::playlist_line;
using integration::project_line;
using integration::user_line;

using Dump = std::map<std::string, std::string>;

class ImportWrite : public integration::ImportFixture {
 protected:
  // The breaker answers for a store that was just lost, for some milliseconds.
  void wait_for_the_store() {
    for (int tries = 0; tries < 1000; ++tries) {
      try {
        store_.run(store_.redis.read({"PING"}));
        return;
      } catch (const base::Unavailable&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    ADD_FAILURE() << "the store does not come back";
  }

  oauth::Client client(const std::string& id) {
    text::json::Document document;
    const std::string value = server_.text({"GET", "oauth:client:" + id});
    text::JsonRecord record(*document.parse(value));
    return *oauth::client_from_record(record);
  }
  std::string password_hash(int id) {
    text::json::Document document;
    const std::string value = server_.text({"GET", "catalog:contact:" + std::to_string(id)});
    const auto hash = document.parse(value)->find("password_hash");
    return hash ? std::string(*hash->string()) : "";
  }
};

// More than any batch holds.
constexpr int kOfEach = 1100;
constexpr int kFilms = 2 * kOfEach;

// kOfEach lines of every kind without secrets, which cost time; lines come before those they refer
// to.
std::vector<std::string> large_catalog(const std::string& name = "Film") {
  std::vector<std::string> lines;
  for (int i = 0; i < kOfEach; ++i) {
    const std::string id = std::to_string(i);
    lines.push_back(
        playlist_line("l" + id, 1 + i % kOfEach, {"m" + id, "m" + std::to_string(kFilms - 1 - i)}));
  }
  for (int i = 0; i < kFilms; ++i) {
    const std::string id = std::to_string(i);
    lines.push_back(media_line("m" + id, 1 + i % kOfEach, "p" + std::to_string(i % kOfEach), name));
  }
  for (int i = 0; i < kOfEach; ++i) lines.push_back(project_line("p" + std::to_string(i), 1 + i));
  for (int i = 0; i < kOfEach; ++i) {
    lines.push_back(user_line(i + 1, "u" + std::to_string(i) + "@b.example", 1 + i));
  }
  for (int i = 0; i < kOfEach; ++i) lines.push_back(account_line(1 + i));
  return lines;
}

// The same in reverse: every line comes after those it refers to.
std::vector<std::string> large_catalog_in_order() {
  std::vector<std::string> lines = large_catalog();
  std::reverse(lines.begin(), lines.end());
  return lines;
}

TEST_F(ImportWrite, WritesEveryKindUnderItsKey) {
  ASSERT_TRUE(write({playlist_line("l", 1, {"m"}), media_line("m", 1, "p"), project_line("p", 1),
                     user_line(5, "Some.Body@B.example", 1), application_line("app", 1, "secret"),
                     account_line(1)}));
  const Dump dump = server_.dump();
  std::vector<std::string> keys;
  for (const auto& [key, value] : dump) keys.push_back(key);
  EXPECT_EQ(keys, (Lines{"catalog:account:1", "catalog:contact:5",
                         "catalog:contact_email:some.body@b.example", "catalog:media:m",
                         "catalog:playlist:l", "catalog:project:p", "oauth:account_clients:1",
                         "oauth:client:app"}));
  EXPECT_EQ(dump.at("oauth:account_clients:1"), "app");
  EXPECT_EQ(dump.at("catalog:contact_email:some.body@b.example"), "5");
  EXPECT_EQ(dump.at("catalog:playlist:l"),
            R"({"id":"l","account_id":1,"name":"List","media_ids":["m"]})");
  EXPECT_EQ(dangling(dump), Lines{});
  for (const auto& [key, value] : dump)
    EXPECT_EQ(server_.command({"TTL", key}).integer(), -1) << key;
}

TEST_F(ImportWrite, OperationsD5ChangesNothingIfRunAgain) {
  const Lines lines{account_line(1),
                    user_line(1, "a@b.example", 1, R"(,"password":"p4ssword")"),
                    user_line(2, "b@b.example", 1),
                    project_line("p", 1),
                    media_line("m", 1, "p"),
                    playlist_line("l", 1, {"m"}),
                    application_line("app", 1, "s3cret")};
  ASSERT_TRUE(write(lines));
  const Dump dump = server_.dump();
  const std::string digest = server_.digest();
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  ASSERT_TRUE(write.run(check));
  EXPECT_EQ(server_.dump(), dump);
  EXPECT_EQ(server_.digest(), digest);
  for (const ctl::Kind kind : {ctl::Kind::Account, ctl::Kind::User, ctl::Kind::Project,
                               ctl::Kind::Application, ctl::Kind::Media, ctl::Kind::Playlist}) {
    EXPECT_EQ(write.written(kind).added, 0u);
    EXPECT_EQ(write.written(kind).changed, 0u);
    EXPECT_EQ(write.written(kind).unchanged, kind == ctl::Kind::User ? 2u : 1u);
  }
}

TEST_F(ImportWrite, WritesOnlyWhatDiffers) {
  ASSERT_TRUE(write({account_line(1), media_line("a", 1), media_line("b", 1)}));
  const Lines lines{media_line("a", 1), media_line("b", 1, "", "Renamed"), media_line("c", 1)};
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  ctl::ImportWrite write(content.get(), store_, nullptr, entropy_, go_on);
  ASSERT_TRUE(write.run(check));
  EXPECT_EQ(write.written(ctl::Kind::Media).added, 1u);
  EXPECT_EQ(write.written(ctl::Kind::Media).changed, 1u);
  EXPECT_EQ(write.written(ctl::Kind::Media).unchanged, 1u);
  EXPECT_NE(server_.text({"GET", "catalog:media:b"}).find("Renamed"), std::string::npos);
}

TEST_F(ImportWrite, KeepsRecordsThatTheFileDoesNotContain) {
  ASSERT_TRUE(write({account_line(1), media_line("a", 1)}));
  server_.command({"SET", "somebody:else", "x"});
  ASSERT_TRUE(write({media_line("b", 1)}));
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:a", "somebody:else"}).integer(), 2);
}

TEST_F(ImportWrite, RemovesTheIndexOfAFormerEmail) {
  ASSERT_TRUE(
      write({account_line(1), user_line(1, "old@b.example", 1), user_line(2, "c@b.example", 1)}));
  ASSERT_TRUE(write({user_line(1, "new@b.example", 1)}));
  Dump dump = server_.dump();
  EXPECT_FALSE(dump.contains("catalog:contact_email:old@b.example"));
  EXPECT_EQ(dump["catalog:contact_email:new@b.example"], "1");
  EXPECT_EQ(dump["catalog:contact_email:c@b.example"], "2");
  EXPECT_EQ(dangling(dump), Lines{});
  // Another user can have the former email.
  ASSERT_TRUE(write({user_line(3, "OLD@b.example", 1)}));
  EXPECT_EQ(server_.text({"GET", "catalog:contact_email:old@b.example"}), "3");
}

// Both were checked before either wrote.
TEST_F(ImportWrite, AssignsAnEmailToOneUserIfTwoImportsWriteIt) {
  ASSERT_TRUE(write({account_line(1)}));
  const base::UniqueFd first = file(joined({user_line(1, "same@b.example", 1)}));
  ctl::ImportCheck first_check(first.get(), store_, true, go_on);
  ASSERT_TRUE(first_check.run());
  // With lines of other kinds in the same batch, and a file of its own.
  const base::UniqueFd second(open(
      directory_
          .write("second.jsonl", joined({user_line(2, "SAME@b.example", 1),
                                         user_line(3, "other@b.example", 1), project_line("p", 1)}))
          .c_str(),
      O_RDONLY | O_CLOEXEC));
  ctl::ImportCheck second_check(second.get(), store_, true, go_on);
  ASSERT_TRUE(second_check.run());
  ASSERT_EQ(second_check.refused(), 0u);
  ASSERT_TRUE(ctl::ImportWrite(first.get(), store_, &keys_, entropy_, go_on).run(first_check));
  ctl::ImportWrite second_write(second.get(), store_, &keys_, entropy_, go_on);
  try {
    second_write.run(second_check);
    ADD_FAILURE() << "was written";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "catalog:contact_email:same@b.example was changed by another client during the import "
        "and was not overwritten; all written records are complete. Run the import again for the "
        "rest");
  }
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact_email:same@b.example"), "1");
  EXPECT_FALSE(dump.contains("catalog:contact:2"));
  EXPECT_FALSE(dump.contains("catalog:contact:3")) << "a batch of users is all or nothing";
  EXPECT_EQ(dangling(dump), Lines{});
  EXPECT_EQ(second_write.written(ctl::Kind::User).total(), 0u);
  EXPECT_EQ(second_write.written(ctl::Kind::Project).added, 1u);
  // The next run names the line.
  EXPECT_EQ(check({user_line(2, "SAME@b.example", 1)}),
            Problems{"1: user 1 already has this email"});
}

TEST_F(ImportWrite, DoesNotOverwriteAUserThatChangedDuringTheImport) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  int calls = 0;
  Lines lines;
  for (int i = 1; i <= kOfEach; ++i)
    lines.push_back(user_line(i, "u" + std::to_string(i) + "@b.example", 1));
  const std::string theirs = R"({"id":1,"name":"Theirs","email":"a@b.example","memberships":[]})";
  EXPECT_THROW(write(lines,
                     [&](std::uint64_t, std::uint64_t) {
                       // The first batch is read from the store, and not written yet.
                       if (++calls == 1) server_.command({"SET", "catalog:contact:1", theirs});
                       return true;
                     }),
               std::runtime_error);
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact:1"), theirs);
  EXPECT_EQ(dump.at("catalog:contact_email:a@b.example"), "1");
  EXPECT_FALSE(dump.contains("catalog:contact_email:u1@b.example"));
  EXPECT_EQ(dangling(dump), Lines{});
  EXPECT_NO_THROW(store_.run(store_.redis.read({"PING"})))
      << "no answer was left behind on the connection";
  ASSERT_TRUE(write(lines));
  EXPECT_EQ(server_.dump().at("catalog:contact_email:u1@b.example"), "1");
}

// A store without memory still removes keys: the index of the former email was lost.
TEST_F(ImportWrite, ChangesAUserAndItsEmailsAtomically) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "old@b.example", 1)}));
  const Dump before = server_.dump();
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW(write({user_line(1, "new@b.example", 1)}), base::Unavailable);
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(server_.dump(), before);
  wait_for_the_store();
  ASSERT_TRUE(write({user_line(1, "new@b.example", 1)}));
  EXPECT_EQ(server_.dump().at("catalog:contact_email:new@b.example"), "1");
  EXPECT_EQ(server_.dump().size(), before.size());
}

TEST_F(ImportWrite, KeepsTheIndexOfAnEmailWhoseCaseChanged) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  ASSERT_TRUE(write({user_line(1, "A@B.example", 1)}));
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact_email:a@b.example"), "1");
  EXPECT_NE(dump.at("catalog:contact:1").find("A@B.example"), std::string::npos);
  EXPECT_EQ(dump.size(), 3u);
}

std::string with_password(const std::string& password, int id = 1,
                          const std::string& email = "a@b.example") {
  return user_line(id, email, 1, R"(,"password":")" + password + "\"");
}
std::string with_hash(const std::string& hash, int id = 1,
                      const std::string& email = "a@b.example") {
  return user_line(id, email, 1, R"(,"password_hash":")" + hash + "\"");
}

// Two hashes that an import accepts.
const std::string kContactHash =
    "scrypt$14$8$5$" + std::string(32, '1') + "$" + std::string(64, '2');
const std::string kOtherHash = "scrypt$14$8$5$" + std::string(32, '3') + "$" + std::string(64, '4');

TEST_F(ImportWrite, KeepsAUserDisabled) {
  ASSERT_TRUE(write({account_line(1), with_hash(kContactHash)}));
  const std::string record = server_.text({"GET", "catalog:contact:1"});
  const std::string disabled = record.substr(0, record.size() - 1) + R"(,"disabled":true})";
  server_.command({"SET", "catalog:contact:1", disabled});
  ASSERT_TRUE(write({account_line(1), with_hash(kContactHash)}));
  EXPECT_EQ(server_.text({"GET", "catalog:contact:1"}), disabled);
  ASSERT_TRUE(write({user_line(1, "other@b.example", 1)}));
  EXPECT_TRUE(server_.text({"GET", "catalog:contact:1"}).ends_with(R"(,"disabled":true})"));
}

TEST_F(ImportWrite, OperationsD5NeverRestoresAFormerPassword) {
  ASSERT_TRUE(write({account_line(1), with_password("first-password")}));
  const std::string first = password_hash(1);
  EXPECT_TRUE(base::password_matches("first-password", first));
  ASSERT_TRUE(write({with_password("first-password")}));
  EXPECT_EQ(password_hash(1), first);
  EXPECT_EQ(kept_.listed() + kept_.passwords_not_compared, 0u) << "the password did not change";
  struct Case {
    std::string name;
    std::string line;
    std::uint64_t kept;
  };
  for (const Case& c : {
           Case{"another password", with_password("second-password"), 1},
           Case{"another hash", with_hash(kContactHash), 1},
           Case{"the same hash", with_hash(first), 0},
           Case{"neither, so nothing is said of it", user_line(1, "a@b.example", 1), 0},
       }) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(write({account_line(1), c.line}));
    EXPECT_EQ(password_hash(1), first);
    EXPECT_EQ(kept_.passwords, c.kept);
    ASSERT_EQ(kept_.first.size(), c.kept);
    if (c.kept == 0) continue;
    EXPECT_EQ(kept_.first[0].line, 2u);
    EXPECT_EQ(kept_.first[0].reason, "password of user 1");
  }
  ASSERT_TRUE(write({user_line(1, "other@b.example", 1, R"(,"password":"second-password")")}));
  EXPECT_EQ(password_hash(1), first);
  EXPECT_EQ(server_.text({"GET", "catalog:contact_email:other@b.example"}), "1")
      << "all but the password is what the file says";
  EXPECT_TRUE(audit_.said.empty());
}

// The operator may have removed it with --reset-credentials.
TEST_F(ImportWrite, OperationsD5SetsNoPasswordOfAnExistingUserWithoutOne) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  ASSERT_TRUE(write({with_hash(kContactHash)}));
  EXPECT_EQ(password_hash(1), "");
  EXPECT_EQ(kept_.passwords, 1u);
  ASSERT_TRUE(reset({with_hash(kContactHash)}));
  EXPECT_EQ(password_hash(1), kContactHash);
}

TEST_F(ImportWrite, OperationsD5ResetsPasswordsOnlyWithItsFlagAndAuditsEach) {
  ASSERT_TRUE(
      write({account_line(1), with_hash(kContactHash), with_hash(kContactHash, 2, "b@b.example")}));
  ASSERT_TRUE(reset({with_hash(kContactHash), with_hash(kContactHash, 2, "b@b.example")}));
  EXPECT_EQ(audit_.said, Lines{}) << "nothing was reset";
  ASSERT_TRUE(reset({with_password("second-password")}));
  const std::string second = password_hash(1);
  EXPECT_TRUE(base::password_matches("second-password", second));
  EXPECT_EQ(audit_.said, Lines{"password.reset  by a test, user 1"});
  audit_.said.clear();
  ASSERT_TRUE(reset({with_password("second-password")}));
  EXPECT_EQ(password_hash(1), second);
  EXPECT_EQ(audit_.said, Lines{}) << "it is that already";
  ASSERT_TRUE(reset({with_hash(kOtherHash), user_line(2, "b@b.example", 1),
                     with_hash(kContactHash, 3, "c@b.example")}));
  EXPECT_EQ(password_hash(1), kOtherHash);
  EXPECT_EQ(password_hash(2), "") << "without either nobody can log in";
  EXPECT_EQ(audit_.said, Lines{"password.reset  by a test, users 1, 2"}) << "the third is new";
  EXPECT_EQ(kept_.listed(), 0u);
}

// A comparison takes 1/6 s: with a million users, two days.
TEST_F(ImportWrite, OperationsD5ComparesALimitedNumberOfPasswordsAndCountsTheOthers) {
  constexpr int kUsers = static_cast<int>(ctl::ImportWrite::kComparedPasswords) + 3;
  Lines lines{account_line(1)};
  Lines again;
  for (int i = 1; i <= kUsers; ++i) {
    const std::string email = "u" + std::to_string(i) + "@b.example";
    lines.push_back(with_hash(kContactHash, i, email));
    again.push_back(with_password("a password", i, email));
  }
  ASSERT_TRUE(write(lines));
  const std::string digest = server_.digest();
  ASSERT_TRUE(write(again));
  EXPECT_EQ(kept_.passwords, ctl::ImportWrite::kComparedPasswords);
  EXPECT_EQ(kept_.passwords_not_compared, 3u);
  EXPECT_EQ(server_.digest(), digest);
}

TEST_F(ImportWrite, OperationsD5NeverRestoresAFormerSecret) {
  ASSERT_TRUE(write({account_line(1), application_line("app", 1, "first-secret")}));
  const oauth::Client first = client("app");
  ASSERT_EQ(first.secrets.size(), 1u);
  EXPECT_TRUE(oauth::is_secret_of(keys_, first, "first-secret"));
  EXPECT_EQ(keys_.open(first.secrets[0].sealed, "client_secret of app"), "first-secret");
  ASSERT_TRUE(write({application_line("app", 1, "first-secret")}));
  EXPECT_EQ(to_record(client("app")), to_record(first));
  EXPECT_EQ(kept_.listed(), 0u);
  // Its owner makes a second one.
  redis::ClientRegistry registry(store_.redis);
  const auto rotated = store_.run(registry.change(
      {"app"}, [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
        return *oauth::with_new_secret(
            std::move(now), oauth::keep_secret(keys_, {"app"}, "second-secret", entropy_));
      }));
  ASSERT_TRUE(rotated);
  ASSERT_TRUE(write({application_line("app", 1, "first-secret")}));
  EXPECT_EQ(to_record(client("app")), to_record(*rotated)) << "both are live";
  EXPECT_EQ(kept_.listed(), 0u) << "the file's is one of them";
  ASSERT_TRUE(store_.run(registry.change(
      {"app"}, [](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
        return *oauth::with_newest_secret_only(std::move(now));
      })));
  std::string renamed = application_line("app", 1, "first-secret");
  renamed.replace(renamed.find("\"App\""), 5, "\"New\"");
  ASSERT_TRUE(write({account_line(1), renamed}));
  EXPECT_EQ(client("app").name, "New") << "all but the secret is what the file says";
  EXPECT_TRUE(oauth::is_secret_of(keys_, client("app"), "second-secret"));
  EXPECT_FALSE(oauth::is_secret_of(keys_, client("app"), "first-secret"));
  ASSERT_EQ(kept_.first.size(), 1u);
  EXPECT_EQ(kept_.first[0].line, 2u);
  EXPECT_EQ(kept_.first[0].reason, "secrets of application app");
  EXPECT_TRUE(audit_.said.empty());
  ASSERT_TRUE(reset({renamed}));
  EXPECT_FALSE(oauth::is_secret_of(keys_, client("app"), "second-secret"));
  EXPECT_TRUE(oauth::is_secret_of(keys_, client("app"), "first-secret"));
  EXPECT_EQ(audit_.said, Lines{"secret.reset app by a test"});
  audit_.said.clear();
  const std::string digest = server_.digest();
  ASSERT_TRUE(reset({renamed}));
  EXPECT_EQ(server_.digest(), digest);
  EXPECT_EQ(audit_.said, Lines{});
}

TEST_F(ImportWrite, OperationsD5NeverRestoresADeletedApplication) {
  const std::string line = application_line("app", 1, "secret");
  ASSERT_TRUE(write({account_line(1), line}));
  redis::ClientRegistry registry(store_.redis);
  ASSERT_TRUE(store_.run(registry.remove({"app"}, 1)));
  const std::string digest = server_.digest();
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(write({account_line(1), line, application_line("other", 1, "secret")}));
    EXPECT_FALSE(store_.run(registry.find({"app"})));
    EXPECT_TRUE(store_.run(registry.find({"other"}))) << "which comes behind it";
    EXPECT_EQ(kept_.deleted, 1u);
    ASSERT_EQ(kept_.first.size(), 1u);
    EXPECT_EQ(kept_.first[0].line, 2u);
    EXPECT_EQ(kept_.first[0].reason, "deletion of application app");
  }
  ASSERT_TRUE(store_.run(registry.remove({"other"}, 1)));
  store_.run(registry.has_ended({"other"}));
  server_.command({"DEL", "oauth:deleted_client:other"});
  EXPECT_EQ(server_.digest(), digest) << "and nothing was left of it, in lists neither";
  ASSERT_TRUE(reset({line}));
  EXPECT_EQ(audit_.said, Lines{"client.restored app by a test"});
  ASSERT_TRUE(store_.run(registry.find({"app"})));
  EXPECT_EQ(client("app").permission_version, 2) << "consent to the former one is none to it";
  EXPECT_EQ(server_.command({"EXISTS", "oauth:deleted_client:app"}).integer(), 0);
  audit_.said.clear();
  ASSERT_TRUE(reset({line}));
  ASSERT_TRUE(write({line}));
  EXPECT_EQ(client("app").permission_version, 2);
  EXPECT_EQ(audit_.said, Lines{});
}

// An owner deletes it after the import has finished removals. The web pool then removed the
// restored record and its tombstone.
TEST_F(ImportWrite, OperationsD5RestoresAnApplicationThatIsStillEnding) {
  const std::string line = application_line("app", 1, "secret");
  ASSERT_TRUE(write({account_line(1), line}));
  redis::ClientRegistry registry(store_.redis);
  ASSERT_TRUE(store_.run(registry.remove({"app"}, 1)));
  ASSERT_TRUE(reset({line}));
  ASSERT_EQ(store_.run(registry.ending()).size(), 1u);
  EXPECT_TRUE(store_.run(registry.find({"app"})));
  EXPECT_EQ(store_.run(registry.of({1})).size(), 1u);
  ASSERT_TRUE(store_.run(registry.remove({"app"}, 2)));
  EXPECT_EQ(store_.run(registry.ending()).size(), 1u);
  EXPECT_FALSE(store_.run(registry.find({"app"}))) << "deleted again";
}

// The owner deletes it, or rotates its secret, between the read and the write.
TEST_F(ImportWrite, OperationsD5DoesNotOverwriteAnApplicationThatChangedDuringTheImport) {
  ASSERT_TRUE(write({account_line(1), application_line("example", 1, "theirs")}));
  const oauth::Client example = client("example");
  integration::Store others(server_);
  redis::ClientRegistry registry(others.redis());
  struct Case {
    std::string name;
    bool exists;
    std::function<void()> meanwhile;
  };
  for (const Case& c : {
           Case{"deleted", true, [&] { others.run(registry.remove({"app0"}, 1)); }},
           Case{"made and deleted", false,
                [&] {
                  oauth::Client theirs = example;
                  theirs.id = {"app0"};
                  ASSERT_TRUE(others.run(registry.add(theirs)));
                  others.run(registry.remove({"app0"}, 1));
                }},
           Case{"rotated", true,
                [&] {
                  ASSERT_TRUE(others.run(registry.change(
                      {"app0"},
                      [&](oauth::Client now)
                          -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
                        now.secrets = {oauth::keep_secret(keys_, {"app0"}, "theirs", entropy_)};
                        return now;
                      })));
                }},
       }) {
    SCOPED_TRACE(c.name);
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write({account_line(1)}));
    if (c.exists) {
      ASSERT_TRUE(write({application_line("app0", 1, "ours")}));
    }
    Lines lines;
    for (int i = 0; i < kOfEach; ++i) {
      std::string line = application_line("app" + std::to_string(i), 1, "ours");
      lines.push_back(line.replace(line.find("\"App\""), 5, "\"New\""));
    }
    int calls = 0;
    std::string digest;
    EXPECT_THROW(write(lines,
                       [&](std::uint64_t, std::uint64_t) {
                         if (++calls == 1) c.meanwhile();
                         return true;
                       }),
                 std::runtime_error);
    const auto found = others.run(registry.find({"app0"}));
    ASSERT_EQ(found.has_value(), c.name == "rotated");
    if (found) {
      EXPECT_TRUE(oauth::is_secret_of(keys_, *found, "theirs"));
      EXPECT_EQ(found->name, "App");
    }
    EXPECT_NO_THROW(store_.run(store_.redis.read({"PING"})))
        << "no answer was left behind on the connection";
    ASSERT_TRUE(write(lines));
    EXPECT_EQ(others.run(registry.find({"app0"})).has_value(), c.name == "rotated");
    EXPECT_TRUE(others.run(registry.find({"app1"})));
    EXPECT_EQ(dangling(server_.dump()), Lines{});
  }
}

// The record was overwritten with the file's secret, as if it were new.
TEST_F(ImportWrite, OperationsD5KeepsRecordsThatItCannotRead) {
  struct Case {
    std::string_view name, key, value, line;
  };
  const std::string user = user_line(5, "a@b.example", 1, R"(,"password":"file-password")");
  const std::string application = application_line("app", 1, "file-secret");
  const auto unreadable = [](const std::string& key) {
    return "the stored record " + key + " cannot be read, so it is not overwritten: ";
  };
  for (const Case& c : {
           Case{"an application, not JSON", "oauth:client:app", "{", application},
           Case{"an application, empty", "oauth:client:app", "", application},
           Case{"an application with half a record", "oauth:client:app", R"({"client_id":"app"})",
                application},
           Case{"a user, not JSON", "catalog:contact:5", "{", user},
           Case{"a user, not an object", "catalog:contact:5", "[1]", user},
           Case{"a user with another kind of hash", "catalog:contact:5",
                R"({"id":5,"password_hash":7})", user},
       }) {
    SCOPED_TRACE(c.name);
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write({account_line(1)}));
    server_.command({"SET", c.key, c.value});
    const Problems problems = check({project_line("p", 1), std::string(c.line)});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_TRUE(problems[0].starts_with("2: " + unreadable(std::string(c.key)))) << problems[0];
    const std::string digest = server_.digest();
    file(joined({std::string(c.line), project_line("p", 1)}));
    for (const bool reset : {false, true}) {
      Lines words{path()};
      if (reset) words.push_back("--reset-credentials");
      EXPECT_EQ(run(words, some_keys()).status, 1);
      EXPECT_EQ(server_.digest(), digest) << "the whole import is refused";
    }
    EXPECT_EQ(run({path(), "--keep-going"}, some_keys()).status, 1);
    EXPECT_EQ(server_.text({"GET", c.key}), c.value);
    EXPECT_EQ(server_.command({"EXISTS", "catalog:project:p"}).integer(), 1);
    EXPECT_EQ(audit_.said.size(), 1u) << "only that there was an import";
    audit_.said.clear();
  }
}

// The records are damaged after the check.
TEST_F(ImportWrite, OperationsD5KeepsRecordsThatBecameUnreadableDuringTheImport) {
  for (const bool resets : {false, true}) {
    server_.command({"FLUSHALL"});
    const Lines lines{account_line(1), application_line("app", 1, "file-secret"),
                      user_line(5, "a@b.example", 1, R"(,"password":"file-password")")};
    const base::UniqueFd content = file(joined(lines));
    ctl::ImportCheck check(content.get(), store_, true, go_on);
    ASSERT_TRUE(check.run());
    ASSERT_EQ(check.refused(), 0u);
    server_.command({"SET", "oauth:client:app", "{"});
    server_.command({"SET", "catalog:contact:5", "{"});
    const ctl::CredentialReset reset{audit_, "by a test"};
    ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on, nullptr,
                           resets ? &reset : nullptr);
    EXPECT_THROW(write.run(check), std::runtime_error);
    EXPECT_EQ(server_.text({"GET", "oauth:client:app"}), "{");
    EXPECT_EQ(server_.text({"GET", "catalog:contact:5"}), "{");
    EXPECT_EQ(audit_.said, Lines{});
  }
}

// A former release accepted a redirect URI with this name. The import overwrote the secrets with
// the retired secret.
TEST_F(ImportWrite, OperationsD5OauthU2KeepsTheSecretsOfAnApplicationOfAFormerRelease) {
  ASSERT_TRUE(write({account_line(1), application_line("app", 1, "file-secret")}));
  oauth::Client former = client("app");
  former.redirect_uri = "https://app.example/cb?Code=1";
  former.secrets = {oauth::keep_secret(keys_, {"app"}, "new-secret", entropy_)};
  server_.command({"SET", "oauth:client:app", to_record(former)});
  ASSERT_TRUE(write({application_line("app", 1, "file-secret")}));
  EXPECT_FALSE(oauth::is_secret_of(keys_, client("app"), "file-secret"));
  EXPECT_TRUE(oauth::is_secret_of(keys_, client("app"), "new-secret"));
}

TEST_F(ImportWrite, OauthK7ResetsNothingIfTheAuditTrailIsUnavailable) {
  ASSERT_TRUE(
      write({account_line(1), with_hash(kContactHash), application_line("app", 1, "first")}));
  const std::string digest = server_.digest();
  class : public oauth::Audit {
    loop::Task<> record(const oauth::AuditEvent&) override {
      throw base::Unavailable("no room");
      co_return;
    }
  } full;
  const ctl::CredentialReset reset{full, "by a test"};
  for (const std::string& line : {with_hash(kOtherHash), application_line("app", 1, "second")}) {
    EXPECT_THROW(import_lines({line}, go_on, &reset), base::Unavailable);
    EXPECT_EQ(server_.digest(), digest);
  }
}

TEST_F(ImportWrite, ListsTheApplicationsOfAnAccount) {
  ASSERT_TRUE(write({account_line(1), account_line(2), application_line("a", 1, "secret-a"),
                     application_line("b", 1, "secret-b"), application_line("c", 2, "secret-c")}));
  EXPECT_EQ(server_.command({"SCARD", "oauth:account_clients:1"}).integer(), 2);
  EXPECT_EQ(server_.command({"SISMEMBER", "oauth:account_clients:2", "c"}).integer(), 1);
}

TEST_F(ImportWrite, OauthS3CountsTheVersionsOfAnApplicationsPermissions) {
  const auto with_scopes = [](const std::string& scopes) {
    std::string line = application_line("app", 1, "secret");
    const std::size_t begin = line.find('[', line.find("\"scopes\""));
    return line.replace(begin, line.find(']', begin) + 1 - begin, scopes);
  };
  ASSERT_TRUE(write({account_line(1), with_scopes(R"(["media:read","stats:read"])")}));
  EXPECT_EQ(client("app").permission_version, 1);
  ASSERT_TRUE(write({with_scopes(R"(["stats:read","media:read"])")}));
  EXPECT_EQ(client("app").permission_version, 1) << "the same in another order";
  ASSERT_TRUE(write({with_scopes(R"(["media:read"])")}));
  EXPECT_EQ(client("app").permission_version, 2) << "fewer";
  ASSERT_TRUE(write({with_scopes(R"(["media:read"])")}));
  EXPECT_EQ(client("app").permission_version, 2);
  ASSERT_TRUE(write({with_scopes(R"(["media:read","stats:read"])")}));
  EXPECT_EQ(client("app").permission_version, 3) << "as they were once is not as they were";
}

TEST_F(ImportWrite, KeepsASecretThatAnOlderKeyEncrypted) {
  ASSERT_TRUE(write({account_line(1), application_line("app", 1, "secret")}));
  const std::string digest = server_.digest();
  keys_ = *base::KeyRing::parse("k2:" + std::string(64, '2') + "\nk1:" + std::string(64, '1'));
  ASSERT_TRUE(write({application_line("app", 1, "secret")}));
  EXPECT_EQ(server_.digest(), digest);
}

TEST_F(ImportWrite, OauthK2StoresPasswordsAndSecretsHashedOrEncrypted) {
  ASSERT_TRUE(
      write({account_line(1), user_line(1, "a@b.example", 1, R"(,"password":"PLANTEDpassword")"),
             application_line("app", 1, "PLANTEDsecret")}));
  for (const auto& [key, value] : server_.dump()) {
    EXPECT_EQ(key.find("PLANTED"), std::string::npos) << key;
    EXPECT_EQ(value.find("PLANTED"), std::string::npos) << key << ": " << value;
    EXPECT_EQ(value.find("client_secret\""), std::string::npos) << key << ": " << value;
    EXPECT_EQ(value.find("\"password\""), std::string::npos) << key << ": " << value;
  }
}

TEST_F(ImportWrite, EveryReferenceExistsAtEveryMomentOfAnImport) {
  for (const Lines& lines : {large_catalog(), large_catalog_in_order()}) {
    SCOPED_TRACE(lines.front());
    server_.command({"FLUSHALL"});
    int looks = 0;
    ASSERT_TRUE(write(lines, [&](std::uint64_t, std::uint64_t) {
      ++looks;
      EXPECT_EQ(dangling(server_.dump()), Lines{}) << "look " << looks;
      return true;
    }));
    EXPECT_GE(looks, 8) << "or nothing was seen in between";
    EXPECT_EQ(server_.dump().size(), 7u * kOfEach);
  }
}

TEST_F(ImportWrite, WritesTheAccountsOfABatchBeforeTheirUsers) {
  server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  Lines writes;  // the log begins with the last
  const redis::Reply log = server_.command({"SLOWLOG", "GET", "-1"});
  for (std::size_t i = log.size(); i-- > 0;) {
    const std::string command(log.at(i).at(3).at(0).text().value_or(""));
    if (command == "MSET" || command == "EVAL") writes.push_back(command);
  }
  EXPECT_EQ(writes, (Lines{"MSET", "EVAL"}));
}

TEST_F(ImportWrite, IsCompletedByTheNextRunAfterAnInterruptAtAnyStep) {
  for (const Lines& lines : {large_catalog(), large_catalog_in_order()}) {
    SCOPED_TRACE(lines.front());
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write(lines));
    const std::string whole = server_.digest();
    for (int stop_at = 1;; ++stop_at) {
      SCOPED_TRACE(stop_at);
      server_.command({"FLUSHALL"});
      int calls = 0;
      const bool done =
          write(lines, [&](std::uint64_t, std::uint64_t) { return ++calls < stop_at; });
      EXPECT_EQ(dangling(server_.dump()), Lines{});
      if (done) break;
      ASSERT_LE(stop_at, 1000);
      EXPECT_EQ(calls, stop_at) << "it stops at once";
      ASSERT_TRUE(write(lines));
      EXPECT_EQ(server_.digest(), whole);
    }
  }
}

TEST_F(ImportWrite, IsCompletedByTheNextRunAfterTheStoreWasUnavailable) {
  const Lines lines = large_catalog();
  ASSERT_TRUE(write(lines));
  const std::string whole = server_.digest();
  const Lines renamed = large_catalog("Renamed");
  ASSERT_TRUE(write(renamed));
  const std::string whole_renamed = server_.digest();
  EXPECT_NE(whole, whole_renamed);
  server_.command({"FLUSHALL"});
  ASSERT_TRUE(write(lines));
  int calls = 0;
  EXPECT_THROW(write(renamed,
                     [&](std::uint64_t, std::uint64_t) {
                       if (++calls == 4) server_.command({"CLIENT", "KILL", "TYPE", "normal"});
                       return true;
                     }),
               base::Unavailable);
  EXPECT_EQ(dangling(server_.dump()), Lines{});
  wait_for_the_store();
  ASSERT_TRUE(write(renamed));
  EXPECT_EQ(server_.digest(), whole_renamed);
}

TEST_F(ImportWrite, CountsTheWrittenRecordsOfAFileThatChangedAfterTheCheck) {
  Lines lines;
  for (int i = 1; i <= 3 * kOfEach; ++i) lines.push_back(account_line(i));
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  lines.back() = account_line(1);
  directory_.write("catalog.jsonl", joined(lines));
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  EXPECT_THROW(write.run(check), std::runtime_error);
  EXPECT_GE(server_.dump().size(), std::size_t{kOfEach}) << "or there was nothing to count";
  EXPECT_EQ(write.written(ctl::Kind::Account).added, server_.dump().size());
}

TEST_F(ImportWrite, RefusesAFileThatChangedAfterTheCheck) {
  const base::UniqueFd content = file(joined({account_line(1), media_line("m", 1)}));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  directory_.write("catalog.jsonl", joined({account_line(1), media_line("m", 2)}));
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  try {
    write.run(check);
    ADD_FAILURE() << "was written";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "line 2 changed while the file was read");
  }
  EXPECT_EQ(dangling(server_.dump()), Lines{});
}

TEST_F(ImportWrite, IgnoresLinesAddedAfterTheCheck) {
  const base::UniqueFd content = file(joined({account_line(1)}));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  directory_.write("catalog.jsonl", joined({account_line(1), media_line("m", 2)}));
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  EXPECT_TRUE(write.run(check));
  EXPECT_EQ(server_.dump().size(), 1u);
}

class ImportWriteWithCache : public ImportWrite {
 protected:
  // Renderings of the first `medias` media of the large catalog, as workers store them.
  void keep_renderings(int medias) {
    for (int i = 0; i < medias; ++i) {
      const std::string key = "embed:rendering:m" + std::to_string(i);
      cache_.send_and_forget(
          {"HSET", key, "configuration json", "1 0 {}", "configuration xml", "1 0 <a/>"});
    }
    const ctl::Store cache{store_.loop, cache_};
    cache.run(cache_.read({"PING"}));  // they are written
  }
  bool is_kept(const std::string& id) {
    return cache_server_.command({"EXISTS", "embed:rendering:" + id}).integer() == 1;
  }
  bool write_with_cache(const Lines& lines, ctl::ImportCheck::Progress progress = go_on) {
    const base::UniqueFd content = file(joined(lines));
    ctl::ImportCheck check(content.get(), store_, true, go_on);
    EXPECT_TRUE(check.run());
    ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, std::move(progress), &cache_);
    return write.run(check);
  }

  integration::RedisServer cache_server_;
  redis::Store cache_{cache_server_.settings(), store_.loop};
};

TEST_F(ImportWriteWithCache, OembedC1DeletesTheRenderingsOfChangedMediaOnly) {
  ASSERT_TRUE(write(
      {account_line(1), media_line("m0", 1), media_line("m1", 1), playlist_line("m2", 1, {"m1"})}));
  keep_renderings(4);
  ASSERT_TRUE(write_with_cache({media_line("m0", 1), media_line("m1", 1, "", "Renamed"),
                                playlist_line("m2", 1, {"m1", "m0"}), media_line("new", 1)}));
  EXPECT_TRUE(is_kept("m0")) << "unchanged";
  EXPECT_FALSE(is_kept("m1"));
  EXPECT_TRUE(is_kept("m2")) << "that of a media which has a playlist's id";
  EXPECT_TRUE(is_kept("m3")) << "not in the file";
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:new"}).integer(), 1);
}

TEST_F(ImportWriteWithCache, OembedC1DeletesRenderingsInEveryBatch) {
  ASSERT_TRUE(write(large_catalog()));
  keep_renderings(kFilms);
  ASSERT_TRUE(write_with_cache(large_catalog("Renamed")));
  EXPECT_EQ(cache_server_.command({"DBSIZE"}).integer(), 0);
}

TEST_F(ImportWriteWithCache, OembedC1AnInterruptedImportKeepsRenderingsOfUnchangedMediaOnly) {
  const Lines old = large_catalog();
  const Lines changed = large_catalog("Renamed");
  ASSERT_TRUE(write(old));
  std::size_t left = kFilms;
  for (int stop = 1; left > 0; stop += 3) {
    SCOPED_TRACE(stop);
    ASSERT_TRUE(write(old));
    keep_renderings(kFilms);
    int calls = 0;
    const bool whole =
        write_with_cache(changed, [&](std::uint64_t, std::uint64_t) { return ++calls < stop; });
    left = 0;
    for (int i = 0; i < kFilms; ++i) {
      const std::string id = "m" + std::to_string(i);
      const bool renamed =
          server_.text({"GET", "catalog:media:" + id}).find("Renamed") != std::string::npos;
      EXPECT_EQ(is_kept(id), !renamed) << id;
      left += renamed ? 0 : 1;
    }
    EXPECT_TRUE(!whole || left == 0);
  }
}

TEST_F(ImportWriteWithCache, OperationsD3WritesIfTheCacheIsUnavailable) {
  ASSERT_TRUE(write({account_line(1), media_line("m0", 1)}));
  cache_server_.stop();
  ASSERT_TRUE(write_with_cache({media_line("m0", 1, "", "Renamed")}));
  EXPECT_NE(server_.text({"GET", "catalog:media:m0"}).find("Renamed"), std::string::npos);
}

}  // namespace
}  // namespace svc
