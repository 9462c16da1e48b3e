#include "cache/usage_counts.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>

namespace svc::cache {
namespace {

using Written = std::map<std::int64_t, std::uint64_t>;

constexpr std::chrono::sys_days kToday{std::chrono::days{20'000}};
constexpr std::chrono::sys_days kTomorrow{std::chrono::days{20'001}};

Written write_all(UsageCounts& counts) {
  Written written;
  UsageCounts::Batch batch = counts.take(kToday);
  for (const UsageCounts::Waiting& waiting : batch.waiting()) {
    written[waiting.account] += waiting.count;
    batch.written(waiting);
  }
  return written;
}

TEST(UsageCounts, OutliveTheWorkerThatCounted) {
  UsageCounts counts;
  const pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 3; ++i) counts.count(1001);
    counts.count(1002);
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  counts.count(1001);
  EXPECT_EQ(write_all(counts), (Written{{1001, 4}, {1002, 1}}));
  EXPECT_TRUE(counts.empty());
}

TEST(UsageCounts, ABatchIsTakenAgainUntilItsOutcomeIsReported) {
  UsageCounts counts;
  counts.count(1001);
  counts.count(1002);
  std::int64_t left = 0;
  std::uint64_t number = 0;
  {
    UsageCounts::Batch batch = counts.take(kToday);
    ASSERT_EQ(batch.waiting().size(), 2u);
    EXPECT_FALSE(batch.is_again());
    number = batch.number();
    batch.written(batch.waiting()[0]);
    left = batch.waiting()[1].account;
  }
  EXPECT_FALSE(counts.empty());
  counts.count(left);  // is not of that batch
  {
    UsageCounts::Batch again = counts.take(kTomorrow);
    EXPECT_TRUE(again.is_again());
    EXPECT_EQ(again.number(), number);
    EXPECT_EQ(again.day(), kToday);
    ASSERT_EQ(again.waiting().size(), 1u);
    EXPECT_EQ(again.waiting()[0].account, left);
    EXPECT_EQ(again.waiting()[0].count, 1u);
    again.refused(again.waiting()[0]);
  }
  UsageCounts::Batch next = counts.take(kTomorrow);
  EXPECT_FALSE(next.is_again());
  EXPECT_EQ(next.number(), number + 1);
  EXPECT_EQ(next.day(), kTomorrow);
  ASSERT_EQ(next.waiting().size(), 1u);
  EXPECT_EQ(next.waiting()[0].count, 2u);
  next.written(next.waiting()[0]);
  EXPECT_TRUE(counts.empty());
}

TEST(UsageCounts, CountsWhileABatchIsWritten) {
  UsageCounts counts;
  counts.count(1001);
  {
    UsageCounts::Batch batch = counts.take(kToday);
    counts.count(1001);
    counts.count(1002);
    ASSERT_EQ(batch.waiting().size(), 1u);
    EXPECT_EQ(batch.waiting()[0].count, 1u);
    batch.written(batch.waiting()[0]);
  }
  EXPECT_EQ(write_all(counts), (Written{{1001, 1}, {1002, 1}}));
}

TEST(UsageCounts, OneBatchExistsAtATime) {
  UsageCounts counts;
  counts.count(1001);
  {
    const UsageCounts::Batch batch = counts.take(kToday);
    ASSERT_EQ(batch.waiting().size(), 1u);
    EXPECT_TRUE(counts.take(kToday).waiting().empty()) << "in this worker";
  }
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const UsageCounts::Batch batch = counts.take(kToday);
    static_cast<void>(!write(pipe[1], batch.waiting().size() == 1 ? "1" : "0", 1));
    while (true) pause();
  }
  char has = 0;
  ASSERT_EQ(read(pipe[0], &has, 1), 1);
  EXPECT_EQ(has, '1');
  EXPECT_TRUE(counts.take(kToday).waiting().empty()) << "another worker has one";
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(counts.take(kToday).waiting().size(), 1u);
  close(pipe[0]);
  close(pipe[1]);
}

TEST(UsageCounts, AWorkerKilledDuringAWriteLosesNothing) {
  UsageCounts counts;
  counts.count(1001);
  counts.count(1002);
  const pid_t pid = fork();
  if (pid == 0) {
    UsageCounts::Batch batch = counts.take(kToday);
    if (batch.waiting().size() == 2) batch.written(batch.waiting()[0]);
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(write_all(counts).size(), 1u);
  EXPECT_TRUE(counts.empty());
}

// Until the parent calls waitpid(2), a dead process keeps its pid, as a new process with that pid
// would.
TEST(UsageCounts, AnotherProcessWithThePidOfAKilledWriterStopsNoWriter) {
  UsageCounts counts;
  counts.count(1001);
  const pid_t writer = fork();
  if (writer == 0) {
    const UsageCounts::Batch batch = counts.take(kToday);
    kill(getpid(), SIGKILL);
  }
  // Until waitpid(2), the pid is taken.
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(writer), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(write_all(counts), (Written{{1001, 1}}));
  waitpid(writer, nullptr, 0);
}

TEST(UsageCounts, CountFailsIfTheTableIsFull) {
  UsageCounts counts;
  std::size_t taken = 0;
  for (std::int64_t account = 1; account <= 3000; ++account) taken += counts.count(account) ? 1 : 0;
  EXPECT_LE(taken, UsageCounts::kAccounts);
  EXPECT_GT(taken, UsageCounts::kAccounts / 2);
  EXPECT_TRUE(counts.count(1)) << "who has a place keeps it";
}

}  // namespace
}  // namespace svc::cache
