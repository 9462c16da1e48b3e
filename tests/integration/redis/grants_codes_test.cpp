#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "integration/redis/grants_fixture.h"

namespace svc::integration::grants {
namespace {

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

TEST_F(Grants, OauthT8RequestsWithoutAnIdCountAsDifferent) {
  const Token code = consented_code(worker_);
  Tokens tokens = worker_.mint_tokens(grant_);
  ASSERT_EQ(worker_.redeem(code, "", tokens), Redemption::Redeemed);
  EXPECT_EQ(worker_.redeem(code, "", worker_.mint_tokens(grant_)), Redemption::AlreadyUsed);
  EXPECT_FALSE(worker_.alive(tokens.access));
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

// --- issuing codes ---

// The grant ends after the page has read it.
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

}  // namespace
}  // namespace svc::integration::grants
