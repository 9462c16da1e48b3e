#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/password_hash.h"
#include "base/unavailable.h"
#include "integration/ctl/import/fixture.h"
#include "oauth/applications.h"
#include "stores/access/client_registry.h"

namespace svc::integration {
namespace {

TEST_F(Import, KeepsAUserDisabled) {
  ASSERT_TRUE(write({account_line(1), with_hash(kHash)}));
  const std::string record = server_.text({"GET", "catalog:contact:1"});
  const std::string disabled = record.substr(0, record.size() - 1) + R"(,"disabled":true})";
  server_.command({"SET", "catalog:contact:1", disabled});
  ASSERT_TRUE(write({account_line(1), with_hash(kHash)}));
  EXPECT_EQ(server_.text({"GET", "catalog:contact:1"}), disabled);
  ASSERT_TRUE(write({user_line(1, "other@b.example", 1)}));
  EXPECT_TRUE(server_.text({"GET", "catalog:contact:1"}).ends_with(R"(,"disabled":true})"));
}

// An earlier version kept the hash in the record.
TEST_F(Import, OperationsD48MovesAHash) {
  ASSERT_TRUE(write({account_line(1), with_hash(kHash)}));
  const std::string record = server_.text({"GET", "catalog:contact:1"});
  EXPECT_EQ(record.find(kHash), std::string::npos) << record;
  std::string earlier = record;
  earlier.insert(earlier.find(R"("memberships")"),
                 R"("password_hash":")" + std::string(kHash) + "\",");
  server_.command({"SET", "catalog:contact:1", earlier});
  server_.command({"DEL", "catalog:password:1"});
  ASSERT_TRUE(write({with_hash(kOtherHash)}));
  EXPECT_EQ(server_.text({"GET", "catalog:contact:1"}), record);
  EXPECT_EQ(password_hash(1), kHash);
  EXPECT_EQ(kept_.passwords, 1u);
}

TEST_F(Import, OperationsD5NeverRestoresAFormerPassword) {
  ASSERT_TRUE(write({account_line(1), with_password("first-password")}));
  const std::string first = password_hash(1);
  EXPECT_TRUE(base::password_matches("first-password", first));
  ASSERT_TRUE(write({with_password("first-password")}));
  EXPECT_EQ(password_hash(1), first);
  EXPECT_EQ(kept_.lines.count + kept_.passwords_not_compared, 0u) << "the password did not change";
  struct Case {
    std::string name;
    std::string line;
    std::uint64_t kept;
  };
  for (const Case& c : {
           Case{"another password", with_password("second-password"), 1},
           Case{"another hash", with_hash(kHash), 1},
           Case{"the same hash", with_hash(first), 0},
           Case{"neither, so nothing is said of it", user_line(1, "a@b.example", 1), 0},
       }) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(write({account_line(1), c.line}));
    EXPECT_EQ(password_hash(1), first);
    EXPECT_EQ(kept_.passwords, c.kept);
    ASSERT_EQ(kept_.lines.first.size(), c.kept);
    if (c.kept == 0) continue;
    EXPECT_EQ(kept_.lines.first.at(2), "password of user 1");
  }
  ASSERT_TRUE(write({user_line(1, "other@b.example", 1, R"(,"password":"second-password")")}));
  EXPECT_EQ(password_hash(1), first);
  EXPECT_EQ(server_.text({"GET", "catalog:contact_email:other@b.example"}), "1")
      << "all but the password is what the file says";
  EXPECT_TRUE(audit_.said.empty());
}

// The operator may have removed it with --reset-credentials.
TEST_F(Import, OperationsD5SetsNoPasswordOfAnExistingUserWithoutOne) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  ASSERT_TRUE(write({with_hash(kHash)}));
  EXPECT_EQ(password_hash(1), "");
  EXPECT_EQ(kept_.passwords, 1u);
  ASSERT_TRUE(reset({with_hash(kHash)}));
  EXPECT_EQ(password_hash(1), kHash);
}

TEST_F(Import, OperationsD5ResetsPasswordsOnlyWithItsFlagAndAuditsEach) {
  ASSERT_TRUE(write({account_line(1), with_hash(kHash), with_hash(kHash, 2, "b@b.example")}));
  ASSERT_TRUE(reset({with_hash(kHash), with_hash(kHash, 2, "b@b.example")}));
  EXPECT_EQ(audit_.said, Lines{}) << "nothing was reset";
  ASSERT_TRUE(reset({with_password("second-password")}));
  const std::string second = password_hash(1);
  EXPECT_TRUE(base::password_matches("second-password", second));
  EXPECT_EQ(audit_.said, Lines{"password.reset  by a test, user 1"});
  audit_.said.clear();
  ASSERT_TRUE(reset({with_password("second-password")}));
  EXPECT_EQ(password_hash(1), second);
  EXPECT_EQ(audit_.said, Lines{}) << "it is that already";
  ASSERT_TRUE(reset(
      {with_hash(kOtherHash), user_line(2, "b@b.example", 1), with_hash(kHash, 3, "c@b.example")}));
  EXPECT_EQ(password_hash(1), kOtherHash);
  EXPECT_EQ(password_hash(2), "") << "without either nobody can log in";
  EXPECT_EQ(audit_.said, Lines{"password.reset  by a test, users 1, 2"}) << "the third is new";
  EXPECT_EQ(kept_.lines.count, 0u);
}

// A comparison takes 1/6 s: with a million users, two days.
TEST_F(Import, OperationsD5ComparesALimitedNumberOfPasswordsAndCountsTheOthers) {
  constexpr int kUsers = static_cast<int>(ctl::ImportWrite::kComparedPasswords) + 3;
  Lines lines{account_line(1)};
  Lines again;
  for (int i = 1; i <= kUsers; ++i) {
    const std::string email = "u" + std::to_string(i) + "@b.example";
    lines.push_back(with_hash(kHash, i, email));
    again.push_back(with_password("a password", i, email));
  }
  ASSERT_TRUE(write(lines));
  const std::string digest = server_.digest();
  ASSERT_TRUE(write(again));
  EXPECT_EQ(kept_.passwords, ctl::ImportWrite::kComparedPasswords);
  EXPECT_EQ(kept_.passwords_not_compared, 3u);
  EXPECT_EQ(server_.digest(), digest);
}

TEST_F(Import, OperationsD5NeverRestoresAFormerSecret) {
  ASSERT_TRUE(write({account_line(1), application_line("app", 1, "first-secret")}));
  const oauth::Client first = client("app");
  ASSERT_EQ(first.secrets.size(), 1u);
  EXPECT_TRUE(oauth::is_secret_of(*keys_, first, "first-secret"));
  EXPECT_EQ(keys_->open(first.secrets[0].sealed, "client_secret of app"), "first-secret");
  ASSERT_TRUE(write({application_line("app", 1, "first-secret")}));
  EXPECT_EQ(to_record(client("app")), to_record(first));
  EXPECT_EQ(kept_.lines.count, 0u);
  // Its owner makes a second one.
  stores::ClientRegistry registry(store_.redis);
  const auto rotated = store_.run(registry.change(
      {"app"}, [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
        return *oauth::with_new_secret(
            std::move(now), oauth::keep_secret(*keys_, {"app"}, "second-secret", entropy_));
      }));
  ASSERT_TRUE(rotated);
  ASSERT_TRUE(write({application_line("app", 1, "first-secret")}));
  EXPECT_EQ(to_record(client("app")), to_record(*rotated)) << "both are live";
  EXPECT_EQ(kept_.lines.count, 0u) << "the file's is one of them";
  ASSERT_TRUE(store_.run(registry.change(
      {"app"}, [](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
        return *oauth::with_newest_secret_only(std::move(now));
      })));
  std::string renamed = application_line("app", 1, "first-secret");
  renamed.replace(renamed.find("\"App\""), 5, "\"New\"");
  ASSERT_TRUE(write({account_line(1), renamed}));
  EXPECT_EQ(client("app").name, "New") << "all but the secret is what the file says";
  EXPECT_TRUE(oauth::is_secret_of(*keys_, client("app"), "second-secret"));
  EXPECT_FALSE(oauth::is_secret_of(*keys_, client("app"), "first-secret"));
  ASSERT_EQ(kept_.lines.first.size(), 1u);
  EXPECT_EQ(kept_.lines.first.at(2), "secrets of application app");
  EXPECT_TRUE(audit_.said.empty());
  ASSERT_TRUE(reset({renamed}));
  EXPECT_FALSE(oauth::is_secret_of(*keys_, client("app"), "second-secret"));
  EXPECT_TRUE(oauth::is_secret_of(*keys_, client("app"), "first-secret"));
  EXPECT_EQ(audit_.said, Lines{"secret.reset app by a test"});
  audit_.said.clear();
  const std::string digest = server_.digest();
  ASSERT_TRUE(reset({renamed}));
  EXPECT_EQ(server_.digest(), digest);
  EXPECT_EQ(audit_.said, Lines{});
}

TEST_F(Import, OperationsD5NeverRestoresADeletedApplication) {
  const std::string line = application_line("app", 1, "secret");
  ASSERT_TRUE(write({account_line(1), line}));
  stores::ClientRegistry registry(store_.redis);
  ASSERT_TRUE(store_.run(registry.remove({"app"}, 1)));
  const std::string digest = server_.digest();
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(write({account_line(1), line, application_line("other", 1, "secret")}));
    EXPECT_FALSE(store_.run(registry.find({"app"})));
    EXPECT_TRUE(store_.run(registry.find({"other"}))) << "which comes behind it";
    EXPECT_EQ(kept_.deleted, 1u);
    ASSERT_EQ(kept_.lines.first.size(), 1u);
    EXPECT_EQ(kept_.lines.first.at(2), "deletion of application app");
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
TEST_F(Import, OperationsD5RestoresAnApplicationThatIsStillEnding) {
  const std::string line = application_line("app", 1, "secret");
  ASSERT_TRUE(write({account_line(1), line}));
  stores::ClientRegistry registry(store_.redis);
  ASSERT_TRUE(store_.run(registry.remove({"app"}, 1)));
  ASSERT_TRUE(reset({line}));
  ASSERT_EQ(store_.run(registry.ending()).size(), 1u);
  EXPECT_TRUE(store_.run(registry.find({"app"})));
  EXPECT_EQ(store_.run(registry.of({1})).size(), 1u);
  ASSERT_TRUE(store_.run(registry.remove({"app"}, 2)));
  EXPECT_EQ(store_.run(registry.ending()).size(), 1u);
  EXPECT_FALSE(store_.run(registry.find({"app"}))) << "deleted again";
}

TEST_F(Import, OauthK7ResetsNothingIfTheAuditTrailIsUnavailable) {
  ASSERT_TRUE(write({account_line(1), with_hash(kHash), application_line("app", 1, "first")}));
  const std::string digest = server_.digest();
  class : public oauth::Audit {
    loop::Task<> record(const oauth::AuditEvent&) override {
      throw base::Unavailable("no room");
      co_return;
    }
  } full;
  const ctl::CredentialReset reset{full, "by a test"};
  for (const std::string& line : {with_hash(kOtherHash), application_line("app", 1, "second")}) {
    EXPECT_THROW(write({line}, go_on, &reset), base::Unavailable);
    EXPECT_EQ(server_.digest(), digest);
  }
}

TEST_F(Import, KeepsASecretThatAnOlderKeyEncrypted) {
  ASSERT_TRUE(write({account_line(1), application_line("app", 1, "secret")}));
  const std::string digest = server_.digest();
  keys_ = *base::KeyRing::parse("k2:" + std::string(64, '2') + "\nk1:" + std::string(64, '1'));
  ASSERT_TRUE(write({application_line("app", 1, "secret")}));
  EXPECT_EQ(server_.digest(), digest);
}

}  // namespace
}  // namespace svc::integration
