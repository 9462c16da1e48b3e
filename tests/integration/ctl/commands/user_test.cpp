#include <string>
#include <vector>

#include "base/password_hash.h"
#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "login/visitors.h"
#include "stores/access/factors.h"
#include "stores/access/login_attempts.h"
#include "stores/access/passkeys.h"
#include "stores/access/standings.h"

namespace svc {
namespace {

using integration::Ran;

class User : public integration::CommandFixture {
 protected:
  Ran create(const std::string& email, const std::string& password,
             const std::string& account = "41:owner") {
    return user(
        {"create", "--name", "N", "--email", email, "--account", account, "--password-stdin"},
        password);
  }
  std::string hash_of(media::ContactId id) {
    stores::People people(store_.redis());
    const auto contact = store_.run(people.find_contact(id));
    return contact ? contact->password_hash : "";
  }
  // The decision of a worker about a code or token of the contact.
  std::optional<oauth::Barrier> barrier() {
    stores::Standings standings(store_.redis());
    return oauth::barrier_of(store_.run(standings.find_standing({{410}, {41}})));
  }
  void log_in() {
    const base::KeyRing keys = ring();
    stores::LoginAttempts attempts(state_, keys, clock_);
    store_.run(attempts.succeeded("Owner@example.com", "192.0.2.1"));
  }
  // The id of a new account token.
  std::string make_token() {
    const Ran ran =
        run(ctl::token_commands(), {"create", "--account", "41", "--user", "410", "--name",
                                    "Backup", "--scopes", "media:read", "--expires", "30"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    const std::size_t at = ran.out.find("svcp_");
    return at == std::string::npos ? "" : ran.out.substr(at + 5, 30);
  }
  bool has_tokens() {
    return run(ctl::token_commands(), {"list", "--json"}).out.find("Backup") != std::string::npos;
  }
  void add_factor() {
    stores::Factors factors(store_.redis());
    store_.run(factors.write({410}, {"k1:00", clock_.now(), 1}, {"mac"}));
  }
  bool has_factor() {
    return user({"show", "410", "--json"}).out.find(R"("second_factor":true)") != std::string::npos;
  }
  // The keys that have data of the user.
  std::size_t keys_left() {
    std::size_t left = 0;
    for (const char* pattern :
         {"catalog:contact*", "web:session:*", "web:contact_sessions:*", "web:login_known:*",
          "oauth:grant:*", "oauth:access:*", "oauth:refresh:*", "oauth:contact_grants:*",
          "oauth:account_token*", "oauth:contact_account_tokens:*", "web:login_factor:*"})
      left += server_.command({"KEYS", pattern}).size() + state_command({"KEYS", pattern}).size();
    return left;
  }
};

TEST_F(User, CanLogInWithThePasswordOfTheCommand) {
  const Ran ran = create("n@example.com", "a good password \r\nmore\n");
  ASSERT_EQ(ran.status, 0) << ran.err;
  stores::People people(store_.redis());
  const auto contact = store_.run(people.find_contact("N@EXAMPLE.COM"));
  ASSERT_TRUE(contact);
  EXPECT_TRUE(base::password_matches("a good password ", contact->password_hash));
}

TEST_F(User, CreateStoresOneSpellingOfEmailAndPassword) {
  ASSERT_EQ(create("Jo@EXÄMPLE.de", "a very long cafe\u0301\n").status, 0);
  stores::People people(store_.redis());
  const auto contact = store_.run(people.find_contact("jo@xn--exmple-cua.de"));
  ASSERT_TRUE(contact);
  EXPECT_EQ(contact->email, "Jo@xn--exmple-cua.de");
  EXPECT_TRUE(base::password_matches("a very long caf\u00e9", contact->password_hash));
  for (const std::string email : {"jo@exämple.de", "jo@xn--exmple-cua.de"})
    EXPECT_NE(create(email, "another password\n").err.find("another user already has"),
              std::string::npos);
  // As an earlier version stored it.
  server_.command({"SET", stores::keys::contact_email("jo@münchen.example"), "7"});
  EXPECT_NE(create("jo@xn--mnchen-3ya.example", "another password\n").err.find("another user"),
            std::string::npos);
}

TEST_F(User, OauthL24CreateRefusesInputThatALoginFormCannotSend) {
  for (const std::string email :
       {"jö@acme.example", "a(b)@acme.example", "a@b_c.example", "a@i❤.ws"}) {
    EXPECT_NE(create(email, "a good password\n")
                  .err.find("email must be an email address that a browser"),
              std::string::npos)
        << email;
  }
  for (const std::string& password :
       {std::string("a good\tpassword\n"), std::string("a good\0password\n", 16),
        std::string("a good \xff password\n")})
    EXPECT_NE(create("n@example.com", password).err.find("must be UTF-8 text without control"),
              std::string::npos);
}

TEST_F(User, CreateRefusesInvalidValuesAndNamesTheAllowedOnes) {
  struct Case {
    std::string_view name;
    std::string account, password;
    int status;
    std::string_view said;
  };
  const std::string before = server_.digest();
  for (const Case& c : {
           Case{"a role", "41:boss", "a good password\n", 1, "owner, manager, user"},
           Case{"no role", "41", "a good password\n", 2, "owner, manager, user"},
           Case{"no such account", "43:user", "a good password\n", 1, "no account 43"},
           Case{"a short password", "41:user", "too short\n", 1, "at least 12 characters"},
           Case{"the email", "41:user", "N@Example.com\n", 1, "the email address"},
           Case{"an empty line", "41:user", "\n", 1, "must not be empty"},
           Case{"no line", "41:user", "", 1, "standard input is empty"},
           Case{"a long line", "41:user", std::string(1025, 'x') + "\n", 1, "1,024 bytes"},
       }) {
    SCOPED_TRACE(c.name);
    const Ran ran = create("n@example.com", c.password, c.account);
    EXPECT_EQ(ran.status, c.status);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(c.said), std::string::npos) << ran.err;
  }
  EXPECT_NE(user({"create", "--name", "N", "--email", "n@example.com", "--account", "41:user",
                  "--account", "41:owner", "--password-stdin"},
                 "a good password\n")
                .err.find("twice"),
            std::string::npos);
  EXPECT_EQ(server_.digest(), before);
}

TEST_F(User, PasswordSetEndsTheSessions) {
  const std::string first = begin_session();
  const std::string second = begin_session();
  const std::string others = begin_session({411});
  const Ran ran =
      user({"passwd", "Owner@example.com", "--password-stdin", "--json"}, "new password\n");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, R"({"contact_id":410,"email":"owner@example.com","sessions_ended":2})"
                     "\n");
  EXPECT_FALSE(find_session(first));
  EXPECT_FALSE(find_session(second));
  EXPECT_TRUE(find_session(others));
  EXPECT_TRUE(base::password_matches("new password", hash_of({410})));
  for (const auto& [words, says] :
       {std::pair(std::vector<std::string>{"passwd", "owner@example.com", "--password-stdin"},
                  "must have at least 12 characters"),
        std::pair(std::vector<std::string>{"passwd", "owner@example.com"}, "--password-stdin")})
    EXPECT_NE(user(words, "too short\n").err.find(says), std::string::npos);
  EXPECT_TRUE(base::password_matches("new password", hash_of({410})));
  EXPECT_NE(audited().find(R"("what":"password.changed","contact":410)"), std::string::npos);
}

TEST_F(User, RevokeEndsEveryGrantAndSession) {
  create_app("client");
  create_app("other");
  const auto first = authorize({"client"});
  const auto unlisted = authorize({"other"});
  state_command({"ZREM", stores::keys::contact_grants({410}), unlisted.access.grant.value()});
  const auto others = authorize({"client"}, {411});
  const std::string session = begin_session();
  const std::string foreign = begin_session({411});

  const std::string found =
      R"({"contact_id":410,"email":"owner@example.com","grants":2,"access_tokens":2,)"
      R"("refresh_tokens":2,"account_tokens":0,"sessions":1,"revoked":)";
  const Ran asked = user({"revoke", "owner@example.com", "--json"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, found + "false}\n");
  EXPECT_TRUE(alive(first.access));
  EXPECT_TRUE(find_session(session));

  const Ran ran = user({"revoke", "Owner@Example.com", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, found + "true}\n");
  for (const oauth::Token& token : {first.access, first.refresh, unlisted.access, unlisted.refresh})
    EXPECT_FALSE(alive(token));
  for (const oauth::Token& token : {first.access, unlisted.access}) {
    EXPECT_EQ(state_command({"EXISTS", stores::keys::grant(token.grant)}).integer(), 0)
        << "the consent too";
  }
  EXPECT_FALSE(find_session(session));
  EXPECT_TRUE(alive(others.access));
  EXPECT_TRUE(find_session(foreign));
  EXPECT_NE(audited().find(R"("what":"revoked","contact":410)"), std::string::npos);

  const std::string trail = audited();
  EXPECT_EQ(user({"revoke", "410", "--yes"}).status, 0) << "it can be repeated";
  EXPECT_EQ(audited(), trail) << "what changed nothing is no event";
}

TEST_F(User, RevokeEndsSessionsThatNoListContains) {
  begin_session();
  const std::string late = begin_session();
  const std::string key = stores::keys::session(find_session(late)->id);
  const std::vector<std::string> revoke{"revoke", "410", "--yes", "--json"};
  // The session is in the list, but not written yet, when the command runs.
  state_command({"RENAME", key, "aside"});
  EXPECT_NE(user(revoke).out.find(R"("sessions":1)"), std::string::npos);
  state_command({"RENAME", "aside", key});
  EXPECT_NE(user(revoke).out.find(R"("sessions":1)"), std::string::npos);
  EXPECT_FALSE(find_session(late));
}

TEST_F(User, RevokeAcceptsTheIdOfADeletedUser) {
  create_app("client");
  const auto tokens = authorize({"client"}, {411});
  EXPECT_EQ(user({"revoke", "nobody@example.com", "--yes"}).status, 1);
  EXPECT_EQ(user({"revoke", "411", "--yes"}).status, 0);
  EXPECT_FALSE(alive(tokens.access));
}

TEST_F(User, RevokeEndsAccountTokens) {
  make_token();
  make_token();
  const Ran asked = user({"revoke", "owner@example.com", "--json"});
  EXPECT_NE(asked.out.find(R"("account_tokens":2,"sessions":0,"revoked":false})"),
            std::string::npos)
      << asked.out;
  EXPECT_TRUE(has_tokens());
  EXPECT_EQ(user({"revoke", "owner@example.com", "--yes"}).status, 0);
  EXPECT_FALSE(has_tokens());
  EXPECT_EQ(keys_left(), 2u) << "the record and its index";
}

TEST_F(User, ExportHasTheSecondFactorAndItsPasskeys) {
  EXPECT_NE(user({"export", "410"}).out.find(R"("second_factor":null,)"), std::string::npos);
  add_factor();
  stores::Passkeys passkeys(store_.redis());
  store_.run(passkeys.add({410}, {"aWQ", "Phone", "secret key", {"usb"}, 1780000000, 0}, 0));
  store_.run(passkeys.add({410}, {"aWR", "Laptop", "secret key", {}, 1780000001, 0}, 0));
  store_.run(passkeys.use({410}, "aWR", {.challenge = "", .count = 1}, 1780000002, "turn"));
  const std::string out = user({"export", "410"}).out;
  EXPECT_NE(out.find(R"("recovery_codes":1,"passkeys":[{"name":"Phone","created":)"
                     R"("2026-05-28T20:26:40Z","last_used":null},{"name":"Laptop","created":)"
                     R"("2026-05-28T20:26:41Z","last_used":"2026-05-28T20:26:42Z"}]},"audit":)"),
            std::string::npos)
      << out;
  EXPECT_EQ(out.find("k1:00"), std::string::npos);
  EXPECT_NE(user({"show", "410", "--json"}).out.find(R"("passkeys":2)"), std::string::npos);
}

TEST_F(User, OauthF4ResetFactorsRemovesTheSecondFactor) {
  add_factor();
  stores::Passkeys passkeys(store_.redis());
  store_.run(passkeys.add({410}, {"aWQ", "Phone", "key", {}, 1780000000, 0}, 0));
  const std::string session = begin_session();
  EXPECT_TRUE(has_factor());
  EXPECT_EQ(user({"reset-factors", "nobody@example.com"}).status, 1);
  EXPECT_EQ(user({"reset-factors", "411"}).status, 1);
  const Ran ran = user({"reset-factors", "Owner@example.com", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, R"({"contact_id":410,"email":"owner@example.com","reset":true})"
                     "\n");
  EXPECT_FALSE(has_factor());
  EXPECT_TRUE(store_.run(passkeys.of({410})).empty());
  EXPECT_TRUE(find_session(session));
  EXPECT_NE(audited().find(R"("what":"second_factor.reset","contact":410)"), std::string::npos);
  const std::string trail = audited();
  EXPECT_EQ(user({"reset-factors", "410", "--json"}).out,
            R"({"contact_id":410,"email":"owner@example.com","reset":false})"
            "\n");
  EXPECT_EQ(audited(), trail) << "what changed nothing is no event";
}

TEST_F(User, RevokeEndsThousandsOfGrants) {
  state_command({"EVAL",
                 "for i = 1, 2000 do local g = string.format('%032x', i) "
                 "redis.call('HSET', 'oauth:grant:{' .. g .. '}', 'contact', 410, 'account', 41, "
                 "'client', 'client', 'consent', 'c', 'generation', 'g') "
                 "redis.call('ZADD', 'oauth:contact_grants:410', i, g) end",
                 "0"});
  const Ran ran = user({"revoke", "410", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find(R"("grants":2000)"), std::string::npos) << ran.out;
  EXPECT_EQ(state_command({"KEYS", "oauth:*"}).size(), 0u);
}

TEST_F(User, PasswordSetAddsAMissingPassword) {
  set("catalog:contact:410", R"({"id":410,"name":"Owner","email":"owner@example.com",)"
                             R"("memberships":[{"account_id":41,"role":"owner"}]})");
  EXPECT_EQ(user({"passwd", "owner@example.com", "--password-stdin"}, "new password\n").status, 0);
  EXPECT_TRUE(base::password_matches("new password", hash_of({410})));
}

TEST_F(User, DisableRefusesEverySessionAndTokenUntilEnable) {
  create_app("client");
  const auto tokens = authorize({"client"});
  make_token();
  const std::string session = begin_session();
  const std::string found =
      R"({"contact_id":410,"email":"owner@example.com","sessions":1,"grants":1,)"
      R"("access_tokens":1,"refresh_tokens":1,"account_tokens":1,"disabled":)";
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

TEST_F(User, ANewPasswordDoesNotEnable) {
  user({"disable", "410", "--yes"});
  EXPECT_EQ(user({"passwd", "owner@example.com", "--password-stdin"}, "a new password\n").status,
            0);
  const std::string record = server_.text({"GET", "catalog:contact:410"});
  EXPECT_TRUE(
      base::password_matches("a new password", server_.text({"GET", "catalog:password:410"})));
  EXPECT_EQ(record.find("password_hash"), std::string::npos) << record;
  EXPECT_TRUE(record.ends_with(R"(,"disabled":true})")) << record;
}

TEST_F(User, OperationsD48HashesOfAnEarlierVersionAreMoved) {
  const std::string before = hash_of({410});
  ASSERT_NE(server_.text({"GET", "catalog:contact:410"}).find(before), std::string::npos);
  set("catalog:contact:411", R"({"id":411,"name":"No","email":"no@example.com","memberships":[]})");
  const Ran ran = user({"move-hashes", "--json"});
  EXPECT_EQ(ran.out, "{\"moved\":1}\n") << ran.err;
  EXPECT_EQ(server_.text({"GET", "catalog:contact:410"}).find("password_hash"), std::string::npos);
  EXPECT_EQ(server_.text({"GET", "catalog:password:410"}), before);
  EXPECT_EQ(hash_of({410}), before);
  EXPECT_EQ(user({"move-hashes", "--json"}).out, "{\"moved\":0}\n");
  // A change of the record moves it, too.
  set("catalog:contact:411", R"({"id":411,"name":"No","email":"no@example.com",)"
                             R"("memberships":[],"password_hash":")" +
                                 before + "\"}");
  EXPECT_EQ(user({"disable", "411", "--yes"}).status, 0);
  EXPECT_EQ(server_.text({"GET", "catalog:password:411"}), before);
  EXPECT_EQ(server_.text({"GET", "catalog:contact:411"}),
            R"({"id":411,"name":"No","email":"no@example.com","memberships":[],"disabled":true})");
}

TEST_F(User, DeleteLeavesNoKeyOfTheUser) {
  create_app("client");
  const auto tokens = authorize({"client"});
  const auto unlisted = authorize({"client"}, {411});
  state_command({"HSET", stores::keys::grant(unlisted.access.grant), "contact", "410"});
  make_token();
  add_factor();
  begin_session();
  log_in();
  const Ran ran = user({"delete", "owner@example.com", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      R"({"contact_id":410,"email":"owner@example.com","name":"Owner","accounts":["41"],)"
      R"("grants":2,"access_tokens":2,"refresh_tokens":2,"account_tokens":1,"sessions":1,"deleted":true})"
      "\n");
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_FALSE(alive(unlisted.access));
  state_command({"DEL", stores::keys::contact_grants({411})});
  EXPECT_EQ(keys_left(), 0u);
  EXPECT_TRUE(find_client("client")) << "the account's application stays";
  EXPECT_NE(audited().find(R"("what":"contact.deleted","contact":410)"), std::string::npos);
  EXPECT_NE(user({"delete", "owner@example.com", "--yes"}).err.find("no user has the email"),
            std::string::npos);
  EXPECT_NE(user({"delete", "410", "--yes"}).err.find("there is no user 410"), std::string::npos);
}

TEST_F(User, AnInterruptedDeletionIsCompletedByTheNextRun) {
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

TEST_F(User, IsDeletedByTheIdIfTheRecordCannotBeRead) {
  create_app("client");
  const auto tokens = authorize({"client"});
  begin_session();
  make_token();
  set("catalog:contact:410", "{}");
  EXPECT_NE(user({"delete", "owner@example.com", "--yes"})
                .err.find("the record catalog:contact:410 cannot be read"),
            std::string::npos);
  EXPECT_EQ(user({"disable", "410", "--yes"}).status, 1);
  const Ran deleted = user({"delete", "410", "--yes"});
  EXPECT_EQ(deleted.status, 0) << deleted.err;
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_EQ(keys_left(), 0u);
}

TEST_F(User, DeleteKeepsTheIndexEntryOfAnotherUser) {
  set("catalog:contact_email:owner@example.com", "999");
  EXPECT_EQ(user({"delete", "410", "--yes"}).status, 0);
  EXPECT_EQ(server_.text({"GET", "catalog:contact_email:owner@example.com"}), "999");
}

TEST_F(User, IsListedAndShown) {
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
  EXPECT_EQ(
      user({"show", "Owner@example.com", "--json"}).out,
      R"({"contact_id":410,"name":"Owner","email":"owner@example.com",)"
      R"("accounts":["41:owner"],"disabled":true,"has_password":true,"second_factor":false,"passkeys":0,"grants":1,)"
      R"("applications":["client"],"sessions":0,"last_login":"2026-05-28T20:26:40Z"})"
      "\n");
  EXPECT_EQ(user({"show", "411"}).status, 1);
}

TEST_F(User, CommandsRefuseAnUnknownUser) {
  for (const char* command : {"disable", "delete"}) {
    EXPECT_EQ(user({command, "411", "--yes"}).status, 1) << command;
    EXPECT_EQ(user({command, "\x1b[2J@example.com", "--yes"}).err.find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(user({"enable", "411"}).status, 1);
  EXPECT_EQ(audited(), "");
}

}  // namespace
}  // namespace svc
