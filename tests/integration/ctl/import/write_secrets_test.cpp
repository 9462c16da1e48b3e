#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "integration/ctl/import/write_fixture.h"

namespace svc::integration::import_write {
namespace {

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

}  // namespace
}  // namespace svc::integration::import_write
