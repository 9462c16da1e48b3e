#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "integration/redis/grants_fixture.h"
#include "loop/all.h"

namespace svc::integration::grants {
namespace {

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

TEST_F(GrantsAtOnce, SurvivesAClosedConnectionAtAnyPoint) {
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
TEST_F(GrantsAtOnce, ARefreshSurvivesAClosedConnection) {
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

TEST_F(GrantsAtOnce, ATokenRefreshedBeforeARevocationIsRevoked) {
  const Tokens tokens = exchanged(worker_);
  const auto issued = worker_->find_token(tokens.refresh);
  Token access = worker_.mint(TokenKind::Access, grant_);
  const auto both = worker_.store().run(
      loop::all(worker_.grants().refresh(tokens.refresh, *issued, issued->scopes, access),
                worker_.grants().revoke_tokens(tokens.refresh)));
  EXPECT_TRUE(std::get<0>(both)) << "it came first";
  EXPECT_FALSE(worker_.alive(access));
}

}  // namespace
}  // namespace svc::integration::grants
