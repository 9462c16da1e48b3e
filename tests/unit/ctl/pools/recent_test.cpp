#include "ctl/pools/recent.h"

#include <gtest/gtest.h>

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr Recent::Clock::time_point kBegin{1000s};

// A pool that has answered that many requests, one in ten with 501 and one in a hundred with 500;
// the first half of them in at most 1 ms, the others in at most 10 ms.
PoolStatus status_of(std::int64_t requests, pid_t pid = 7) {
  PoolStatus status;
  status.json = "{}";
  status.pool = "embed";
  status.pid = pid;
  status.up_since = 100 + requests;
  status.requests = requests;
  status.accepted = requests;
  PoolStatus::Endpoint oembed{"/oembed", {}, {}};
  oembed.errors = {
      .client = 0, .not_implemented = requests / 10, .unavailable = 0, .other = requests / 100};
  oembed.durations.count = requests;
  oembed.durations.total_ms = static_cast<double>(requests) * 2;
  oembed.durations.buckets = {{1, requests / 2}, {10, requests - requests / 2}, {std::nullopt, 0}};
  status.endpoints.push_back(oembed);
  status.processes.push_back({11, 1, "idle", requests, 0.5, "/oembed"});
  return status;
}

TEST(Recent, ShowsNothingAfterOneLook) {
  Recent recent;
  recent.add(status_of(1000), kBegin);
  EXPECT_EQ(recent.seconds(), 0);
  EXPECT_EQ(recent.work().requests, 0);
  EXPECT_EQ(recent.work().endpoints.front().durations.count, 0);
  EXPECT_EQ(recent.work().processes.front().requests, 0);
}

TEST(Recent, IsTheDifferenceSinceTheFirstLookWhileYoungerThanAMinute) {
  Recent recent;
  recent.add(status_of(1000), kBegin);
  recent.add(status_of(1100), kBegin + 2s);
  recent.add(status_of(1400), kBegin + 12s);
  EXPECT_EQ(recent.seconds(), 12);
  const PoolStatus work = recent.work();
  EXPECT_EQ(work.requests, 400);
  EXPECT_EQ(work.endpoints.front().durations.count, 400);
  EXPECT_EQ(work.endpoints.front().errors.not_implemented, 40);
  EXPECT_EQ(work.endpoints.front().errors.other, 4);
  EXPECT_EQ(work.processes.front().requests, 400);
  EXPECT_EQ(work.processes.front().seconds, 0.5) << "as it is now";
}

TEST(Recent, ForgetsSamplesOlderThanAMinute) {
  Recent recent;
  for (int i = 0; i <= 300; ++i) recent.add(status_of(i), kBegin + i * 2s);
  EXPECT_EQ(recent.seconds(), 60);
  EXPECT_EQ(recent.work().requests, 30);
}

TEST(Recent, TakesQuantilesOfTheLastMinuteNotOfTheLifetime) {
  Recent recent;
  PoolStatus slow = status_of(1000);
  slow.endpoints.front().durations.buckets = {{1, 0}, {10, 0}, {std::nullopt, 1000}};
  PoolStatus now = slow;
  now.requests = now.accepted = now.endpoints.front().durations.count = 1010;
  now.endpoints.front().durations.buckets = {{1, 10}, {10, 0}, {std::nullopt, 1000}};
  recent.add(slow, kBegin);
  recent.add(now, kBegin + 2s);
  EXPECT_EQ(recent.work().endpoints.front().durations.quantile(0.99), "<=1");
}

TEST(Recent, BeginsAgainIfThePoolRestartsOrAfterALongSilence) {
  PoolStatus restarted = status_of(2000, 8);
  PoolStatus same_pid = status_of(2000);
  same_pid.up_since = 1;
  PoolStatus fewer = status_of(500);
  fewer.up_since = 10'000;
  for (const PoolStatus& now : {restarted, same_pid, fewer}) {
    Recent recent;
    recent.add(status_of(1000), kBegin);
    recent.add(status_of(1100), kBegin + 2s);
    recent.add(now, kBegin + 4s);
    EXPECT_EQ(recent.seconds(), 0);
    EXPECT_EQ(recent.work().requests, 0);
  }
  Recent silent;
  silent.add(status_of(1000), kBegin);
  silent.add(status_of(1200), kBegin + 61s);
  EXPECT_EQ(silent.seconds(), 0);
}

TEST(Recent, CountsAllRequestsOfANewEndpointAndANewWorker) {
  Recent recent;
  recent.add(status_of(1000), kBegin);
  PoolStatus now = status_of(1100);
  now.endpoints.push_back({"/login", {}, {.count = 5, .total_ms = 1, .buckets = {}}});
  now.processes = {{11, 2, "idle", 3, 0, ""}, {12, 2, "idle", 4, 0, ""}};
  recent.add(now, kBegin + 2s);
  const PoolStatus work = recent.work();
  EXPECT_EQ(work.endpoints.at(1).durations.count, 5);
  EXPECT_EQ(work.processes.at(0).requests, 3) << "another worker with the same process id";
  EXPECT_EQ(work.processes.at(1).requests, 4);
}

}  // namespace
}  // namespace svc::ctl
