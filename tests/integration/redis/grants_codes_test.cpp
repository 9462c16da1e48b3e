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

// A spent code stays, so that its second use ends the grant.
TEST_F(Grants, OauthA47HasTwentyLiveCodesAndTheOldestEnds) {
  Tokens tokens = worker_.mint_tokens(grant_);
  const Token spent = consented_code(worker_);
  EXPECT_EQ(worker_.redeem(spent, "request", tokens), Redemption::Redeemed);
  std::vector<Token> codes;
  for (int i = 0; i < 25; ++i) codes.push_back(consented_code(worker_));
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_EQ(worker_->find_code(codes[i]).has_value(), i >= 5) << i;
  EXPECT_EQ(keys("oauth:code:*").size(), 21U);
  ASSERT_TRUE(worker_->find_code(spent));
  EXPECT_TRUE(worker_->find_code(spent)->spent);
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

}  // namespace
}  // namespace svc::integration::grants
