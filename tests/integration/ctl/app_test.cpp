#include "ctl/app.h"

#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

using App = integration::CommandFixture;

TEST_F(App, K2SecretIsTheOneThatIsVerified) {
  const std::string secret = create_app("client");
  ASSERT_EQ(secret.size(), 64u);
  const auto client = find_client("client");
  ASSERT_TRUE(client);
  EXPECT_TRUE(oauth::is_secret_of(ring(), *client, secret));
  EXPECT_FALSE(oauth::is_secret_of(ring(), *client, secret.substr(1) + "0"));
  EXPECT_EQ(client->created, "2026-05-28T20:26:40Z");
}

TEST_F(App, K2SecretsAreBothRightUntilTheOlderIsRetired) {
  const std::string older = create_app("client");
  const Ran rotated = run(ctl::app_commands(), {"rotate-secret", "client"});
  ASSERT_EQ(rotated.status, 0) << rotated.err;
  const std::string newer = rotated.out.substr(rotated.out.size() - 65, 64);
  const auto right = [&](const std::string& secret) {
    return oauth::is_secret_of(ring(), *find_client("client"), secret);
  };
  EXPECT_TRUE(right(older));
  EXPECT_TRUE(right(newer));
  EXPECT_EQ(run(ctl::app_commands(), {"rotate-secret", "client", "--retire-old"}).status, 0);
  EXPECT_FALSE(right(older));
  EXPECT_TRUE(right(newer));
}

TEST_F(App, IsNotChangedFromWhatItWasAMomentAgo) {
  create_app("client");
  int calls = 0;
  const auto changed = store_.run(registry_.change(
      {"client"}, [&](oauth::Client client) -> base::Result<oauth::Client, std::string> {
        if (++calls == 1) {
          EXPECT_EQ(run(ctl::app_commands(), {"rotate-secret", "client"}).status, 0);
        }
        client.name += "!";
        return client;
      }));
  ASSERT_TRUE(changed);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(find_client("client")->secrets.size(), 2u) << "the other's change is still there";
  EXPECT_EQ(find_client("client")->name, "App!");
}

TEST_F(App, DeletedEndsEveryGrantAlsoThoseThatNoListNames) {
  create_app("client");
  create_app("other");
  const auto listed = authorize({"client"});
  const auto unlisted = authorize({"client"}, {411});
  const auto others = authorize({"other"});
  server_.command({"DEL", redis::keys::client_grants({"client"})});

  const Ran asked = run(ctl::app_commands(), {"delete", "client", "--json"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, R"({"client_id":"client","name":"App","grants":2,"access_tokens":2,)"
                       R"("refresh_tokens":2,"deleted":false})"
                       "\n");
  EXPECT_TRUE(alive(listed.access));

  EXPECT_EQ(run(ctl::app_commands(), {"delete", "client", "--yes"}).status, 0);
  EXPECT_FALSE(find_client("client"));
  for (const oauth::Token& token : {listed.access, listed.refresh, unlisted.access})
    EXPECT_FALSE(alive(token));
  EXPECT_TRUE(alive(others.access));
  for (const auto& grant : {listed.access.grant, unlisted.access.grant})
    EXPECT_EQ(server_.command({"EXISTS", redis::keys::grant(grant)}).integer(), 0);
  const std::string trail = audited();
  EXPECT_NE(trail.find(R"("what":"client.deleted")"), std::string::npos);
  EXPECT_NE(trail.find("2 grants end with it"), std::string::npos) << trail;
  EXPECT_EQ(server_.command({"EXISTS", "oauth:ending_clients"}).integer(), 0);
}

TEST_F(App, DeletedByHalfIsDeletedByTheNextRun) {
  create_app("client");
  const auto tokens = authorize({"client"});
  store_.run(registry_.remove({"client"}, clock_.now()));
  EXPECT_FALSE(alive(tokens.access)) << "ended at once";
  EXPECT_EQ(run(ctl::app_commands(), {"delete", "client", "--yes"}).status, 0);
  EXPECT_EQ(server_.command({"EXISTS", redis::keys::grant(tokens.access.grant)}).integer(), 0);
  EXPECT_EQ(run(ctl::app_commands(), {"delete", "client", "--yes"}).status, 1) << "nothing is left";
}

TEST_F(App, OfAnIdThatIsEndingBeginsWithoutItsGrants) {
  create_app("client");
  const auto tokens = authorize({"client"});
  store_.run(registry_.remove({"client"}, clock_.now()));
  create_app("client");
  EXPECT_TRUE(store_.run(registry_.ending()).empty());
  EXPECT_TRUE(find_client("client"));
  EXPECT_FALSE(alive(tokens.access));
}

TEST_F(App, DoesNotInheritConsentOfAFormerOne) {
  create_app("client");
  const auto tokens = authorize({"client"});
  server_.command({"DEL", redis::keys::client({"client"})});
  create_app("client");
  EXPECT_FALSE(find_grant(tokens.access.grant));
  EXPECT_FALSE(alive(tokens.access));
}

TEST_F(App, WithASecretOfALostKeyIsToldSo) {
  create_app("client");
  directory_.write("keys", "k2:" + std::string(64, '2') + "\n");
  const Ran ran = run(ctl::app_commands(), {"show", "client", "--secret"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("the key k1"), std::string::npos);
  EXPECT_EQ(audited().find("secret.shown"), std::string::npos) << "nothing was";
}

TEST_F(App, ThatCannotBeReadIsNamed) {
  create_app("client");
  set(redis::keys::client({"broken"}), "{");
  const Ran ran = run(ctl::app_commands(), {"list"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.out.starts_with("client  account 41")) << "the others are listed: " << ran.out;
  EXPECT_NE(ran.err.find("the record oauth:client:broken cannot be read: "), std::string::npos);
}

TEST_F(App, D5ThatCannotBeReadIsDeleted) {
  create_app("client");
  const auto tokens = authorize({"client"});
  set(redis::keys::client({"client"}), "{");
  const Ran ran = run(ctl::app_commands(), {"delete", "client", "--yes"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(server_.command({"EXISTS", redis::keys::client({"client"})}).integer(), 0);
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_NE(audited().find("unreadable record, 1 grants end with it"), std::string::npos);
}

}  // namespace
}  // namespace svc
