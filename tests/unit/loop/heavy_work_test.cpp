#include "loop/heavy_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace svc::loop {
namespace {

// Work that lasts until the test ends it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  int pass() {
    ++inside;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
    return 1;
  }
  std::atomic<int> inside{0};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

class HeavyWorkTest : public testing::Test {
 protected:
  ~HeavyWorkTest() override {
    gate_.open();
    until([this] { return work_.running() == 0; });
  }
  template <class IsSo>
  void until(IsSo is_so) {
    while (!is_so()) loop_.turn(std::chrono::milliseconds(10));
  }
  static Task<> wait_at(HeavyWork& work, Gate& gate, std::shared_ptr<HeavyWork::Ticket> ticket,
                        int& done) {
    Task<int> running =
        work.run<int>(std::move(ticket), std::function<int()>([&gate] { return gate.pass(); }));
    done += co_await running;
  }

  base::SteadyClock clock_;
  Loop loop_{clock_};
  Gate gate_;
  HeavyWork work_{loop_};
  int done_ = 0;
};

TEST_F(HeavyWorkTest, ReturnsTheValueOfAThread) {
  const auto here = std::this_thread::get_id();
  EXPECT_NE(loop_.run_until_done(
                work_.run<std::thread::id>(nullptr, [] { return std::this_thread::get_id(); })),
            here);
  EXPECT_EQ(loop_.run_until_done(work_.run_if_heavy<std::thread::id>(
                HeavyWork::kLight, nullptr, [] { return std::this_thread::get_id(); })),
            here);
  EXPECT_NE(loop_.run_until_done(work_.run_if_heavy<std::thread::id>(
                HeavyWork::kLight + 1, nullptr, [] { return std::this_thread::get_id(); })),
            here);
}

TEST_F(HeavyWorkTest, ThrowsWhatTheWorkThrows) {
  EXPECT_THROW(loop_.run_until_done(
                   work_.run<int>(nullptr, []() -> int { throw std::runtime_error("no"); })),
               std::runtime_error);
  EXPECT_EQ(loop_.run_until_done(work_.run<int>(nullptr, [] { return 5; })), 5);
}

TEST_F(HeavyWorkTest, AnOwnerHasFewTicketsAndOthersHaveTheirs) {
  std::vector<std::shared_ptr<HeavyWork::Ticket>> tickets;
  for (int i = 0; i < HeavyWork::kMostOfOwner; ++i) tickets.push_back(work_.admit(1));
  EXPECT_EQ(work_.admit(1), nullptr);
  EXPECT_NE(work_.admit(2), nullptr);
  tickets.pop_back();
  EXPECT_NE(work_.admit(1), nullptr);
}

TEST_F(HeavyWorkTest, FewThreadsRunAtATimeAndAllWorkIsDone) {
  Scope scope(loop_);
  for (int i = 0; i < 5; ++i) scope.spawn(wait_at(work_, gate_, nullptr, done_));
  until([this] { return gate_.inside == HeavyWork::kMostThreads; });
  EXPECT_EQ(work_.running(), HeavyWork::kMostThreads);
  gate_.open();
  until([this] { return done_ == 5; });
  EXPECT_EQ(work_.running(), 0);
}

// Otherwise a client that leaves and comes again has any number of threads.
TEST_F(HeavyWorkTest, ACancelledRequestCountsUntilItsThreadHasEnded) {
  Scope scope(loop_);
  for (int i = 0; i < HeavyWork::kMostOfOwner; ++i)
    scope.spawn(wait_at(work_, gate_, work_.admit(1), done_));
  until([this] { return gate_.inside == HeavyWork::kMostOfOwner; });
  scope.cancel();
  EXPECT_EQ(work_.admit(1), nullptr);
  EXPECT_EQ(work_.running(), HeavyWork::kMostThreads);
  gate_.open();
  until([this] { return work_.running() == 0; });
  EXPECT_NE(work_.admit(1), nullptr);
  EXPECT_EQ(done_, 0);
}

Task<> count(HeavyWork& work, bool& is_done) {
  Task<int> running = work.run<int>(nullptr, [] {
    volatile int sum = 0;
    for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
    return int{sum};
  });
  co_await running;
  is_done = true;
}

TEST_F(HeavyWorkTest, ItsTimeIsThatOfTheTask) {
  base::Duration with{};
  bool is_done = false;
  Scope scope(loop_);
  scope.spawn(count(work_, is_done), &with);
  const base::Duration before = with;
  until([&] { return is_done; });
  EXPECT_GT(with - before, std::chrono::microseconds(100));
}

}  // namespace
}  // namespace svc::loop
