#include "loop/shares.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <vector>

#include "fakes/manual_clock.h"

namespace svc::loop {
namespace {

using namespace std::chrono_literals;
using May = Shares::Use::May;

class SharesTest : public testing::Test {
 protected:
  static constexpr std::int64_t kFlood = 7;
  static constexpr std::int64_t kOther = 8;

  // A request that works for that time; nullopt: it was refused.
  std::optional<base::Duration> use(std::int64_t account, base::Duration work,
                                    May may = May::BeRefused) {
    Shares::Use one(&shares_, clock_);
    const auto wait = one.admit(account, may);
    if (wait) {
      *one.spent() += work;
      shares_.worked(work, clock_.now());
    }
    one.finish();
    return wait;
  }
  // The time that the account works in these seconds, if it sends a request whenever it may, while
  // another sends one each 100 ms, which works for `of_other`; nullopt: it sends none.
  base::Duration used_in(std::chrono::seconds time, base::Duration work,
                         std::optional<base::Duration> of_other) {
    base::Duration used{};
    base::Duration busy_until{};
    for (base::Duration at{}; at < time; at += 1ms, clock_.advance(1ms)) {
      if (of_other && at % 100ms == 0s) use(kOther, *of_other);
      if (at < busy_until) continue;
      if (const auto wait = use(kFlood, work)) {
        used += work;
        // Its processors work at the same time.
        busy_until = at + *wait + work / 3;
      }
    }
    return used;
  }

  // Another account uses the pool.
  void make_busy() { use(kOther, 3s); }

  fakes::ManualClock clock_;
  Shares shares_{4, 3};
};

TEST_F(SharesTest, OperationsP82AThirdOfABusyPool) {
  used_in(2s, 5ms, 180ms);
  const base::Duration used = used_in(30s, 5ms, 180ms);
  EXPECT_GT(used, 27s);
  EXPECT_LE(used, 31s) << "of 90 s that three processors have";
}

TEST_F(SharesTest, OperationsP82WhatOthersLeaveOfThePoolUntilItIsBusy) {
  used_in(2s, 6ms, 30ms);
  const base::Duration used = used_in(30s, 6ms, 30ms);
  EXPECT_GT(used, 60s) << "others use 9 s of 90 s";
  EXPECT_LE(used, 64s) << "a fifth stays free";
}

TEST_F(SharesTest, OperationsP82AllOfThePoolWhileNobodyElseSendsRequests) {
  used_in(2s, 6ms, std::nullopt);
  EXPECT_EQ(used_in(30s, 6ms, std::nullopt), 90s);
}

TEST_F(SharesTest, OperationsP82APoolIsBusyAfterAQuarterOfASecondAboveFourFifths) {
  use(kOther, 0s);
  use(kFlood, 600ms);  // of three processors
  EXPECT_EQ(use(kFlood, 0s), 0s);
  use(kOther, 1ms);
  EXPECT_GT(use(kFlood, 0s, May::Wait), 0s);
  clock_.advance(1ms);
  EXPECT_EQ(use(kFlood, 0s), 0s);
}

TEST_F(SharesTest, OperationsP82OthersAreThoseOfTheLastSecond) {
  use(kOther, 0s);
  for (int i = 0; i < 10; ++i) use(kFlood, 1s);
  EXPECT_EQ(use(kFlood, 0s), std::nullopt);
  clock_.advance(Shares::kOthers + 1ns);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(use(kFlood, 1s), 0s);
}

TEST_F(SharesTest, OperationsP82RequestsWithoutAnAccountAreOthers) {
  { Shares::Use unknown(&shares_, clock_); }
  for (int i = 0; i < 10; ++i) use(kFlood, 1s);
  EXPECT_EQ(use(kFlood, 0s), std::nullopt);
}

TEST_F(SharesTest, OperationsP82AnotherAccountNeitherWaitsNorIsRefused) {
  for (int i = 0; i < 100; ++i) {
    use(kFlood, 1s);
    EXPECT_EQ(use(kOther, 2ms), 0s);
    clock_.advance(10ms);
  }
}

TEST_F(SharesTest, OperationsP82RequestsFollowEachOtherAtTheirRate) {
  use(kFlood, 10ms);  // the usual time
  make_busy();
  std::vector<std::unique_ptr<Shares::Use>> all;
  std::vector<base::Duration> waits;
  for (int i = 0; i < 64; ++i) {
    all.push_back(std::make_unique<Shares::Use>(&shares_, clock_));
    if (const auto wait = all.back()->admit(kFlood, May::BeRefused)) waits.push_back(*wait);
  }
  ASSERT_EQ(waits.size(), 64U);
  EXPECT_EQ(waits[10], 0s) << "at once";
  EXPECT_EQ(waits[41] - waits[40], 10ms) << "a third of three processors";
  EXPECT_LE(waits.back(), Shares::kWindow - Shares::kAtOnce);
}

TEST_F(SharesTest, OperationsP82ARequestOfManySecondsHasItsTurn) {
  use(kFlood, 20s);
  use(kOther, 0s);
  EXPECT_EQ(use(kFlood, 20s), std::nullopt);
  clock_.advance(Shares::kWindow);
  make_busy();
  EXPECT_EQ(use(kFlood, 20s), 0s);
}

TEST_F(SharesTest, OperationsP82AQuestionIsNeverRefused) {
  make_busy();
  for (int i = 0; i < 10; ++i) use(kFlood, 1s);
  EXPECT_EQ(use(kFlood, 0s), std::nullopt);
  EXPECT_EQ(use(kFlood, 0s, May::Wait), Shares::kWindow - Shares::kAtOnce);
}

TEST_F(SharesTest, OperationsP82AClientThatLeavesPaysAsExpected) {
  for (int i = 0; i < 100; ++i) use(kFlood, 300ms);
  clock_.advance(10s);
  make_busy();
  for (int i = 0; i < 4; ++i) {
    Shares::Use left(&shares_, clock_);
    left.admit(kFlood, May::BeRefused);
  }
  EXPECT_EQ(use(kFlood, 300ms), std::nullopt);
}

TEST_F(SharesTest, OperationsP82RefusalsDoNotChangeWhatIsExpected) {
  use(kOther, 0s);
  for (int i = 0; i < 100; ++i) use(kFlood, 300ms);
  EXPECT_EQ(use(kFlood, 0s), std::nullopt);
  clock_.advance(150ms);
  make_busy();
  EXPECT_EQ(use(kFlood, 0s), std::nullopt) << "750 ms are used, 300 ms more do not fit";
}

TEST_F(SharesTest, OperationsP82TellsWhatIsLeft) {
  Shares::Use one(&shares_, clock_);
  EXPECT_FALSE(one.left());
  one.admit(kFlood, May::BeRefused);
  EXPECT_EQ(one.left()->share, 1000ms);
  EXPECT_EQ(one.left()->left, 999ms);
  EXPECT_EQ(one.left()->until_all, 1s);
  EXPECT_EQ(Shares(2, 8).left(kFlood, clock_.now()).share, 666ms) << "two workers";
  EXPECT_EQ(Shares(8, 2).left(kFlood, clock_.now()).share, 666ms) << "two processors";
}

TEST_F(SharesTest, OperationsP82WorkersShareItAlsoOneThatIsKilled) {
  const pid_t worker = fork();
  if (worker == 0) {
    Shares::Use one(&shares_, clock_);
    one.admit(kFlood, May::BeRefused);
    for (int i = 0; i < 10; ++i) use(kFlood, 1s);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(worker, &status, 0);
  use(kOther, 0s);
  EXPECT_EQ(use(kFlood, 0s), std::nullopt);
  clock_.advance(Shares::kWindow);
  make_busy();
  EXPECT_EQ(use(kFlood, 0s), 0s);
}

TEST_F(SharesTest, OperationsP82MoreAccountsThanEntriesAreNotRefused) {
  for (std::int64_t account = 1; account < 5000; ++account) EXPECT_EQ(use(account, 1s), 0s);
  clock_.advance(10s);
  for (std::int64_t account = 1; account < 5000; ++account) EXPECT_EQ(use(account, 0s), 0s);
}

}  // namespace
}  // namespace svc::loop
