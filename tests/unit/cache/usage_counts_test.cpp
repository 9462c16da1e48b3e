#include "cache/usage_counts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

namespace svc::cache {
namespace {

TEST(UsageCounts, M5OutliveWhoeverCounted) {
  UsageCounts counts;
  const pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 3; ++i) counts.count(1001);
    counts.count(1002);
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  counts.count(1001);
  std::map<std::int64_t, std::uint64_t> written;
  counts.flush([&](std::int64_t account, std::uint64_t count) {
    written[account] += count;
    return true;
  });
  EXPECT_EQ(written, (std::map<std::int64_t, std::uint64_t>{{1001, 4}, {1002, 1}}));
  EXPECT_TRUE(counts.empty());
}

TEST(UsageCounts, M5StayUntilTheyAreWritten) {
  UsageCounts counts;
  counts.count(1001);
  counts.count(1002);
  int asked = 0;
  counts.flush([&](std::int64_t, std::uint64_t) { return ++asked == 1; });
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(counts.empty());
  std::uint64_t left = 0;
  counts.flush([&](std::int64_t, std::uint64_t count) {
    left += count;
    return true;
  });
  EXPECT_EQ(left, 1u);
  EXPECT_TRUE(counts.empty());
}

TEST(UsageCounts, M5SaysWhenThereIsNoRoom) {
  UsageCounts counts;
  std::size_t taken = 0;
  for (std::int64_t account = 1; account <= 3000; ++account) taken += counts.count(account) ? 1 : 0;
  EXPECT_LE(taken, UsageCounts::kAccounts);
  EXPECT_GT(taken, UsageCounts::kAccounts / 2);
  EXPECT_TRUE(counts.count(1)) << "who has a place keeps it";
}

}  // namespace
}  // namespace svc::cache
