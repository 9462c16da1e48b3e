#include "pool/respawn_delay.h"

#include <gtest/gtest.h>

#include <vector>

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using base::Duration;

// The delays behind deaths of workers that had lived this long, one after the other.
std::vector<Duration> delays(const std::vector<Duration>& lives) {
  RespawnDelay delay;
  std::vector<Duration> waits;
  for (const Duration lived : lives) waits.push_back(delay.after_death(lived));
  return waits;
}

TEST(RespawnDelay, P8ReplacesTheFirstThatDieYoungAtOnceThenWaitsLongerAndLonger) {
  EXPECT_EQ(delays(std::vector<Duration>(14, 1ms)),
            (std::vector<Duration>{0ms, 0ms, 0ms, 50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms,
                                   5s, 5s, 5s, 5s}));
}

TEST(RespawnDelay, P8NeverWaitsLongerThanItsBound) {
  RespawnDelay delay;
  Duration longest{};
  for (int deaths = 0; deaths < 10'000; ++deaths) {
    const Duration wait = delay.after_death(0ms);
    EXPECT_GE(wait, longest) << deaths;
    longest = wait;
  }
  EXPECT_EQ(longest, 5s);
}

TEST(RespawnDelay, P8ReplacesAWorkerThatLivedAWhileAtOnceHoweverOften) {
  for (const Duration wait : delays(std::vector<Duration>(1000, 200ms))) EXPECT_EQ(wait, 0ms);
}

TEST(RespawnDelay, ForgetsYoungDeathsOnceAWorkerLivedAWhile) {
  EXPECT_EQ(delays({1ms, 1ms, 1ms, 1ms, 1ms, 1h, 199ms, 199ms, 199ms, 199ms}),
            (std::vector<Duration>{0ms, 0ms, 0ms, 50ms, 100ms, 0ms, 0ms, 0ms, 0ms, 50ms}));
}

}  // namespace
}  // namespace svc::pool
