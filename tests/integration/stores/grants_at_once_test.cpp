#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "integration/stores/grants_fixture.h"

namespace svc::integration::grants {
namespace {

class GrantsAtOnce : public Grants {
 protected:
  template <class T>
  static loop::Task<> keep(loop::Task<T> task, std::optional<T>& outcome) {
    outcome = co_await task;
  }

  // Sends the commands that were started, without reading replies.
  void send() { worker_.store().loop().turn({}); }
  void finish_all() {
    while (!worker_.store().tasks().is_empty())
      worker_.store().loop().turn(std::chrono::seconds(1));
  }
  void kill_connections() {
    server_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  }
};

TEST_F(GrantsAtOnce, SurvivesAClosedConnectionAtAnyPoint) {
  enum class Closed { BeforeItIsSent, BeforeItRan, AfterItRan };
  for (const Closed closed : {Closed::BeforeItIsSent, Closed::BeforeItRan, Closed::AfterItRan}) {
    SCOPED_TRACE(static_cast<int>(closed));
    exchanged(worker_);  // so that Redis knows the script
    server_.command({"DEL", keys("oauth:code:*").at(0)});
    const Token code = consented_code(worker_);
    Tokens tokens = worker_.mint_tokens(grant_);
    const auto found = worker_->find_code(code);
    ASSERT_TRUE(found);
    if (closed == Closed::BeforeItRan) server_.command({"CLIENT", "PAUSE", "600000", "WRITE"});
    std::optional<Redemption> outcome;
    worker_.store().tasks().spawn(
        keep(worker_.grants().redeem(code, *found, "a", tokens.access, tokens.refresh), outcome));
    if (closed != Closed::BeforeItIsSent) send();
    if (closed == Closed::AfterItRan) {
      while (server_.text({"HGET", keys("oauth:code:*").at(0), "request"}) != "a")
        std::this_thread::yield();
    }
    kill_connections();
    server_.command({"CLIENT", "UNPAUSE"});
    finish_all();
    EXPECT_EQ(outcome, Redemption::Redeemed);
    EXPECT_TRUE(worker_.alive(tokens.access) && worker_.alive(tokens.refresh));
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
    worker_.store().tasks().spawn(
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

}  // namespace
}  // namespace svc::integration::grants
