#include "pool/parent/respawn_delay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using base::Duration;

constexpr base::TimePoint kBegin{1h};

// The delays after the deaths of workers that lived this long, one after
// another.
std::vector<Duration> delays(const std::vector<Duration>& lives) {
  RespawnDelay delay(4, kBegin);
  std::vector<Duration> waits;
  for (const Duration lived : lives) waits.push_back(delay.after_death(lived, kBegin));
  return waits;
}

TEST(RespawnDelay, ReplacesTheFirstYoungDeathsImmediatelyThenBacksOff) {
  EXPECT_EQ(delays(std::vector<Duration>(14, 1ms)),
            (std::vector<Duration>{0ms, 0ms, 0ms, 50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms,
                                   5s, 5s, 5s, 5s}));
}

TEST(RespawnDelay, NeverWaitsLongerThanItsBound) {
  RespawnDelay delay(4, kBegin);
  Duration longest{};
  for (int deaths = 0; deaths < 10'000; ++deaths) {
    const Duration wait = delay.after_death(0ms, kBegin);
    EXPECT_GE(wait, longest) << deaths;
    longest = wait;
  }
  EXPECT_EQ(longest, 5s);
}

TEST(RespawnDelay, ForgetsYoungDeathsAfterALongLife) {
  EXPECT_EQ(delays({1ms, 1ms, 1ms, 1ms, 1ms, 1h, 199ms, 199ms, 199ms, 199ms}),
            (std::vector<Duration>{0ms, 0ms, 0ms, 50ms, 100ms, 0ms, 0ms, 0ms, 0ms, 50ms}));
}

// The delays after `count` deaths of workers that lived 1 s, one death per
// `every`.
std::vector<Duration> series(RespawnDelay& delay, base::TimePoint& now, int count, Duration every) {
  std::vector<Duration> waits;
  for (int i = 0; i < count; ++i) {
    waits.push_back(delay.after_death(1s, now));
    now += every;
  }
  return waits;
}

// operations-N2: 50 workers killed in five seconds, for several sizes of the pool.
TEST(RespawnDelay, ReplacesFiftyKilledInFiveSecondsImmediately) {
  for (const std::size_t workers : {1u, 2u, 4u, 64u, 512u}) {
    SCOPED_TRACE(workers);
    base::TimePoint now = kBegin;
    RespawnDelay delay(workers, now);
    EXPECT_EQ(series(delay, now, 50, 100ms), std::vector<Duration>(50, 0ms));
    now += 2min;
    EXPECT_EQ(series(delay, now, 50, 100ms), std::vector<Duration>(50, 0ms)) << "and again";
  }
}

// Regression test: workers that died 200 ms after their start were always
// replaced immediately.
TEST(RespawnDelay, BacksOffIfWorkersKeepDyingSoonAfterTheirStart) {
  base::TimePoint now = kBegin;
  RespawnDelay delay(1, now);
  // With one worker, only its life of 250 ms and the delay pass.
  std::vector<Duration> waits;
  for (int i = 0; i < 200; ++i) {
    now += 250ms;
    waits.push_back(delay.after_death(250ms, now));
    now += waits.back();
  }
  const auto first = std::find_if(waits.begin(), waits.end(), [](Duration w) { return w > 0ms; });
  EXPECT_EQ(first - waits.begin(), 73) << "64 paid in advance, and the time that went by";
  const std::vector<Duration> grown(first, first + 7);
  EXPECT_EQ(grown, (std::vector<Duration>{50ms, 100ms, 200ms, 400ms, 800ms, 1s, 1s}));
  EXPECT_TRUE(std::all_of(first + 5, waits.end(), [](Duration w) { return w == 1s; }));
}

TEST(RespawnDelay, ReplacesALargePoolThatDiesTogetherImmediately) {
  base::TimePoint now = kBegin;
  RespawnDelay delay(512, now);
  EXPECT_EQ(series(delay, now, 512, 0ms), std::vector<Duration>(512, 0ms));
}

TEST(RespawnDelay, AlwaysReplacesRareDeathsImmediately) {
  base::TimePoint now = kBegin;
  RespawnDelay delay(4, now);
  // Four workers, each of which lives two seconds.
  EXPECT_EQ(series(delay, now, 5000, 500ms), std::vector<Duration>(5000, 0ms));
}

TEST(RespawnDelay, ForgetsDeathsAfterAPause) {
  base::TimePoint now = kBegin;
  RespawnDelay delay(4, now);
  series(delay, now, 70, 0ms);
  EXPECT_GT(series(delay, now, 1, 1s).back(), 0ms);
  EXPECT_GT(series(delay, now, 1, 14s).back(), 0ms) << "a little is not enough";
  now += 2s;
  EXPECT_EQ(series(delay, now, 30, 0ms), std::vector<Duration>(30, 0ms));
}

TEST(RespawnDelay, ItsBudgetIsBoundedAfterALongPause) {
  base::TimePoint now = kBegin;
  RespawnDelay delay(512, now);
  now += 24h * 365 * 50;
  EXPECT_EQ(series(delay, now, 2048, 0ms), std::vector<Duration>(2048, 0ms));
  EXPECT_GT(series(delay, now, 1, 0ms).back(), 0ms);
}

}  // namespace
}  // namespace svc::pool
