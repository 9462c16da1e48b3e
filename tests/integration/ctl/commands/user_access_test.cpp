#include "ctl/commands/user_access.h"

#include <string>
#include <vector>

#include "integration/ctl/command_fixture.h"
#include "login/visitors.h"
#include "redis/login_attempts.h"
#include "redis/standings.h"

namespace svc {
namespace {

using integration::Ran;

class UserAccess : public integration::CommandFixture {
 protected:
  static constexpr media::ContactId kOwner{410};

  // The decision of a worker about a code or token of the contact.
  std::optional<oauth::Barrier> barrier() {
    redis::Standings standings(store_.redis());
    return oauth::barrier_of(store_.run(standings.find_standing({kOwner, {41}})));
  }
  void log_in() {
    redis::LoginAttempts attempts(store_.redis(), keys_, clock_);
    store_.run(attempts.succeeded("Owner@example.com", "192.0.2.1"));
  }
  // The keys that have data of the user.
  std::size_t keys_left() {
    std::size_t left = 0;
    for (const char* pattern :
         {"catalog:contact*", "web:session:*", "web:contact_sessions:*", "web:login_known:*",
          "oauth:grant:*", "oauth:access:*", "oauth:refresh:*", "oauth:contact_grants:*"})
      left += server_.command({"KEYS", pattern}).size();
    return left;
  }

  const base::KeyRing keys_ = ring();
};

TEST_F(UserAccess, DisableRefusesEverySessionAndTokenUntilEnable) {
  create_app("client");
  const auto tokens = authorize({"client"});
  const std::string session = begin_session();
  const std::string found =
      R"({"contact_id":410,"email":"owner@example.com","sessions":1,"grants":1,)"
      R"("access_tokens":1,"refresh_tokens":1,"disabled":)";
  const std::string before = server_.digest();
  const Ran asked = user({"disable", "owner@example.com", "--json"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, found + "false}\n");
  EXPECT_EQ(server_.digest(), before);

  const Ran ran = user({"disable", "Owner@example.com", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, found + "true}\n");
  EXPECT_EQ(barrier(), oauth::Barrier::ContactDisabled);
  EXPECT_FALSE(find_session(session));
  EXPECT_TRUE(alive(tokens.access)) << "it is kept";
  EXPECT_NE(audited().find(R"("what":"contact.disabled","contact":410)"), std::string::npos);

  const std::string trail = audited();
  EXPECT_EQ(user({"disable", "410", "--yes"}).status, 0) << "it can be repeated";
  EXPECT_EQ(audited(), trail) << "what changed nothing is no event";

  const std::string late = begin_session();
  const Ran enabled = user({"enable", "410", "--json"});
  EXPECT_EQ(enabled.status, 0) << enabled.err;
  EXPECT_EQ(enabled.out,
            R"({"contact_id":410,"email":"owner@example.com","grants":1,"access_tokens":1,)"
            R"("refresh_tokens":1,"enabled":true})"
            "\n");
  EXPECT_EQ(barrier(), std::nullopt);
  EXPECT_FALSE(find_session(late)) << "of a login that was under way";
  EXPECT_NE(audited().find(R"("what":"contact.enabled","contact":410)"), std::string::npos);
}

TEST_F(UserAccess, ANewPasswordDoesNotEnable) {
  user({"disable", "410", "--yes"});
  const std::string hash = R"("password_hash":"scrypt)";
  EXPECT_EQ(user({"passwd", "owner@example.com", "--password-stdin"}, "a new password\n").status,
            0);
  const std::string record = server_.text({"GET", "catalog:contact:410"});
  EXPECT_NE(record.find(hash), std::string::npos);
  EXPECT_TRUE(record.ends_with(R"(,"disabled":true})")) << record;
}

TEST_F(UserAccess, DeleteLeavesNoKeyOfTheUser) {
  create_app("client");
  const auto tokens = authorize({"client"});
  const auto unlisted = authorize({"client"}, {411});
  server_.command({"HSET", redis::keys::grant(unlisted.access.grant), "contact", "410"});
  begin_session();
  log_in();
  const Ran ran = user({"delete", "owner@example.com", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out,
            R"({"contact_id":410,"email":"owner@example.com","name":"Owner","accounts":["41"],)"
            R"("grants":2,"access_tokens":2,"refresh_tokens":2,"sessions":1,"deleted":true})"
            "\n");
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_FALSE(alive(unlisted.access));
  server_.command({"DEL", redis::keys::contact_grants({411})});
  EXPECT_EQ(keys_left(), 0u);
  EXPECT_TRUE(find_client("client")) << "the account's application stays";
  EXPECT_NE(audited().find(R"("what":"contact.deleted","contact":410)"), std::string::npos);
  EXPECT_NE(user({"delete", "owner@example.com", "--yes"}).err.find("no user has the email"),
            std::string::npos);
  EXPECT_NE(user({"delete", "410", "--yes"}).err.find("there is no user 410"), std::string::npos);
}

TEST_F(UserAccess, AnInterruptedDeletionIsCompletedByTheNextRun) {
  create_app("client");
  const auto tokens = authorize({"client"});
  // After its first step.
  server_.command({"EVAL",
                   "local r = redis.call('GET', KEYS[1]) "
                   "redis.call('SET', KEYS[1], string.sub(r, 1, -2) .. ',\"disabled\":true}')",
                   "1", "catalog:contact:410"});
  EXPECT_EQ(barrier(), oauth::Barrier::ContactDisabled);
  EXPECT_EQ(user({"delete", "owner@example.com", "--yes"}).status, 0);
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_EQ(keys_left(), 0u);
  // After the deletion of the record, with a grant that a late request has added.
  const auto late = authorize({"client"});
  EXPECT_EQ(user({"delete", "410", "--yes"}).status, 0);
  EXPECT_FALSE(alive(late.access));
  EXPECT_EQ(keys_left(), 0u);
}

TEST_F(UserAccess, DeleteKeepsTheIndexEntryOfAnotherUser) {
  set("catalog:contact_email:owner@example.com", "999");
  EXPECT_EQ(user({"delete", "410", "--yes"}).status, 0);
  EXPECT_EQ(server_.text({"GET", "catalog:contact_email:owner@example.com"}), "999");
}

TEST_F(UserAccess, IsListedAndShown) {
  create_app("client");
  authorize({"client"});
  log_in();
  EXPECT_EQ(user({"list"}).out,
            "ID          STATE        EMAIL                     ACCOUNTS      NAME\n"
            "410         enabled      owner@example.com         41:owner      Owner\n");
  user({"disable", "410", "--yes"});
  EXPECT_EQ(user({"list", "--account", "41", "--json"}).out,
            R"({"contact_id":410,"name":"Owner","email":"owner@example.com",)"
            R"("accounts":["41:owner"],"disabled":true,"has_password":true})"
            "\n");
  EXPECT_EQ(user({"list", "--account", "42", "--json"}).out, "");
  EXPECT_EQ(user({"show", "Owner@example.com", "--json"}).out,
            R"({"contact_id":410,"name":"Owner","email":"owner@example.com",)"
            R"("accounts":["41:owner"],"disabled":true,"has_password":true,"grants":1,)"
            R"("applications":["client"],"sessions":0,"last_login":"2026-05-28T20:26:40Z"})"
            "\n");
  EXPECT_EQ(user({"show", "411"}).status, 1);
}

TEST_F(UserAccess, CommandsRefuseAnUnknownUser) {
  for (const char* command : {"disable", "delete"}) {
    EXPECT_EQ(user({command, "411", "--yes"}).status, 1) << command;
    EXPECT_EQ(user({command, "\x1b[2J@example.com", "--yes"}).err.find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(user({"enable", "411"}).status, 1);
  EXPECT_EQ(audited(), "");
}

}  // namespace
}  // namespace svc
