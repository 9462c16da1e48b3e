#include "redis/grants.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "integration/trips.h"
#include "loop/all.h"
#include "redis/stored_token.h"

namespace svc {
namespace {

using oauth::CodeIssue;
using oauth::Redemption;
using oauth::Token;
using oauth::TokenKind;

constexpr media::ContactId kContact{7};
constexpr media::AccountId kAccount{1001};
const oauth::ClientId kClient{"app-1"};
constexpr std::int64_t kVersion = 3;

constexpr std::string_view kOldKey =
    "k1:0000000000000000000000000000000000000000000000000000000000000001\n";
constexpr std::string_view kNewKey =
    "k2:0000000000000000000000000000000000000000000000000000000000000002\n";

base::KeyRing ring(std::string_view text) { return std::move(*base::KeyRing::parse(text)); }

oauth::ScopeSet scopes(std::string_view text) { return *oauth::ScopeSet::parse(text); }

struct Tokens {
  Token access;
  Token refresh;
};

// Runs the operations of Grants one after another.
class OneByOne {
 public:
  OneByOne(integration::Store& store, redis::Grants& grants) : store_(store), grants_(grants) {}

  auto find_code(const Token& code) { return store_.run(grants_.find_code(code)); }
  auto redeem(const Token& code, const oauth::AuthorizationCode& record,
              std::string_view request_id, Token& access, const Token& refresh) {
    return store_.run(grants_.redeem(code, record, request_id, access, refresh));
  }
  auto find_token(const Token& token) { return store_.run(grants_.find_token(token)); }
  auto refresh(const Token& refresh, const oauth::Issued& record, const oauth::ScopeSet& wanted,
               Token& access) {
    return store_.run(grants_.refresh(refresh, record, wanted, access));
  }
  void revoke_tokens(const Token& token) { store_.run(grants_.revoke_tokens(token)); }
  void confirm(const Token& token) { store_.run(grants_.confirm(token)); }
  auto end(const oauth::GrantId& grant) { return store_.run(grants_.end(grant)); }
  auto find_grant(const oauth::GrantId& id) { return store_.run(grants_.find_grant(id)); }
  auto issue_code(const Token& code, const oauth::AuthorizationCode& record, bool consented,
                  std::int64_t version) {
    return store_.run(grants_.issue_code(code, record, consented, version));
  }
  auto count_grants(const oauth::GrantList& list) { return store_.run(grants_.count_grants(list)); }
  auto grants_of(const oauth::GrantList& list, std::int64_t first, std::int64_t most) {
    return store_.run(grants_.grants_of(list, first, most));
  }
  auto end_some(const oauth::GrantList& list, std::int64_t most) {
    return store_.run(grants_.end_some(list, most));
  }

 private:
  integration::Store& store_;
  redis::Grants& grants_;
};

// The Grants of one worker, with a connection of its own.
class Worker {
 public:
  Worker(const integration::RedisServer& server, const base::WallClock& clock,
         const oauth::Lifetimes& lifetimes = {}, std::string_view keys = kOldKey,
         unsigned wait_replicas = 0)
      : store_(waiting(server.settings(), wait_replicas)),
        keys_(ring(keys)),
        grants_(store_.redis(), keys_, lifetimes, clock, entropy_),
        one_by_one_(store_, grants_) {}

  OneByOne* operator->() { return &one_by_one_; }
  redis::Grants& grants() { return grants_; }
  integration::Store& store() { return store_; }
  // Returns once all commands that were sent before have been executed.
  void catch_up() { one_by_one_.count_grants(kContact); }

  Token mint(TokenKind kind, const oauth::GrantId& grant) {
    return Token::mint(kind, grant, entropy_);
  }
  Tokens mint_tokens(const oauth::GrantId& grant) {
    return {mint(TokenKind::Access, grant), mint(TokenKind::Refresh, grant)};
  }

  bool alive(const Token& token) { return one_by_one_.find_token(token).has_value(); }

  // Finds the code and redeems it for these tokens.
  Redemption redeem(const Token& code, std::string_view request_id, Tokens& tokens) {
    const auto record = one_by_one_.find_code(code);
    if (!record) return Redemption::Gone;
    return one_by_one_.redeem(code, *record, request_id, tokens.access, tokens.refresh);
  }
  Redemption redeem(const Token& code, std::string_view request_id, Tokens&& tokens) {
    return redeem(code, request_id, tokens);
  }
  std::optional<Token> refresh(const Token& refresh, std::string_view narrower = "") {
    const auto issued = one_by_one_.find_token(refresh);
    if (!issued) return std::nullopt;
    Token access = mint(TokenKind::Access, refresh.grant);
    const auto wanted = narrower.empty() ? issued->scopes : scopes(narrower);
    if (!one_by_one_.refresh(refresh, *issued, wanted, access)) return std::nullopt;
    return access;
  }

 private:
  static redis::ConnectionSettings waiting(redis::ConnectionSettings settings, unsigned replicas) {
    settings.wait_replicas = replicas;
    // Two fifths of it pass before a change counts as not replicated.
    if (replicas > 0) settings.timeout = std::chrono::milliseconds(2'500);
    return settings;
  }

  base::SystemEntropy entropy_;
  integration::Store store_;
  const base::KeyRing keys_;
  redis::Grants grants_;
  OneByOne one_by_one_;
};

class Grants : public testing::Test {
 protected:
  explicit Grants(std::vector<std::string> server_options = {})
      : server_(std::move(server_options)) {}

  const oauth::GrantId grant_ = oauth::GrantId::of(kContact, kAccount, kClient);

  oauth::AuthorizationCode record(std::string_view allowed = "media:read") const {
    oauth::AuthorizationCode code;
    code.issued.client = kClient;
    code.issued.contact = kContact;
    code.issued.account = kAccount;
    code.issued.scopes = scopes(allowed);
    code.redirect_uri = "https://app.example/cb?x=1";
    code.code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    return code;
  }

  // A code to which the contact has just consented.
  Token consented_code(Worker& worker, std::string_view allowed = "media:read") {
    const Token code = worker.mint(TokenKind::Code, grant_);
    const CodeIssue issued = worker->issue_code(code, record(allowed), true, kVersion);
    EXPECT_TRUE(issued == CodeIssue::Issued || issued == CodeIssue::IssuedUnchanged);
    return code;
  }
  Tokens exchanged(Worker& worker, std::string_view allowed = "media:read") {
    Tokens tokens = worker.mint_tokens(grant_);
    EXPECT_EQ(worker.redeem(consented_code(worker, allowed), "request", tokens),
              Redemption::Redeemed);
    return tokens;
  }

  std::vector<std::string> keys(std::string_view pattern = "*") {
    const redis::Reply all = server_.command({"KEYS", pattern});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i) names.emplace_back(*all.at(i).text());
    return names;
  }
  std::int64_t seconds_left(const std::string& key) {
    return server_.command({"TTL", key}).integer();
  }
  std::string last_access_token() {
    const redis::Reply entries = server_.command(
        {"XREVRANGE", "oauth:access:{" + grant_.text + "}", "+", "-", "COUNT", "1"});
    return std::string(redis::field(entries.at(0).at(1), 1));
  }
  std::int64_t access_tokens_kept() {
    return server_.command({"XLEN", "oauth:access:{" + grant_.text + "}"}).integer();
  }
  // Every key with its whole value, whatever its type.
  std::string everything() {
    std::string out;
    const auto add = [&](const redis::Reply& reply) {
      for (std::size_t i = 0; i < reply.size(); ++i)
        out += std::string(reply.at(i).text().value_or("")) + "\n";
    };
    for (const std::string& key : keys()) {
      out += key + "\n";
      const std::string type = server_.text({"TYPE", key});
      if (type == "string") out += server_.text({"GET", key}) + "\n";
      if (type == "hash") add(server_.command({"HGETALL", key}));
      if (type == "stream") {
        const redis::Reply entries = server_.command({"XRANGE", key, "-", "+"});
        for (std::size_t i = 0; i < entries.size(); ++i)
          out += std::string(redis::field(entries.at(i).at(1), 1)) + "\n";
      }
      if (type == "zset") add(server_.command({"ZRANGE", key, "0", "-1", "WITHSCORES"}));
    }
    return out;
  }

  integration::RedisServer server_;
  fakes::ManualWallClock clock_;
  Worker worker_{server_, clock_};
};

// --- codes ---

TEST_F(Grants, OauthA7FindsACodeAsItWasIssued) {
  const Token code = consented_code(worker_, "all:read media:upload");
  const auto found = worker_->find_code(code);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->issued.client, kClient);
  EXPECT_EQ(found->issued.contact, kContact);
  EXPECT_EQ(found->issued.account, kAccount);
  EXPECT_EQ(found->issued.scopes, scopes("all:read media:upload"));
  EXPECT_EQ(found->issued.issued, clock_.now());
  EXPECT_EQ(found->issued.expires, clock_.now() + 60);
  EXPECT_EQ(found->redirect_uri, record().redirect_uri);
  EXPECT_EQ(found->code_challenge, record().code_challenge);
  EXPECT_EQ(found->consent, worker_->find_grant(grant_)->consent);
}

TEST_F(Grants, OauthA7ForgetsACodeAfterAMinute) {
  const Token code = consented_code(worker_);
  clock_.advance(59);
  EXPECT_TRUE(worker_->find_code(code));
  clock_.advance(1);
  EXPECT_FALSE(worker_->find_code(code));
}

TEST_F(Grants, FindsNothingUnderAnotherKindOrGrant) {
  const Token code = consented_code(worker_);
  const Tokens tokens = exchanged(worker_);
  const std::string secret = code.text.substr(code.text.size() - 64);
  const auto other = oauth::GrantId::of({8}, kAccount, kClient);
  EXPECT_FALSE(worker_->find_code(Token::of(TokenKind::Code, other, secret)));
  EXPECT_FALSE(worker_.alive(Token::of(TokenKind::Access, grant_, secret)));
  const std::string access_secret = tokens.access.text.substr(tokens.access.text.size() - 64);
  EXPECT_FALSE(worker_.alive(Token::of(TokenKind::Refresh, grant_, access_secret)));
  EXPECT_FALSE(worker_->find_code(Token::of(TokenKind::Code, grant_, access_secret)));
  EXPECT_TRUE(worker_.alive(tokens.access));
}

// --- exchange ---

TEST_F(Grants, OauthK6ACodeWhoseTokensNoReplicaHasCanBeRedeemedAgain) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);  // the server has no replica
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

TEST_F(Grants, OauthK6ASecondUseStaysOneIfNoReplicaHasIt) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);
  const Token code = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "a", tokens), Redemption::Redeemed);
  EXPECT_THROW(waiting.redeem(code, "b", waiting.mint_tokens(grant_)), redis::NotReplicated);
  EXPECT_FALSE(worker_.alive(tokens.refresh));
  EXPECT_EQ(worker_.redeem(code, "b", worker_.mint_tokens(grant_)), Redemption::Gone);
}

TEST_F(Grants, OauthK6ARefreshOrRevocationThatNoReplicaHasIsRefused) {
  Worker waiting(server_, clock_, {}, kOldKey, 1);
  const Tokens tokens = exchanged(worker_);
  EXPECT_THROW(waiting.refresh(tokens.refresh), redis::NotReplicated);
  EXPECT_TRUE(worker_.refresh(tokens.refresh)) << "the refresh token stays";
  EXPECT_THROW(waiting->revoke_tokens(tokens.access), redis::NotReplicated);
  EXPECT_THROW(waiting->confirm(tokens.access), redis::NotReplicated) << "of a repeated request";
  EXPECT_NO_THROW(worker_->confirm(tokens.access));
  EXPECT_THROW(waiting->end(grant_), redis::NotReplicated);
}

TEST_F(Grants, OauthT7RedeemsACodeForBothTokens) {
  const Token code = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "a", tokens), Redemption::Redeemed);
  for (const Token& token : {tokens.access, tokens.refresh}) {
    const auto issued = worker_->find_token(token);
    ASSERT_TRUE(issued);
    EXPECT_EQ(issued->client, kClient);
    EXPECT_EQ(issued->contact, kContact);
    EXPECT_EQ(issued->account, kAccount);
    EXPECT_EQ(issued->scopes, scopes("media:read"));
    EXPECT_EQ(issued->issued, clock_.now());
  }
  EXPECT_EQ(worker_->find_token(tokens.access)->expires, clock_.now() + 21'600);
  EXPECT_EQ(worker_->find_token(tokens.refresh)->expires, clock_.now() + 60 * 86'400);
}

TEST_F(Grants, OauthT8ARepeatedRequestReplacesTheTokens) {
  const Token code = consented_code(worker_);
  Tokens first = worker_.mint_tokens(grant_);
  Tokens second = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "same", first), Redemption::Redeemed);
  clock_.advance(70);  // also when the code has expired in the meantime
  Worker other(server_, clock_);
  EXPECT_EQ(other.redeem(code, "same", second), Redemption::Redeemed);
  EXPECT_FALSE(worker_.alive(first.access));
  EXPECT_FALSE(worker_.alive(first.refresh));
  EXPECT_TRUE(worker_.alive(second.access));
  EXPECT_TRUE(worker_.alive(second.refresh));
  EXPECT_EQ(access_tokens_kept(), 1);
  EXPECT_EQ(keys("oauth:refresh:*").size(), 1u);
}

TEST_F(Grants, OauthT8ARepeatDoesNotReplaceTokensIssuedAfterARevocation) {
  const Token code = consented_code(worker_);
  Tokens first = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "same", first), Redemption::Redeemed);
  worker_->revoke_tokens(first.refresh);
  const Tokens later = exchanged(worker_);
  ASSERT_EQ(later.access.place, first.access.place);
  EXPECT_EQ(worker_.redeem(code, "same", worker_.mint_tokens(grant_)), Redemption::Redeemed);
  EXPECT_TRUE(worker_.alive(later.access));
}

TEST_F(Grants, OauthT8ASecondRequestWithTheCodeEndsTheGrant) {
  const Tokens older = exchanged(worker_);
  const Token code = consented_code(worker_);
  Tokens first = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "first", first), Redemption::Redeemed);
  const auto refreshed = worker_.refresh(first.refresh);
  ASSERT_TRUE(refreshed);
  Worker other(server_, clock_);
  Tokens second = other.mint_tokens(grant_);
  EXPECT_EQ(other.redeem(code, "second", second), Redemption::AlreadyUsed);
  for (const Token& token : {older.access, older.refresh, first.access, first.refresh, *refreshed,
                             second.access, second.refresh}) {
    EXPECT_FALSE(worker_.alive(token)) << token.text;
  }
  EXPECT_FALSE(worker_->find_grant(grant_));
  // Only once: a third request is refused and does not affect a new consent.
  EXPECT_EQ(other.redeem(code, "third", second), Redemption::Gone);
  const Tokens anew = exchanged(worker_);
  EXPECT_EQ(other.redeem(code, "fourth", second), Redemption::Gone);
  EXPECT_EQ(other.redeem(code, "first", second), Redemption::Gone);
  EXPECT_TRUE(worker_.alive(anew.access));
}

TEST_F(Grants, OauthT8RequestsWithoutAnIdCountAsDifferent) {
  const Token code = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "", tokens), Redemption::Redeemed);
  EXPECT_EQ(worker_.redeem(code, "", worker_.mint_tokens(grant_)), Redemption::AlreadyUsed);
  EXPECT_FALSE(worker_.alive(tokens.access));
}

TEST_F(Grants, OauthT8RecognisesASpentCodeForTenMinutes) {
  const Token code = consented_code(worker_);
  ASSERT_EQ(worker_.redeem(code, "first", worker_.mint_tokens(grant_)), Redemption::Redeemed);
  clock_.advance(599);
  EXPECT_TRUE(worker_->find_code(code));
  const std::int64_t left = seconds_left(keys("oauth:code:*").at(0));
  EXPECT_GT(left, 60);
  EXPECT_LE(left, 600);
}

TEST_F(Grants, OauthT7ReturnsGoneIfTheGrantEndsInBetween) {
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

TEST_F(Grants, OauthT8OneOfManySimultaneousExchangesWins) {
  constexpr int kWorkers = 8;
  for (int round = 0; round < 20; ++round) {
    const Token code = consented_code(worker_);
    const auto found = worker_->find_code(code);
    ASSERT_TRUE(found);
    std::atomic<int> redeemed = 0;
    std::atomic<int> used = 0;
    std::atomic<int> gone = 0;
    std::vector<std::thread> threads;
    std::vector<Tokens> minted;
    for (int i = 0; i < kWorkers; ++i) minted.push_back(worker_.mint_tokens(grant_));
    for (int i = 0; i < kWorkers; ++i) {
      threads.emplace_back([&, i] {
        Worker own(server_, clock_);
        Tokens& tokens = minted[static_cast<std::size_t>(i)];
        switch (own.redeem(code, "request-" + std::to_string(i), tokens)) {
          case Redemption::Redeemed: ++redeemed; break;
          case Redemption::AlreadyUsed: ++used; break;
          case Redemption::Gone: ++gone; break;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(redeemed, 1);
    EXPECT_EQ(used, 1);
    EXPECT_EQ(gone, kWorkers - 2);
    for (const Tokens& tokens : minted) {
      EXPECT_FALSE(worker_.alive(tokens.access));
      EXPECT_FALSE(worker_.alive(tokens.refresh));
    }
  }
}

// --- simultaneous operations in one worker ---

class GrantsAtOnce : public Grants {
 protected:
  struct Exchange {
    Token code;
    Tokens tokens;
    std::string request_id;
  };

  static loop::Task<Redemption> redeemed(redis::Grants& grants, Exchange& one) {
    const std::optional<oauth::AuthorizationCode> record = co_await grants.find_code(one.code);
    if (!record) co_return Redemption::Gone;
    co_return co_await grants.redeem(one.code, *record, one.request_id, one.tokens.access,
                                     one.tokens.refresh);
  }
  static loop::Task<> keep(loop::Task<Redemption> task, std::optional<Redemption>& outcome) {
    outcome = co_await task;
  }
  static loop::Task<> keep(loop::Task<bool> task, std::optional<bool>& outcome) {
    outcome = co_await task;
  }

  // Sends the commands that were started, without reading replies.
  void send() { worker_.store().loop().turn({}); }
  void finish_all() {
    while (worker_.store().loop().tasks() > 0) worker_.store().loop().turn(std::chrono::seconds(1));
  }
  void kill_connections() {
    server_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  }
  bool both_live(const Tokens& tokens) {
    return worker_.alive(tokens.access) && worker_.alive(tokens.refresh);
  }
};

TEST_F(GrantsAtOnce, OauthT7EachExchangeGetsItsOwnOutcome) {
  std::vector<Exchange> all;
  for (std::int64_t contact = 10; contact < 14; ++contact) {
    oauth::AuthorizationCode code = record();
    code.issued.contact = {contact};
    const auto grant = oauth::GrantId::of({contact}, kAccount, kClient);
    const Token minted = worker_.mint(TokenKind::Code, grant);
    ASSERT_EQ(worker_->issue_code(minted, code, true, kVersion), CodeIssue::Issued);
    all.push_back({minted, worker_.mint_tokens(grant), "of " + minted.text});
  }
  all.push_back({all[1].code, worker_.mint_tokens(all[1].code.grant), "another"});
  std::vector<loop::Task<Redemption>> tasks;
  for (Exchange& one : all) tasks.push_back(redeemed(worker_.grants(), one));
  const auto outcomes = worker_.store().run(loop::all(std::move(tasks)));
  for (const std::size_t i : {0u, 2u, 3u}) {
    EXPECT_EQ(outcomes[i], Redemption::Redeemed) << i;
    EXPECT_TRUE(both_live(all[i].tokens)) << i;
  }
  const bool first = outcomes[1] == Redemption::Redeemed;
  EXPECT_EQ(outcomes[first ? 4 : 1], Redemption::AlreadyUsed);
  EXPECT_EQ(outcomes[first ? 1 : 4], Redemption::Redeemed);
  EXPECT_FALSE(worker_.alive(all[1].tokens.access)) << "its code came twice";
  EXPECT_FALSE(worker_.alive(all[4].tokens.access));
}

TEST_F(GrantsAtOnce, OauthT8WorksAfterRedisForgetsItsScripts) {
  exchanged(worker_);
  Exchange one{consented_code(worker_), worker_.mint_tokens(grant_), "a"};
  server_.command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(worker_.store().run(redeemed(worker_.grants(), one)), Redemption::Redeemed);
  EXPECT_TRUE(both_live(one.tokens));
}

TEST_F(GrantsAtOnce, OauthT8SurvivesAClosedConnectionAtAnyPoint) {
  enum class Closed { BeforeItIsSent, BeforeItRan, AfterItRan };
  for (const Closed closed : {Closed::BeforeItIsSent, Closed::BeforeItRan, Closed::AfterItRan}) {
    SCOPED_TRACE(static_cast<int>(closed));
    exchanged(worker_);  // so that Redis knows the script
    server_.command({"DEL", keys("oauth:code:*").at(0)});
    Exchange one{consented_code(worker_), worker_.mint_tokens(grant_), "a"};
    const auto found = worker_->find_code(one.code);
    ASSERT_TRUE(found);
    if (closed == Closed::BeforeItRan) server_.command({"CLIENT", "PAUSE", "600000", "WRITE"});
    std::optional<Redemption> outcome;
    worker_.store().loop().spawn(
        keep(worker_.grants().redeem(one.code, *found, one.request_id, one.tokens.access,
                                     one.tokens.refresh),
             outcome));
    if (closed != Closed::BeforeItIsSent) send();
    if (closed == Closed::AfterItRan) {
      while (server_.text({"HGET", keys("oauth:code:*").at(0), "request"}) != "a")
        std::this_thread::yield();
    }
    kill_connections();
    server_.command({"CLIENT", "UNPAUSE"});
    finish_all();
    EXPECT_EQ(outcome, Redemption::Redeemed);
    EXPECT_TRUE(both_live(one.tokens));
    worker_->end(grant_);
    server_.command({"DEL", keys("oauth:code:*").at(0)});
  }
}

// XADD is sent exactly once. If its reply is lost, a script decides the
// outcome.
TEST_F(GrantsAtOnce, OauthT10ARefreshSurvivesAClosedConnection) {
  for (const bool ran : {false, true}) {
    SCOPED_TRACE(ran ? "after it ran" : "before it ran");
    const Tokens tokens = exchanged(worker_);
    const auto issued = worker_->find_token(tokens.refresh);
    ASSERT_TRUE(issued);
    Token access = worker_.mint(TokenKind::Access, grant_);
    if (!ran) server_.command({"CLIENT", "PAUSE", "600000", "WRITE"});
    std::optional<bool> outcome;
    worker_.store().loop().spawn(
        keep(worker_.grants().refresh(tokens.refresh, *issued, issued->scopes, access), outcome));
    send();
    while (ran && access_tokens_kept() < 2) std::this_thread::yield();
    kill_connections();
    server_.command({"CLIENT", "UNPAUSE"});
    finish_all();
    EXPECT_EQ(outcome, true);
    EXPECT_TRUE(worker_.alive(access));
    EXPECT_TRUE(worker_.alive(tokens.access));
    worker_->end(grant_);
  }
}

TEST_F(GrantsAtOnce, OauthT10ARefreshFailsAfterARevocation) {
  const Tokens tokens = exchanged(worker_);
  const auto issued = worker_->find_token(tokens.refresh);
  Worker other(server_, clock_);
  other->revoke_tokens(tokens.access);
  Token access = worker_.mint(TokenKind::Access, grant_);
  EXPECT_FALSE(worker_->refresh(tokens.refresh, *issued, issued->scopes, access));
  EXPECT_FALSE(worker_.alive(access));
}

TEST_F(GrantsAtOnce, OauthT10ATokenRefreshedBeforeARevocationIsRevoked) {
  const Tokens tokens = exchanged(worker_);
  const auto issued = worker_->find_token(tokens.refresh);
  Token access = worker_.mint(TokenKind::Access, grant_);
  const auto both = worker_.store().run(
      loop::all(worker_.grants().refresh(tokens.refresh, *issued, issued->scopes, access),
                worker_.grants().revoke_tokens(tokens.refresh)));
  EXPECT_TRUE(std::get<0>(both)) << "it came first";
  EXPECT_FALSE(worker_.alive(access));
}

// --- refresh ---

TEST_F(Grants, OauthT10RefreshKeepsTheRefreshTokenAndOlderAccessTokens) {
  const Tokens tokens = exchanged(worker_);
  const auto second = worker_.refresh(tokens.refresh);
  const auto third = worker_.refresh(tokens.refresh);
  ASSERT_TRUE(second && third);
  for (const Token& token : {tokens.access, *second, *third, tokens.refresh})
    EXPECT_TRUE(worker_.alive(token));
}

TEST_F(Grants, OauthT10NarrowingAffectsOnlyTheNewAccessToken) {
  const Tokens tokens = exchanged(worker_, "media:read stats:read");
  const auto narrow = worker_.refresh(tokens.refresh, "stats:read");
  ASSERT_TRUE(narrow);
  EXPECT_EQ(worker_->find_token(*narrow)->scopes, scopes("stats:read"));
  const auto wide = worker_.refresh(tokens.refresh);
  EXPECT_EQ(worker_->find_token(*wide)->scopes, scopes("media:read stats:read"));
}

TEST_F(Grants, OauthT10ANewAuthorizationReplacesTheRefreshTokenAtItsExchange) {
  const Tokens old = exchanged(worker_);
  const Token code = consented_code(worker_);
  EXPECT_TRUE(worker_.alive(old.refresh)) << "the code alone replaces nothing";
  Tokens anew = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "b", anew), Redemption::Redeemed);
  EXPECT_FALSE(worker_.alive(old.refresh));
  EXPECT_FALSE(worker_.refresh(old.refresh));
  EXPECT_TRUE(worker_.alive(old.access));
  EXPECT_TRUE(worker_.alive(anew.refresh));
  EXPECT_EQ(keys("oauth:refresh:*").size(), 1u);
}

TEST_F(Grants, OauthT10ARefreshTokenExpiresAfterTheIdleTimeout) {
  const Tokens tokens = exchanged(worker_);
  constexpr std::int64_t kIdle = 60 * 86'400;
  clock_.advance(kIdle - 1);
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  clock_.advance(kIdle - 1);
  EXPECT_TRUE(worker_.refresh(tokens.refresh)) << "its use began the time anew";
  clock_.advance(kIdle);
  EXPECT_FALSE(worker_.refresh(tokens.refresh));
}

TEST_F(Grants, OauthT10WithoutIdleExpiryARefreshTokenNeverExpires) {
  Worker patient(server_, clock_, {.refresh_idle = 0});
  const Tokens tokens = exchanged(patient);
  clock_.advance(9 * 365 * 86'400);
  EXPECT_TRUE(patient.alive(tokens.refresh));
  EXPECT_TRUE(patient.refresh(tokens.refresh));
  EXPECT_EQ(patient->find_token(tokens.refresh)->expires, 0);
  // If the setting changes, the new value applies from then on.
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  EXPECT_EQ(worker_->find_token(tokens.refresh)->expires, clock_.now() + 60 * 86'400);
  EXPECT_TRUE(patient.refresh(tokens.refresh));
  EXPECT_EQ(patient->find_token(tokens.refresh)->expires, 0);
}

TEST_F(Grants, OauthT10AGrantLivesAsLongAsItsRefreshToken) {
  for (const std::int64_t idle : {std::int64_t{0}, std::int64_t{60} * 86'400, 500 * 86'400L}) {
    SCOPED_TRACE(idle);
    Worker own(server_, clock_, {.refresh_idle = idle});
    exchanged(own);
    EXPECT_GE(seconds_left("oauth:grant:{" + grant_.text + "}"),
              seconds_left(keys("oauth:refresh:*").at(0)));
    EXPECT_TRUE(own->end(grant_));
  }
}

TEST_F(Grants, OauthT11AnAccessTokenExpiresAtItsTime) {
  Worker brief(server_, clock_, {.access = 120});
  const Tokens tokens = exchanged(brief);
  EXPECT_LE(seconds_left(keys("oauth:access:*").at(0)), 240) << "two minutes more, for later ones";
  clock_.advance(119);
  EXPECT_TRUE(worker_.alive(tokens.access));
  clock_.advance(1);
  EXPECT_FALSE(worker_.alive(tokens.access));
}

TEST_F(Grants, OauthK4TheOldestAccessTokensAreRevokedAboveTheCap) {
  Worker capped(server_, clock_, {.live_access_tokens = 3});
  const Tokens tokens = exchanged(capped);
  std::vector<Token> all{tokens.access};
  for (int i = 0; i < 7; ++i) all.push_back(*capped.refresh(tokens.refresh));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(capped.alive(all[i]), i >= all.size() - 3) << i;
  }
  EXPECT_EQ(access_tokens_kept(), 3);
  // A lower cap takes effect immediately.
  Worker stricter(server_, clock_, {.live_access_tokens = 1});
  EXPECT_TRUE(stricter.refresh(tokens.refresh));
  EXPECT_EQ(access_tokens_kept(), 1);
}

TEST_F(Grants, OauthT10ARefreshInTheSameMinuteWritesOnlyItsToken) {
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
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.text + "}"), 21'600 + 60);
}

TEST_F(Grants, OauthT10RefreshWorksAfterTheAccessTokensWereLost) {
  const Tokens tokens = exchanged(worker_);
  server_.command({"DEL", "oauth:access:{" + grant_.text + "}"});
  const auto anew = worker_.refresh(tokens.refresh);
  ASSERT_TRUE(anew);
  EXPECT_TRUE(worker_.alive(*anew));
  EXPECT_FALSE(worker_.alive(tokens.access));
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.text + "}"), 21'600);
}

TEST_F(Grants, OauthT10ALongerLifetimeExtendsTheTimeToLive) {
  const Tokens tokens = exchanged(worker_);
  Worker longer(server_, clock_, {.access = 100'000});
  EXPECT_TRUE(longer.refresh(tokens.refresh));
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.text + "}"), 100'000);
}

// A refresh that was decided before the revocation, but adds its token after a
// new authorization. It may succeed, as if it had come first, but its token is
// invalid.
TEST_F(Grants, OauthT10ATokenOfAnEarlierGenerationIsInvalid) {
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

// --- revocation ---

TEST_F(Grants, OauthV1RevokingOneTokenRevokesAllAndKeepsTheConsent) {
  for (const bool by_access : {true, false}) {
    SCOPED_TRACE(by_access ? "by an access token" : "by the refresh token");
    const Tokens tokens = exchanged(worker_);
    const auto second = worker_.refresh(tokens.refresh);
    Worker other(server_, clock_);
    other->revoke_tokens(by_access ? *second : tokens.refresh);
    for (const Token& token : {tokens.access, tokens.refresh, *second})
      EXPECT_FALSE(worker_.alive(token));
    EXPECT_FALSE(worker_.refresh(tokens.refresh));
    EXPECT_TRUE(keys("oauth:access:*").empty());
    EXPECT_TRUE(keys("oauth:refresh:*").empty());
    EXPECT_TRUE(worker_->find_grant(grant_));
    // A second revocation has no effect, even on later tokens.
    const Tokens later = exchanged(worker_);
    other->revoke_tokens(*second);
    other->revoke_tokens(tokens.refresh);
    EXPECT_TRUE(worker_.alive(later.access));
    EXPECT_TRUE(worker_.alive(later.refresh));
  }
}

TEST_F(Grants, OauthT10NoTokenSurvivesARevocationThatRacesWithRefreshes) {
  constexpr int kRounds = 30;
  constexpr int kThreads = 4;
  int refreshed_before = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Tokens tokens = exchanged(worker_);
    std::atomic<bool> revoked = false;
    std::atomic<int> after = 0;
    std::atomic<int> count = 0;
    std::vector<std::vector<Token>> minted(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Worker own(server_, clock_);
        // Found once, as in a request that is being processed when the
        // revocation comes.
        const auto issued = own->find_token(tokens.refresh);
        for (int tries = 0; tries < 200; ++tries) {
          const bool was_revoked = revoked;
          Token access = own.mint(TokenKind::Access, grant_);
          if (!issued || !own->refresh(tokens.refresh, *issued, issued->scopes, access)) break;
          minted[static_cast<std::size_t>(i)].push_back(access);
          ++count;
          if (was_revoked) ++after;
        }
      });
    }
    Worker revoking(server_, clock_);
    while (count < 1 + round % 7) std::this_thread::yield();
    revoking->revoke_tokens(tokens.refresh);
    revoked = true;
    for (std::thread& thread : threads) thread.join();
    refreshed_before += count;
    EXPECT_EQ(after, 0) << "a refresh succeeded after the revocation had returned";
    for (const auto& of_thread : minted) {
      for (const Token& token : of_thread) EXPECT_FALSE(worker_.alive(token));
    }
    EXPECT_TRUE(keys("oauth:access:*").empty());
  }
  EXPECT_GE(refreshed_before, kRounds);
}

TEST_F(Grants, OauthV2EndDeletesTheGrantWithItsCodesAndTokens) {
  const Tokens tokens = exchanged(worker_);
  const Token code = consented_code(worker_);
  Worker other(server_, clock_);
  EXPECT_TRUE(other.alive(tokens.access));
  EXPECT_TRUE(worker_->end(grant_));
  EXPECT_FALSE(other.alive(tokens.access));
  EXPECT_FALSE(other.alive(tokens.refresh));
  EXPECT_FALSE(other->find_code(code));
  EXPECT_FALSE(other->find_grant(grant_));
  EXPECT_FALSE(worker_->end(grant_)) << "there is none any more";
}

// --- issuing codes ---

TEST_F(Grants, OauthL6AConsentCreatesAGrantAndAnotherWidensIt) {
  consented_code(worker_, "media:read");
  const auto first = worker_->find_grant(grant_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->contact, kContact);
  EXPECT_EQ(first->account, kAccount);
  EXPECT_EQ(first->client, kClient);
  EXPECT_EQ(first->scopes, scopes("media:read"));
  EXPECT_EQ(first->permission_version, kVersion);
  EXPECT_EQ(first->created, clock_.now());
  clock_.advance(100);
  consented_code(worker_, "stats:read");
  const auto second = worker_->find_grant(grant_);
  EXPECT_EQ(second->scopes, scopes("media:read stats:read"));
  EXPECT_EQ(second->consent, first->consent);
  EXPECT_EQ(second->created, first->created);
  EXPECT_EQ(second->last_used, clock_.now());
  // For another version of the permissions, earlier consents do not count.
  const Token code = worker_.mint(TokenKind::Code, grant_);
  EXPECT_EQ(worker_->issue_code(code, record("all:read"), true, kVersion + 1), CodeIssue::Issued);
  EXPECT_EQ(worker_->find_grant(grant_)->scopes, scopes("all:read"));
  EXPECT_EQ(worker_->find_grant(grant_)->permission_version, kVersion + 1);
}

TEST_F(Grants, OauthK7ARepeatedConsentDoesNotChangeTheGrant) {
  const auto issue = [&](std::string_view allowed, std::int64_t version) {
    const Token code = worker_.mint(TokenKind::Code, grant_);
    return worker_->issue_code(code, record(allowed), true, version);
  };
  EXPECT_EQ(issue("media:read stats:read", kVersion), CodeIssue::Issued);
  EXPECT_EQ(issue("media:read stats:read", kVersion), CodeIssue::IssuedUnchanged);
  EXPECT_EQ(issue("stats:read", kVersion), CodeIssue::IssuedUnchanged) << "less than before";
  EXPECT_EQ(issue("all:read", kVersion), CodeIssue::Issued) << "wider";
  EXPECT_EQ(issue("all:read", kVersion + 1), CodeIssue::Issued) << "other permissions";
  worker_->end(grant_);
  EXPECT_EQ(issue("all:read", kVersion + 1), CodeIssue::Issued) << "another grant";
}

TEST_F(Grants, OauthL6ARememberedConsentIssuesCodesUntilItChanges) {
  consented_code(worker_, "media:read stats:read");
  oauth::AuthorizationCode remembered = record("media:read");
  remembered.consent = worker_->find_grant(grant_)->consent;
  const Token code = worker_.mint(TokenKind::Code, grant_);
  EXPECT_EQ(worker_->issue_code(code, remembered, false, kVersion), CodeIssue::Issued);
  EXPECT_EQ(worker_->find_code(code)->issued.scopes, scopes("media:read"));
  EXPECT_EQ(worker_->find_grant(grant_)->scopes, scopes("media:read stats:read"));
  worker_->end(grant_);
  const Token late = worker_.mint(TokenKind::Code, grant_);
  EXPECT_EQ(worker_->issue_code(late, remembered, false, kVersion), CodeIssue::Changed);
  consented_code(worker_);
  EXPECT_EQ(worker_->issue_code(late, remembered, false, kVersion), CodeIssue::Changed);
  EXPECT_FALSE(worker_->find_code(late));
}

TEST_F(Grants, OauthL5IssuingTheSameCodeTwiceChangesNothing) {
  const Token code = consented_code(worker_);
  const auto first = worker_->find_code(code);
  clock_.advance(5);
  EXPECT_EQ(worker_->issue_code(code, record(), true, kVersion), CodeIssue::IssuedBefore);
  EXPECT_EQ(worker_->find_code(code)->issued.expires, first->issued.expires);
  ASSERT_EQ(worker_.redeem(code, "a", worker_.mint_tokens(grant_)), Redemption::Redeemed);
  EXPECT_EQ(worker_->issue_code(code, record(), true, kVersion), CodeIssue::Spent);
  ASSERT_EQ(worker_.redeem(code, "b", worker_.mint_tokens(grant_)), Redemption::AlreadyUsed);
  EXPECT_EQ(worker_->issue_code(code, record(), true, kVersion), CodeIssue::Spent);
  EXPECT_FALSE(worker_->find_grant(grant_)) << "a double click brings back no grant";
}

TEST_F(Grants, OauthL5ManySimultaneousClicksIssueOneCode) {
  const Token code = worker_.mint(TokenKind::Code, grant_);
  std::vector<std::thread> threads;
  std::atomic<int> issued = 0;
  std::atomic<int> before = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Worker own(server_, clock_);
      const CodeIssue outcome = own->issue_code(code, record(), true, kVersion);
      if (outcome == CodeIssue::Issued) ++issued;
      if (outcome == CodeIssue::IssuedBefore) ++before;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(issued, 1);
  EXPECT_EQ(before, 7);
  EXPECT_TRUE(worker_->find_code(code));
}

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
    return id.text;
  };
  const std::string a = issue(kAccount, kClient);
  const std::string b = issue({1002}, kClient);
  const std::string c = issue(kAccount, {"app-2"});
  const auto ids = [&](const oauth::GrantList& list) {
    std::string text;
    for (const oauth::Grant& grant : worker_->grants_of(list, 0, 50).grants)
      text += grant.id.text + " ";
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

class ManyGrants : public Grants {
 protected:
  static constexpr std::int64_t kMany = 3000;

  ManyGrants() {
    server_.command(
        {"EVAL",
         "for i = 1, tonumber(ARGV[1]) do local g = string.format('%032x', i) "
         "redis.call('HSET', 'oauth:grant:{' .. g .. '}', 'contact', i, 'account', 1001, 'client', "
         "'app-1', 'scopes', 'media:read', 'permission_version', 1, 'consent', 'c', 'generation', "
         "'g', 'created', 1, 'last_used', i) for _, list in ipairs({'client_grants:app-1', "
         "'account_grants:1001', 'contact_grants:' .. i}) do redis.call('ZADD', 'oauth:' .. list, "
         "i, g) end end",
         "0", std::to_string(kMany)});
  }

  int trips_of(const std::function<void(OneByOne&)>& action) {
    base::SystemEntropy entropy;
    integration::Trips trips;
    redis::ConnectionSettings settings = server_.settings();
    settings.observer = &trips;
    integration::Store store(settings);
    const base::KeyRing keys = ring(kOldKey);
    redis::Grants grants(store.redis(), keys, {}, clock_, entropy);
    OneByOne one_by_one(store, grants);
    action(one_by_one);
    return trips.count;
  }
};

TEST_F(ManyGrants, AreCountedAndListedInAFewRoundTrips) {
  EXPECT_LE(trips_of([](OneByOne& grants) { EXPECT_EQ(grants.count_grants(kClient), kMany); }), 1);
  for (const oauth::GrantList& list : {oauth::GrantList(kClient), oauth::GrantList(kAccount)}) {
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1000}, kMany - 50}) {
      EXPECT_LE(trips_of([&](OneByOne& grants) {
                  const oauth::GrantPage page = grants.grants_of(list, first, 50);
                  EXPECT_EQ(page.total, kMany);
                  ASSERT_EQ(page.grants.size(), 50u);
                  EXPECT_EQ(page.grants[0].contact.number, kMany - first);
                  EXPECT_EQ(page.grants[49].contact.number, kMany - first - 49);
                }),
                2);
    }
  }
  EXPECT_TRUE(worker_->grants_of(kClient, kMany, 50).grants.empty());
}

TEST_F(ManyGrants, EndInBatchesAndAreRemovedFromEveryList) {
  worker_->end(grant_);  // so that Redis knows the script
  std::int64_t left = kMany;
  while (left > 0) {
    EXPECT_LE(trips_of([&](OneByOne& grants) {
                EXPECT_EQ(grants.end_some(kClient, 500), std::min<std::int64_t>(left, 500));
              }),
              3);
    left -= 500;
    EXPECT_EQ(worker_->count_grants(kAccount), std::max<std::int64_t>(left, 0));
  }
  EXPECT_EQ(worker_->end_some(kClient, 500), 0);
  EXPECT_EQ(keys("oauth:*").size(), 0u);
}

TEST_F(Grants, OauthB3AccessTokensOfAnEndingApplicationAreInvalid) {
  const Tokens tokens = exchanged(worker_);
  EXPECT_TRUE(worker_.alive(tokens.access));
  server_.command({"ZADD", "oauth:ending_clients", "1", "another"});
  EXPECT_TRUE(worker_.alive(tokens.access));
  server_.command({"ZADD", "oauth:ending_clients", "2", kClient.text});
  EXPECT_FALSE(worker_.alive(tokens.access));
}

TEST_F(Grants, OauthB3ATokensHolderMustMatchItsRecord) {
  base::SystemEntropy entropy;
  Tokens tokens{Token::mint(TokenKind::Access, grant_, entropy, oauth::Holder{kContact, kAccount}),
                Token::mint(TokenKind::Refresh, grant_, entropy, oauth::Holder{{8}, kAccount})};
  EXPECT_EQ(worker_.redeem(consented_code(worker_), "request", tokens), Redemption::Redeemed);
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_FALSE(worker_.alive(tokens.refresh)) << "its text names another contact";
}

TEST_F(Grants, OauthK5AnAccessTokenOutlivesItsApplicationByAMinuteAtMost) {
  server_.command({"SET", "oauth:client:" + kClient.text, "{}"});
  const Tokens tokens = exchanged(worker_);
  EXPECT_TRUE(worker_.alive(tokens.access));
  clock_.advance(60);
  EXPECT_TRUE(worker_.alive(tokens.access));
  // The list of the application's grants was lost, so this grant was not ended.
  server_.command({"DEL", "oauth:client:" + kClient.text, "oauth:client_grants:" + kClient.text});
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
    EXPECT_EQ(server_.command({"ZCARD", "oauth:client_grants:" + kClient.text}).integer(), 1);
    EXPECT_EQ(server_.command({"ZCARD", "oauth:contact_grants:7"}).integer(), 1);
    server_.command({"DEL", "oauth:client_grants:" + kClient.text, "oauth:contact_grants:7"});
  }
}

TEST_F(Grants, RecordsTheLastUseOfAnAccessTokenOncePerMinute) {
  server_.command({"SET", "oauth:client:" + kClient.text, "{}"});
  const Tokens tokens = exchanged(worker_);
  clock_.advance(500);
  EXPECT_TRUE(worker_.alive(tokens.access));
  const std::int64_t used = clock_.now();
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, used);
  clock_.advance(59);
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, used);
  clock_.advance(1);
  EXPECT_TRUE(worker_.alive(tokens.access));
  EXPECT_EQ(worker_->find_grant(grant_)->last_used, used + 60);
}

// --- stored form ---

TEST_F(Grants, OauthK1StoresNoSecretInClear) {
  const Token code = consented_code(worker_);
  const Token unspent = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "a", tokens), Redemption::Redeemed);
  const auto second = worker_.refresh(tokens.refresh);
  EXPECT_TRUE(worker_.alive(*second));
  const std::string all = everything();
  EXPECT_NE(all.find(grant_.text), std::string::npos);
  for (const Token& token : {code, unspent, tokens.access, tokens.refresh, *second}) {
    EXPECT_EQ(all.find(token.text), std::string::npos);
    EXPECT_EQ(all.find(token.text.substr(token.text.size() - 64)), std::string::npos);
  }
}

TEST_F(Grants, OauthK1ValuesContainTheirKindGrantAndClient) {
  const Token code = consented_code(worker_);
  exchanged(worker_);
  for (const auto& [pattern, kind] :
       std::map<std::string, std::string>{{"oauth:code:*", "code"},
                                          {"oauth:access:*", "access"},
                                          {"oauth:refresh:*", "refresh"}}) {
    for (const std::string& key : keys(pattern)) {
      // A code is a hash, the others are texts of several lines.
      std::string said = "\n";
      if (kind == "access") {
        said += last_access_token() + "\n";
      } else if (kind == "refresh") {
        said += server_.text({"GET", key}) + "\n";
      } else {
        for (const char* field : {"kind", "grant", "client"})
          said += server_.text({"HGET", key, field}) + "\n";
      }
      for (const std::string& part : {kind, grant_.text, kClient.text})
        EXPECT_NE(said.find("\n" + part + "\n"), std::string::npos) << part << " in " << said;
    }
  }
}

TEST_F(Grants, OauthK1ValuesMovedToAnotherKeyAreInvalid) {
  const Tokens tokens = exchanged(worker_);
  const Token code = consented_code(worker_);
  const std::string access_key = keys("oauth:access:*").at(0);
  const std::string refresh_key = keys("oauth:refresh:*").at(0);
  const std::string code_key = keys("oauth:code:*").at(0);
  const std::string other = oauth::GrantId::of({8}, kAccount, kClient).text;
  const std::string access = last_access_token();
  const std::string refresh = server_.text({"GET", refresh_key});
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& value :
       {access, changed(refresh, grant_.text, other), changed(refresh, "refresh", "access")}) {
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
       {refresh, changed(access, grant_.text, other), changed(access, "access", "refresh")}) {
    server_.command({"DEL", access_key});
    server_.command({"XADD", access_key, "0-1", "token", value});
    EXPECT_FALSE(worker_.alive(tokens.access)) << value;
  }
  server_.command({"DEL", access_key});
  server_.command({"XADD", access_key, "0-1", "token", access});
  EXPECT_TRUE(worker_.alive(tokens.access));
}

// An access token contains its place in the stream, which is not authenticated.
TEST_F(Grants, OauthK1AnAccessTokenIsFoundOnlyInItsOwnPlace) {
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

TEST_F(Grants, OauthK4EveryKeyHasATimeToLive) {
  for (const std::int64_t idle : {std::int64_t{0}, std::int64_t{60} * 86'400}) {
    SCOPED_TRACE(idle);
    Worker own(server_, clock_, {.refresh_idle = idle});
    const Tokens tokens = exchanged(own);
    for (const std::string& key : keys()) EXPECT_GT(seconds_left(key), 0) << key;
    consented_code(own);
    EXPECT_TRUE(own.refresh(tokens.refresh));
    EXPECT_TRUE(own.alive(tokens.access));
    own.catch_up();
    const auto all = keys();
    EXPECT_GE(all.size(), 8u);
    for (const std::string& key : all) EXPECT_GT(seconds_left(key), 0) << key;
    own->revoke_tokens(tokens.access);
    for (const std::string& key : keys()) EXPECT_GT(seconds_left(key), 0) << key;
    own->end(grant_);
    for (const std::string& key : keys()) EXPECT_GT(seconds_left(key), 0) << key;
  }
}

// A server in cluster mode that has all slots: it refuses a script whose keys
// are in several slots.
class GrantsInCluster : public Grants {
 protected:
  GrantsInCluster()
      : Grants({"--cluster-enabled", "yes", "--cluster-port", "7000", "--bind", own_address()}) {
    server_.command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    // The server needs a moment until its cluster is ok.
    while (server_.text({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
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
  EXPECT_EQ(areas, (std::set<std::string>{"oauth:access", "oauth:code", "oauth:grant",
                                          "oauth:grant_used", "oauth:refresh"}));
  EXPECT_EQ(slots.size(), 1u);
  worker_->revoke_tokens(tokens.access);
  EXPECT_FALSE(worker_.alive(tokens.refresh));
  EXPECT_TRUE(worker_->end(grant_));
  EXPECT_FALSE(worker_->find_code(code));
  EXPECT_TRUE(worker_->grants_of(kContact, 0, 50).grants.empty());
}

TEST_F(Grants, WorksAfterRedisForgetsItsScripts) {
  const Tokens tokens = exchanged(worker_);
  server_.command({"SCRIPT", "FLUSH"});
  EXPECT_TRUE(worker_.refresh(tokens.refresh));
  server_.command({"SCRIPT", "FLUSH"});
  worker_->revoke_tokens(tokens.refresh);
  EXPECT_FALSE(worker_.alive(tokens.access));
}

TEST_F(Grants, OauthT6AnOutageIsNotAnUnknownToken) {
  const Tokens tokens = exchanged(worker_);
  const Token code = consented_code(worker_);
  server_.stop();
  EXPECT_THROW(worker_->find_code(code), base::Unavailable);
  EXPECT_THROW(worker_->find_token(tokens.access), base::Unavailable);
  EXPECT_THROW(worker_->revoke_tokens(tokens.access), base::Unavailable);
}

TEST_F(Grants, OauthT8AFullStoreDoesNotSpendTheCode) {
  const Token code = consented_code(worker_);
  const auto found = worker_->find_code(code);
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  Tokens tokens = worker_.mint_tokens(grant_);
  EXPECT_THROW(worker_->redeem(code, *found, "a", tokens.access, tokens.refresh),
               base::Unavailable);
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  Worker other(server_, clock_);
  EXPECT_EQ(other.redeem(code, "b", tokens), Redemption::Redeemed);
}

}  // namespace
}  // namespace svc
