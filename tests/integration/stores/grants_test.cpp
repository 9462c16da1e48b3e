#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fakes/waiting.h"
#include "integration/stores/grants_fixture.h"
#include "loop/all.h"

namespace svc::integration::grants {
namespace {

// --- lists ---

TEST_F(Grants, ListsGrantsByContactClientAndAccountLastUsedFirst) {
  const auto issue = [&](media::AccountId account, const oauth::ClientId& client) {
    oauth::AuthorizationCode code = record();
    code.issued.account = account;
    code.issued.client = client;
    const auto id = oauth::GrantId::of(kContact, account, client);
    EXPECT_EQ(worker_->issue_code(worker_.mint(TokenKind::Code, id), code, true, kVersion),
              CodeIssue::Issued);
    clock_.advance(10);
    return id.value();
  };
  const std::string a = issue(kAccount, kClient);
  const std::string b = issue({1002}, kClient);
  const std::string c = issue(kAccount, {"app-2"});
  const auto ids = [&](const oauth::GrantList& list) {
    std::string text;
    for (const oauth::Grant& grant : worker_->grants_of(list, 0, 50).grants)
      text += grant.id.value() + " ";
    return text;
  };
  EXPECT_EQ(ids(kContact), c + " " + b + " " + a + " ");
  EXPECT_EQ(ids(kClient), b + " " + a + " ");
  EXPECT_EQ(ids(kAccount), c + " " + a + " ");
  EXPECT_EQ(ids(media::ContactId{8}), "");
  worker_->end({b});
  EXPECT_EQ(ids(kContact), c + " " + a + " ");
  EXPECT_EQ(ids(kClient), a + " ");
  for (const char* list : {"oauth:contact_grants:7", "oauth:account_grants:1001"})
    EXPECT_EQ(server_.command({"ZCARD", list}).integer(), 2) << list;
  EXPECT_EQ(server_.command({"EXISTS", "oauth:account_grants:1002"}).integer(), 0);
  // A grant that ended but is still listed, for example after a replayed code.
  server_.command({"DEL", "oauth:grant:{" + a + "}"});
  EXPECT_EQ(worker_->grants_of(kAccount, 0, 50).total, 1);
  EXPECT_EQ(server_.command({"ZCARD", "oauth:account_grants:1001"}).integer(), 1)
      << "what is gone is taken from the list";
}

TEST_F(Grants, ATokensHolderMustMatchItsRecord) {
  base::SystemEntropy entropy;
  Tokens tokens{Token::mint(TokenKind::Access, grant_, entropy, oauth::Holder{kContact, kAccount}),
                Token::mint(TokenKind::Refresh, grant_, entropy, oauth::Holder{{8}, kAccount})};
  EXPECT_EQ(worker_.redeem(consented_code(worker_), "request", tokens), Redemption::Redeemed);
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_FALSE(worker_.alive(tokens.refresh)) << "its text names another contact";
}

TEST_F(Grants, OauthK5AnAccessTokenOutlivesItsApplicationByAMinuteAtMost) {
  server_.command({"SET", "oauth:client:" + kClient.value(), "{}"});
  const Tokens tokens = exchanged(worker_);
  EXPECT_TRUE(worker_.alive(tokens.access));
  clock_.advance(60);
  EXPECT_TRUE(worker_.alive(tokens.access));
  // The list of the application's grants was lost, so this grant was not ended.
  server_.command(
      {"DEL", "oauth:client:" + kClient.value(), "oauth:client_grants:" + kClient.value()});
  clock_.advance(60);
  EXPECT_FALSE(worker_.alive(tokens.access));
  EXPECT_FALSE(worker_.alive(tokens.access));
}

TEST_F(Grants, OauthK5IssuingTheSameCodeAgainRestoresTheLists) {
  const Token code = worker_.mint(TokenKind::Code, grant_);
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(worker_->issue_code(code, record(), true, kVersion),
              times == 0 ? oauth::CodeIssue::Issued : oauth::CodeIssue::IssuedBefore);
    worker_.catch_up();
    EXPECT_EQ(server_.command({"ZCARD", "oauth:client_grants:" + kClient.value()}).integer(), 1);
    EXPECT_EQ(server_.command({"ZCARD", "oauth:contact_grants:7"}).integer(), 1);
    server_.command({"DEL", "oauth:client_grants:" + kClient.value(), "oauth:contact_grants:7"});
  }
}

TEST_F(Grants, RecordsTheLastUseOfAnAccessTokenOncePerMinute) {
  server_.command({"SET", "oauth:client:" + kClient.value(), "{}"});
  const Tokens tokens = exchanged(worker_);
  clock_.advance(500);
  EXPECT_TRUE(worker_.alive(tokens.access));
  const std::int64_t used = clock_.now();
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, used);
  clock_.advance(59);
  server_.command({"CONFIG", "RESETSTAT"});
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_EQ(server_.text({"INFO", "commandstats"}).find("cmdstat_get:"), std::string::npos)
      << "the worker knows of it";
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, used);
  clock_.advance(1);
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, used + 60);
}

// --- stored form ---

TEST_F(Grants, ValuesMovedToAnotherKeyAreInvalid) {
  const Tokens tokens = exchanged(worker_);
  const Token code = consented_code(worker_);
  const std::string access_key = keys("oauth:access:*").at(0);
  const std::string refresh_key = keys("oauth:refresh:*").at(0);
  const std::string code_key = keys("oauth:code:*").at(0);
  const std::string other = oauth::GrantId::of({8}, kAccount, kClient).value();
  const std::string access = last_access_token();
  const std::string refresh = server_.text({"GET", refresh_key});
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& value :
       {access, changed(refresh, grant_.value(), other), changed(refresh, "refresh", "access")}) {
    server_.command({"SET", refresh_key, value});
    EXPECT_FALSE(worker_.alive(tokens.refresh)) << value;
    EXPECT_FALSE(worker_.refresh(tokens.refresh));
  }
  for (const auto& [field, value] : {std::pair<std::string, std::string>{"grant", other},
                                     std::pair<std::string, std::string>{"kind", "refresh"}}) {
    EXPECT_TRUE(worker_->find_code(code));
    const std::string before = server_.text({"HGET", code_key, field});
    for (const std::string& key : keys("oauth:code:*"))
      server_.command({"HSET", key, field, value});
    EXPECT_FALSE(worker_->find_code(code));
    for (const std::string& key : keys("oauth:code:*"))
      server_.command({"HSET", key, field, before});
  }
  EXPECT_TRUE(worker_.alive(tokens.access));
  for (const std::string& value :
       {refresh, changed(access, grant_.value(), other), changed(access, "access", "refresh")}) {
    server_.command({"DEL", access_key});
    server_.command({"XADD", access_key, "0-1", "token", value});
    EXPECT_FALSE(worker_.alive(tokens.access)) << value;
  }
  server_.command({"DEL", access_key});
  server_.command({"XADD", access_key, "0-1", "token", access});
  EXPECT_TRUE(worker_.alive(tokens.access));
}

// An access token contains its place in the stream, which is not authenticated.
TEST_F(Grants, AnAccessTokenIsFoundOnlyInItsOwnPlace) {
  const Tokens tokens = exchanged(worker_);
  const Token second = *worker_.refresh(tokens.refresh);
  EXPECT_EQ(tokens.access.place, 1u);
  EXPECT_EQ(second.place, 2u);
  for (const std::uint64_t place : {0u, 2u, 3u}) {
    Token moved = tokens.access;
    moved.place = place;
    EXPECT_FALSE(worker_.alive(moved)) << place;
    worker_->revoke_tokens(moved);
  }
  Token forged = worker_.mint(TokenKind::Access, grant_);
  forged.place = 1;
  EXPECT_FALSE(worker_.alive(forged));
  worker_->revoke_tokens(forged);
  EXPECT_TRUE(worker_.alive(tokens.access)) << "what is nobody's token revokes nothing";
  EXPECT_TRUE(worker_.alive(second));
}

// A family keeps the key that began it, so a repetition after a rotation of keys gets the same.
TEST_F(Grants, AFamilyKeepsItsKeyUntilTheKeyIsRemoved) {
  Tokens first = worker_.begin_family(grant_, {kContact, kAccount});
  ASSERT_EQ(worker_.redeem(consented_code(worker_), "request", first), Redemption::Redeemed);
  Worker both(server_, clock_, {}, std::string(kNewKey) + std::string(kOldKey));
  const auto issued = both->find_token(first.refresh);
  ASSERT_TRUE(issued);
  EXPECT_FALSE(issued->used);
  Tokens before = worker_.successors_of(first.refresh), after = both.successors_of(first.refresh);
  EXPECT_EQ(before.refresh.to_text(), after.refresh.to_text());
  EXPECT_EQ(worker_->rotate(first.refresh, *issued, issued->scopes, before.access).outcome,
            oauth::Rotation::Outcome::Rotated);
  EXPECT_EQ(both->rotate(first.refresh, *issued, issued->scopes, after.access).outcome,
            oauth::Rotation::Outcome::Again);
  EXPECT_EQ(before.access.to_text(), after.access.to_text());
  EXPECT_TRUE(both.alive(after.access));
  Worker without(server_, clock_, {}, kNewKey);
  EXPECT_FALSE(without.alive(after.refresh));
  without->revoke_tokens(after.refresh);
  EXPECT_TRUE(both.alive(after.refresh));
}

// An exchange whose reply is lost removes its family again.
TEST_F(Grants, AFamilyThatNoReplicaHasIsTakenBack) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);  // the server lacks a replica
  const Token code = consented_code(worker_);
  Tokens lost = waiting.begin_family(grant_, {kContact, kAccount});
  EXPECT_THROW(waiting.redeem(code, "request", lost), base::Unavailable);
  EXPECT_FALSE(worker_.alive(lost.refresh));
  Tokens tokens = worker_.begin_family(grant_, {kContact, kAccount});
  EXPECT_EQ(worker_.redeem(code, "another", tokens), Redemption::Redeemed);
  EXPECT_TRUE(worker_.alive(tokens.access));
}

TEST_F(Grants, OauthK2TokensOfAnOlderKeyAreFoundUntilTheKeyIsRemoved) {
  const Token code = consented_code(worker_);
  const Tokens tokens = exchanged(worker_);
  Worker rotated(server_, clock_, {}, std::string(kNewKey) + std::string(kOldKey));
  EXPECT_TRUE(rotated.alive(tokens.access));
  EXPECT_TRUE(rotated->find_code(code));
  const auto refreshed = rotated.refresh(tokens.refresh);
  ASSERT_TRUE(refreshed);
  EXPECT_TRUE(rotated.alive(*refreshed));
  Worker only_new(server_, clock_, {}, kNewKey);
  EXPECT_FALSE(only_new.alive(tokens.access));
  EXPECT_TRUE(only_new.alive(*refreshed)) << "the first key writes";
  // Codes, revocation and the replacement of the old refresh token also work
  // with the old key.
  Tokens anew = rotated.mint_tokens(grant_);
  EXPECT_EQ(rotated.redeem(code, "b", anew), Redemption::Redeemed);
  EXPECT_FALSE(rotated.alive(tokens.refresh));
  rotated->revoke_tokens(tokens.access);
  EXPECT_FALSE(rotated.alive(anew.access));
  EXPECT_FALSE(rotated.alive(tokens.access));
}

// A server in cluster mode that has all slots: it refuses a script whose keys
// are in several slots.
class GrantsInCluster : public Grants {
 protected:
  GrantsInCluster()
      : Grants({"--cluster-enabled", "yes", "--cluster-port", "7000", "--bind", own_address()}) {
    server_.command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    // The server needs a moment until its cluster is ok.
    fakes::wait_until([&] {
      return server_.text({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
    });
  }

  // An address of this process alone, so that its port is free: all of
  // 127.0.0.0/8 is this machine.
  static std::string own_address() {
    const pid_t id = getpid();
    return "127." + std::to_string(id >> 16 & 0xff) + "." + std::to_string(id >> 8 & 0xff) + "." +
           std::to_string(id & 0xff);
  }
};

TEST_F(GrantsInCluster, OauthK5AllKeysOfAGrantAreInOneSlot) {
  const Tokens tokens = exchanged(worker_);
  const Token code = consented_code(worker_);
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  worker_.catch_up();
  std::set<std::string> areas;
  std::set<std::int64_t> slots;
  for (const std::string& key : keys()) {
    const std::string area = key.substr(0, key.find(':', key.find(':') + 1));
    if (area == "oauth:contact_grants" || area == "oauth:client_grants" ||
        area == "oauth:account_grants")
      continue;
    areas.insert(area);
    slots.insert(server_.command({"CLUSTER", "KEYSLOT", key}).integer());
  }
  EXPECT_EQ(areas, (std::set<std::string>{"oauth:access", "oauth:code", "oauth:codes",
                                          "oauth:grant", "oauth:grant_used", "oauth:refresh"}));
  EXPECT_EQ(slots.size(), 1u);
  worker_->revoke_tokens(tokens.access);
  EXPECT_FALSE(worker_.alive(tokens.refresh));
  // A family, whose scripts name further keys.
  Tokens family = worker_.begin_family(grant_, {kContact, kAccount});
  ASSERT_EQ(worker_.redeem(consented_code(worker_), "another", family), Redemption::Redeemed);
  const auto issued = worker_->find_token(family.refresh);
  ASSERT_TRUE(issued);
  Tokens next = worker_.successors_of(family.refresh);
  EXPECT_EQ(worker_->rotate(family.refresh, *issued, issued->scopes, next.access).outcome,
            oauth::Rotation::Outcome::Rotated);
  EXPECT_TRUE(worker_.alive(next.access));
  EXPECT_TRUE(worker_->end(grant_));
  EXPECT_FALSE(worker_.alive(next.access));
  EXPECT_TRUE(keys("oauth:access:*").empty());
  EXPECT_FALSE(worker_->find_code(code));
  EXPECT_TRUE(worker_->grants_of(kContact, 0, 50).grants.empty());
}

// --- exchange ---

TEST_F(Grants, ACodeWhoseTokensNoReplicaHasCanBeRedeemedAgain) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);  // the server lacks a replica
  const Token code = consented_code(worker_);
  Tokens lost = waiting.mint_tokens(grant_);
  EXPECT_THROW(waiting.redeem(code, "a", lost), redis::NotReplicated);
  EXPECT_EQ(access_tokens_kept(), 0);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "b", tokens), Redemption::Redeemed) << "nobody has its tokens";
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_TRUE(worker_.alive(tokens.refresh));
  EXPECT_FALSE(worker_.alive(lost.refresh));
  EXPECT_EQ(worker_.redeem(code, "c", worker_.mint_tokens(grant_)), Redemption::AlreadyUsed);
}

// Returns once the worker opens no code again.
void finish(Worker& worker) {
  while (!worker.grants().is_done()) worker.store().loop().turn(std::chrono::seconds(1));
}

// A primary that loses its only replica during an exchange, and refuses writes from then on.
class GrantsWithoutReplica : public Grants {
 protected:
  GrantsWithoutReplica() {
    Tokens lost = waiting_.mint_tokens(grant_);
    const auto found = waiting_->find_code(code_);
    auto redeeming = waiting_.grants().redeem(code_, *found, "a", lost.access, lost.refresh);
    auto both = loop::all(std::move(redeeming), refuse_writes(found->issued.storage.mac));
    EXPECT_THROW(waiting_.store().run(std::move(both)), redis::NotReplicated);
    EXPECT_TRUE(waiting_->find_code(code_)->spent);
    server_.command({"CONFIG", "SET", "min-replicas-to-write", "0"});
  }
  // Once the code is spent.
  loop::Task<> refuse_writes(std::string mac) {
    redis::Store& store = waiting_.store().redis();
    const std::string key = "oauth:code:{" + grant_.value() + "}:" + mac;
    for (bool is_spent = false; !is_spent;) {
      redis::Store::Call call = store.read({"HGET", key, "request"});
      const redis::Reply request = co_await call;
      is_spent = request.text().has_value();
    }
    redis::Store::Call call = store.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
    co_await call;
  }
  Redemption redeem(std::string_view request_id) {
    return worker_.redeem(code_, request_id, tokens_ = worker_.mint_tokens(grant_));
  }

  const Token code_ = consented_code(worker_);
  Tokens tokens_ = worker_.mint_tokens(grant_);
  Worker waiting_{server_, clock_, {}, kOldKey, 1};
};

TEST_F(GrantsWithoutReplica, TheCodeIsOpenAgainOnceWritesAreAccepted) {
  finish(waiting_);
  EXPECT_EQ(redeem("b"), Redemption::Redeemed);
  EXPECT_TRUE(worker_.alive(tokens_.access));
}

TEST_F(GrantsWithoutReplica, TheTokensOfTheSameRequestSentAgainStay) {
  EXPECT_EQ(redeem("a"), Redemption::Redeemed);
  finish(waiting_);
  EXPECT_TRUE(worker_.alive(tokens_.access));
  EXPECT_EQ(redeem("b"), Redemption::AlreadyUsed);
}

// Redis executes the exchange only after the worker has given up.
TEST_F(Grants, ACodeThatWasSpentWithoutAReplyIsOpenAgain) {
  Worker hasty(server_, clock_, {}, kOldKey, 0, std::chrono::seconds(2));
  exchanged(hasty);  // Redis knows the script
  const Token code = consented_code(hasty);
  const auto found = hasty->find_code(code);
  Tokens lost = hasty.mint_tokens(grant_);
  server_.pause();
  EXPECT_THROW(hasty->redeem(code, *found, "a", lost.access, lost.refresh), base::Unavailable);
  server_.resume();
  finish(hasty);
  EXPECT_EQ(worker_.redeem(code, "b", worker_.mint_tokens(grant_)), Redemption::Redeemed);
}

TEST_F(GrantsWithoutReplica, AnExpiredCodeIsLeft) {
  clock_.advance(oauth::Limits{}.code);
  finish(waiting_);
  EXPECT_TRUE(waiting_->find_code(code_)->spent);
}

TEST_F(Grants, ASecondUseStaysOneIfNoReplicaHasIt) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);
  const Token code = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "a", tokens), Redemption::Redeemed);
  EXPECT_THROW(waiting.redeem(code, "b", waiting.mint_tokens(grant_)), redis::NotReplicated);
  EXPECT_FALSE(worker_.alive(tokens.refresh));
  EXPECT_EQ(worker_.redeem(code, "b", worker_.mint_tokens(grant_)), Redemption::Gone);
}

TEST_F(Grants, ARefreshOrRevocationThatNoReplicaHasIsRefused) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);
  const Tokens tokens = exchanged(worker_);
  EXPECT_THROW(waiting.refresh(tokens.refresh), redis::NotReplicated);
  EXPECT_TRUE(worker_.refresh(tokens.refresh)) << "the refresh token stays";
  EXPECT_THROW(waiting->revoke_tokens(tokens.access), redis::NotReplicated);
  EXPECT_THROW(waiting->confirm(tokens.access), redis::NotReplicated) << "of a repeated request";
  EXPECT_NO_THROW(worker_->confirm(tokens.access));
  EXPECT_THROW(waiting->end(grant_), redis::NotReplicated);
}

TEST_F(Grants, RequestsWithoutAnIdCountAsDifferent) {
  const Token code = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "", tokens), Redemption::Redeemed);
  EXPECT_EQ(worker_.redeem(code, "", worker_.mint_tokens(grant_)), Redemption::AlreadyUsed);
  EXPECT_FALSE(worker_.alive(tokens.access));
}

TEST_F(Grants, ReturnsGoneIfTheGrantEndsInBetween) {
  const Token code = consented_code(worker_);
  const auto found = worker_->find_code(code);
  ASSERT_TRUE(found);
  Worker other(server_, clock_);
  EXPECT_TRUE(other->end(grant_));
  Tokens tokens = worker_.mint_tokens(grant_);
  EXPECT_EQ(worker_->redeem(code, *found, "a", tokens.access, tokens.refresh), Redemption::Gone);
  EXPECT_FALSE(worker_.alive(tokens.access));
  // Nor does the code belong to the grant that begins later.
  consented_code(worker_);
  EXPECT_EQ(worker_->redeem(code, *found, "a", tokens.access, tokens.refresh), Redemption::Gone);
  EXPECT_FALSE(worker_->find_code(code));
}

// --- refresh ---

TEST_F(Grants, ARefreshInTheSameMinuteWritesOnlyItsToken) {
  const Tokens tokens = exchanged(worker_);
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  const auto written = [&] {
    const std::string info = server_.text({"INFO", "commandstats"});
    std::string commands;
    for (const std::string name : {"xadd", "set", "hset", "expire", "evalsha", "eval"}) {
      const std::size_t at = info.find("cmdstat_" + name + ":calls=");
      if (at != std::string::npos) commands += info.substr(at, info.find(',', at) - at) + " ";
    }
    return commands;
  };
  server_.command({"CONFIG", "RESETSTAT"});
  clock_.advance(59);
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  EXPECT_EQ(written(), "cmdstat_xadd:calls=1 ");
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, clock_.now() - 59);
  // A minute later, all times are written.
  clock_.advance(2);
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, clock_.now());
  EXPECT_EQ(worker_->find_token(tokens.refresh)->expires, clock_.now() + 60 * 86'400);
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.value() + "}"), 21'600 + 60);
}

TEST_F(Grants, ALongerLifetimeExtendsTheTimeToLive) {
  const Tokens tokens = exchanged(worker_);
  Worker longer(server_, clock_, {.access = 100'000});
  EXPECT_TRUE(longer.refresh(tokens.refresh));
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.value() + "}"), 100'000);
}

// A refresh that was decided before the revocation, but adds its token after a
// new authorization. It may succeed, as if it had come first, but its token is
// invalid.
TEST_F(Grants, ATokenOfAnEarlierGenerationIsInvalid) {
  const Tokens tokens = exchanged(worker_);
  const auto issued = worker_->find_token(tokens.refresh);
  Worker other(server_, clock_);
  other->revoke_tokens(tokens.access);
  const Tokens anew = exchanged(other);
  Token access = worker_.mint(TokenKind::Access, grant_);
  worker_->refresh(tokens.refresh, *issued, issued->scopes, access);
  EXPECT_FALSE(worker_.alive(access));
  EXPECT_TRUE(worker_.alive(anew.access));
  EXPECT_FALSE(worker_.refresh(tokens.refresh));
}

}  // namespace
}  // namespace svc::integration::grants
