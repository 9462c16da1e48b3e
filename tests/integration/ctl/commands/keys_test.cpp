#include <filesystem>
#include <fstream>
#include <iterator>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "oauth/client.h"
#include "stores/access/factors.h"

namespace svc {
namespace {

using integration::Ran;

class Keys : public integration::CommandFixture {
 protected:
  Ran rotate(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "rotate");
    return run(ctl::keys_commands(), more);
  }
  bool right(const base::KeyRing& keys, const std::string& secret) {
    return oauth::is_secret_of(keys, *find_client("client"), secret);
  }
  std::string content() const {
    std::ifstream in(key_file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Returns whether a worker with these keys finds that token.
  bool finds(const base::KeyRing& keys, const oauth::Token& token) {
    stores::Grants store = grants(keys);
    return store_.run(store.find_token(token)).has_value();
  }
};

// While pools are restarted, some workers have the former key file and some the new one. Each must
// read the secrets and tokens that the others write.
TEST_F(Keys, OauthK2EveryWorkerReadsSecretsAndTokensDuringARotation) {
  const std::string secret = create_app("client");
  const base::KeyRing before = ring();
  const auto old_tokens = authorize({"client"});

  ASSERT_EQ(rotate().status, 0);
  const base::KeyRing between = ring();
  const auto tokens_between = authorize({"client"}, {411});
  for (const base::KeyRing* worker : {&before, &between}) {
    EXPECT_TRUE(right(*worker, secret));
    EXPECT_TRUE(finds(*worker, old_tokens.access));
    EXPECT_TRUE(finds(*worker, tokens_between.access)) << "written by a worker that was restarted";
  }

  ASSERT_EQ(rotate({"--activate"}).status, 0);
  const base::KeyRing after = ring();
  const auto new_tokens = authorize({"client"}, {412});
  EXPECT_FALSE(right(before, secret)) << "so the new key does write";
  for (const base::KeyRing* worker : {&between, &after}) {
    EXPECT_TRUE(right(*worker, secret));
    for (const auto& tokens : {old_tokens, tokens_between, new_tokens}) {
      EXPECT_TRUE(finds(*worker, tokens.access));
      EXPECT_TRUE(finds(*worker, tokens.refresh));
    }
  }
}

TEST_F(Keys, OauthK2ActivateEncryptsSecondFactors) {
  stores::Factors factors(store_.redis());
  const base::KeyRing before = ring();
  const std::string context = "one-time secret of contact 410";
  const std::string sealed = before.seal("secret", context, entropy_);
  store_.run(factors.write({410}, {sealed, clock_.now(), 1}, {"mac"}));
  store_.run(factors.write({411}, {"gone:00", clock_.now(), 1}, {"mac"}));
  ASSERT_EQ(rotate().status, 0);
  const Ran ran = rotate({"--activate", "--json"});
  EXPECT_EQ(ran.status, 1) << "one is unreadable";
  EXPECT_NE(ran.out.find(R"("secrets_sealed":1)"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(R"("unreadable_secrets_of":["contact 411"])"), std::string::npos);
  const std::string fresh = store_.run(factors.find({410}))->sealed;
  const base::KeyRing after = ring();
  EXPECT_EQ(base::KeyRing::id_of(fresh), after.ids().front());
  EXPECT_EQ(after.open(fresh, context), "secret");
}

TEST_F(Keys, OauthK2ActivateEncryptsEverySecretWithTheNewKey) {
  const std::string secret = create_app("client");
  const Ran rotated = app({"rotate-secret", "client"});
  const std::string newer = rotated.out.substr(rotated.out.size() - 65, 64);
  EXPECT_NE(rotate({"--dry-run"}).out.find("would be added"), std::string::npos);
  EXPECT_EQ(content(), kKeys) << "nothing is changed";
  ASSERT_EQ(rotate().status, 0);
  const std::string both = content();
  EXPECT_TRUE(both.starts_with(kKeys)) << "all can read with the new key, and none writes with it";
  const Ran again = rotate();
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("svcctl keys rotate --activate"), std::string::npos) << again.err;
  const std::string before = server_.digest();
  EXPECT_NE(rotate({"--activate", "--dry-run", "--json"}).out.find(R"("secrets_to_seal":2)"),
            std::string::npos);
  EXPECT_EQ(server_.digest(), before);
  EXPECT_EQ(content(), both);
  const Ran done = rotate({"--activate", "--json"});
  ASSERT_EQ(done.status, 0);
  EXPECT_NE(done.out.find(R"("secrets_sealed":2,)"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find(R"("former_keys":["k1"])"), std::string::npos) << done.out;
  const Ran nothing = rotate({"--activate"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.err.find("no key waits"), std::string::npos) << nothing.err;
  const std::string file = content();
  EXPECT_TRUE(file.ends_with(kKeys)) << file;
  for (const std::string what : {"keys.added", "keys.activated"})
    EXPECT_NE(audited().find(what), std::string::npos) << what;
  const std::string bytes = file.substr(file.find(':') + 1, 64);
  EXPECT_EQ((done.out + audited()).find(bytes), std::string::npos);
  const auto only_new = base::KeyRing::parse(file.substr(0, file.find('\n')));
  const auto client = find_client("client");
  ASSERT_EQ(client->secrets.size(), 2u);
  EXPECT_EQ(oauth::open_secret(*only_new, client->id, client->secrets[0]), newer);
  EXPECT_EQ(oauth::open_secret(*only_new, client->id, client->secrets[1]), secret);
  EXPECT_TRUE(oauth::is_secret_of(*only_new, *client, secret));
}

TEST_F(Keys, AnInterruptedActivationIsCompletedByTheNextRun) {
  create_app("client");
  ASSERT_EQ(rotate().status, 0);
  const std::string old_record = server_.text({"GET", stores::keys::client({"client"})});
  ASSERT_EQ(rotate({"--activate"}).status, 0);
  // As if it had ended after the file was written and before this application.
  set(stores::keys::client({"client"}), old_record);
  const Ran again = rotate({"--activate", "--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find(R"("secrets_sealed":1,"secrets_sealed_before":0)"), std::string::npos);
  EXPECT_NE(server_.text({"GET", stores::keys::client({"client"})}), old_record);
}

TEST_F(Keys, OauthK2ActivateWarnsThatPoolsMustHaveReadTheNewKey) {
  create_app("client");
  ASSERT_EQ(rotate().status, 0);
  const std::string fresh = ring().ids().back();
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"--activate", "--dry-run"}, {"--activate"}}) {
    const Ran ran = rotate(call);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.out.find("every grant and web pool, on every machine that shares the store, must "
                           "have been restarted since keys rotate added " +
                           fresh),
              std::string::npos)
        << ran.out;
  }
}

TEST_F(Keys, ActivateNamesApplicationsWhoseSecretNoKeyDecrypts) {
  create_app("client");
  create_app("fine");
  directory_.write("keys", "k2:" + std::string(64, '2') + "\n");
  create_app("later");
  ASSERT_EQ(rotate().status, 0);
  const std::string before = server_.text({"GET", stores::keys::client({"client"})});
  const Ran ran = rotate({"--activate"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("client"), std::string::npos);
  EXPECT_NE(ran.err.find("no key of the file decrypts"), std::string::npos);
  EXPECT_EQ(server_.text({"GET", stores::keys::client({"client"})}), before) << "left as it is";
}

TEST_F(Keys, KeepTheFileIfTheStoreIsUnavailable) {
  server_.stop();
  const Ran ran = rotate();
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ring().ids(), std::vector<std::string>{"k1"});
}

TEST_F(Keys, ReplaceTheTargetOfASymbolicLink) {
  const std::string link = directory_.path("link");
  std::filesystem::create_symlink(key_file_, link);
  const auto before = std::filesystem::file_size(key_file_);
  key_file_ = link;
  ASSERT_EQ(rotate().status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_GT(std::filesystem::file_size(directory_.path("keys")), before);
}

}  // namespace
}  // namespace svc
