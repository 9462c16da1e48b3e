#include "pool/metrics/scoreboard.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace svc::pool {
namespace {

TEST(Scoreboard, SlotsDoNotShareCacheLines) {
  Scoreboard board(2);
  const auto first = reinterpret_cast<std::uintptr_t>(&board.slot(0));
  const auto second = reinterpret_cast<std::uintptr_t>(&board.slot(1));
  EXPECT_EQ(first % 64, 0u);
  EXPECT_EQ((second - first) % 64, 0u);
}

TEST(Scoreboard, IsSharedAcrossFork) {
  Scoreboard board(2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Slot& slot = board.slot(1);
    slot.pid = getpid();
    slot.requests = 42;
    slot.begin_request("/oembed", 7);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(board.slot(1).pid, child);
  EXPECT_EQ(board.slot(1).requests, 42u);
  EXPECT_EQ(board.slot(1).phase, Phase::Handling);
  EXPECT_EQ(board.slot(1).since, 7);
  EXPECT_EQ(board.slot(1).path_text(), "/oembed");
  EXPECT_EQ(board.slot(0).phase, Phase::Free) << "a slot is its own worker's";
}

TEST(Scoreboard, GrowsUpToItsCapacity) {
  Scoreboard board(1, 3);
  EXPECT_EQ(board.slots().size(), 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(board.find_free(), i);
    board.slot(i).phase = Phase::Idle;
  }
  EXPECT_EQ(board.slots().size(), 3u);
  EXPECT_EQ(board.find_free(), board.capacity()) << "no room";
  board.give_back(1);
  EXPECT_EQ(board.find_free(), 1u);
}

TEST(Scoreboard, KeepsTheCountersOfExitedWorkers) {
  Scoreboard board(2);
  const std::size_t endpoint = board.endpoint("/oembed");
  board.slot(0).phase = Phase::Idle;
  board.counters(0).count(endpoint, 200, std::chrono::milliseconds(1));
  board.counters(0).count(endpoint, 503, base::Duration(0));
  board.counters(1).count(endpoint, 200, std::chrono::milliseconds(2));
  board.give_back(0);
  EXPECT_EQ(board.slot(0).phase, Phase::Free);
  board.counters(0).count(endpoint, 503, std::chrono::milliseconds(4));
  Counters all;
  board.sum(all);
  EXPECT_EQ(all.endpoints[endpoint].statuses[1], 2u);
  EXPECT_EQ(all.endpoints[endpoint].statuses[4], 2u);
  const std::size_t unavailable = static_cast<std::size_t>(ServerError::Unavailable);
  EXPECT_EQ(all.endpoints[endpoint].server_errors[unavailable], 2u);
  EXPECT_EQ(all.endpoints[endpoint].durations.nanoseconds, 7'000'000u);
}

TEST(Scoreboard, EndpointsHaveTheSameNumberInAllWorkers) {
  Scoreboard board(1);
  const std::size_t first = board.endpoint("/oembed");
  EXPECT_NE(board.endpoint("/login"), first);
  const pid_t child = fork();
  if (child == 0) _exit(board.endpoint("/oembed") == first ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(board.endpoint_name(first), "/oembed");
  // Endpoints beyond the capacity are counted together.
  for (std::size_t i = 0; i < kEndpoints; ++i) board.endpoint("/" + std::to_string(i));
  EXPECT_EQ(board.endpoint("/one-more"), kEndpoints - 1);
  EXPECT_EQ(board.endpoint_name(kEndpoints - 1), "other");
  EXPECT_EQ(board.endpoint("/oembed"), first);
}

TEST(Scoreboard, AddsUpEveryCounterOfCurrentAndExitedWorkers) {
  Scoreboard board(2);
  for (std::size_t i = 0; i < 2; ++i) {
    Counters& counters = board.counters(i);
    for (const PlainCounter& row : kPlainCounters) add(counters.*row.counter, i + 1);
    for (Counter& each : counters.cache) add(each, i + 1);
    for (StoreCounters& each : counters.stores) {
      each.trips.count(std::chrono::milliseconds(i + 1));
      add(each.failures, i + 1);
    }
  }
  board.give_back(0);
  EXPECT_EQ(board.counters(0).refused, 0u);
  Counters all;
  board.sum(all);
  for (const PlainCounter& row : kPlainCounters) EXPECT_EQ(all.*row.counter, 3u) << row.key;
  for (const Counter& each : all.cache) EXPECT_EQ(each, 3u);
  for (const StoreCounters& each : all.stores) {
    EXPECT_EQ(each.trips.nanoseconds, 3'000'000u);
    EXPECT_EQ(each.failures, 3u);
  }
}

TEST(Counters, CountInvalidStatusesInTheNearestClass) {
  Counters counters;
  for (const int status : {0, 99, 600, 1000}) counters.count(1000, status, base::Duration(-1));
  const EndpointCounters& other = counters.endpoints[kEndpoints - 1];
  EXPECT_EQ(other.statuses[0], 2u);
  EXPECT_EQ(other.statuses[4], 2u);
  EXPECT_EQ(other.server_errors[static_cast<std::size_t>(ServerError::Other)], 2u);
  EXPECT_EQ(other.durations.buckets[0], 4u);
}

TEST(Slot, TruncatesLongPaths) {
  Slot slot;
  slot.begin_request("/oembed.json", 1);
  EXPECT_EQ(slot.path_text(), "/oembed.json");
  const std::string fits(79, 'p');
  slot.begin_request(fits, 2);
  EXPECT_EQ(slot.path_text(), fits);
  slot.begin_request(std::string(5000, 'q'), 3);
  EXPECT_EQ(slot.path_text(), std::string(79, 'q'));
  slot.begin_request("", 4);
  EXPECT_EQ(slot.path_text(), "");
  slot.begin_request("/short", 5);
  EXPECT_EQ(slot.path_text(), "/short") << "nothing of the longer path before";
}

TEST(PoolSlot, StoresTheReloadErrorAndMarksItsTruncation) {
  PoolSlot pool;
  const std::string fits(2047, 'r');
  pool.answer_reload(ReloadOutcome::Refused, fits, 1, 1);
  EXPECT_EQ(pool.answer_text(), fits);
  pool.answer_reload(ReloadOutcome::Refused, fits + 'r', 2, 2);
  EXPECT_EQ(pool.answer_text(), std::string(2044, 'r') + "…");
  pool.answer_reload(ReloadOutcome::Done, "", 3, 3);
  EXPECT_EQ(pool.answer_text(), "");
}

}  // namespace
}  // namespace svc::pool
