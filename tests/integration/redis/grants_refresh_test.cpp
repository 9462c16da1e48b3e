#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "integration/redis/grants_fixture.h"

namespace svc::integration::grants {
namespace {

// --- refresh ---

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
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.value() + "}"), 21'600 + 60);
}

TEST_F(Grants, OauthT10RefreshWorksAfterTheAccessTokensWereLost) {
  const Tokens tokens = exchanged(worker_);
  server_.command({"DEL", "oauth:access:{" + grant_.value() + "}"});
  const auto anew = worker_.refresh(tokens.refresh);
  ASSERT_TRUE(anew);
  EXPECT_TRUE(worker_.alive(*anew));
  EXPECT_FALSE(worker_.alive(tokens.access));
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.value() + "}"), 21'600);
}

TEST_F(Grants, OauthT10ALongerLifetimeExtendsTheTimeToLive) {
  const Tokens tokens = exchanged(worker_);
  Worker longer(server_, clock_, {.access = 100'000});
  EXPECT_TRUE(longer.refresh(tokens.refresh));
  EXPECT_GT(seconds_left("oauth:access:{" + grant_.value() + "}"), 100'000);
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

}  // namespace
}  // namespace svc::integration::grants
