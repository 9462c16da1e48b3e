#include "loop/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace svc::loop {
namespace {

Task<> run_and_note(Threads& threads, std::function<void()> work, std::vector<int>& seen,
                    int value) {
  co_await threads.run(std::move(work));
  seen.push_back(value);
}

class ThreadsTest : public ::testing::Test {
 protected:
  base::SteadyClock clock;
  Loop loop{clock};
  Scope scope{loop};
};

TEST_F(ThreadsTest, RunsWorkInAnotherThreadAndResumesInThisThread) {
  Threads threads(loop);
  std::thread::id where;
  loop.run_until_done(threads.run([&] { where = std::this_thread::get_id(); }));
  EXPECT_NE(where, std::thread::id());
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST_F(ThreadsTest, TheLoopTurnsWhileWorkRuns) {
  Threads threads(loop);
  std::latch latch(1);
  std::vector<int> seen;
  scope.spawn(run_and_note(
      threads, [&] { latch.wait(); }, seen, 1));
  loop.run_until_done(run_and_note(
      threads, [] {}, seen, 2));
  EXPECT_EQ(seen, std::vector<int>{2});
  latch.count_down();
  while (loop.tasks() > 0) loop.turn(std::chrono::seconds(1));
  EXPECT_EQ(seen, (std::vector<int>{2, 1}));
}

TEST_F(ThreadsTest, FinishesManyConcurrentTasks) {
  std::atomic<int> runs = 0;
  std::vector<int> seen;
  {
    Threads threads(loop);
    for (int i = 0; i < 50; ++i)
      scope.spawn(run_and_note(
          threads, [&] { ++runs; }, seen, i));
    threads.finish();
  }
  EXPECT_EQ(runs, 50);
  while (loop.tasks() > 0) loop.turn(std::chrono::seconds(0));
  EXPECT_EQ(seen.size(), 50U);
}

Task<> take(Task<int> running, int& seen) { seen = co_await running; }

// A thread cannot be stopped. Its task ends all the same, and the object too.
TEST_F(ThreadsTest, WorkOfACancelledTaskRunsToItsEnd) {
  const auto latch = std::make_shared<std::latch>(1);
  const auto ended = std::make_shared<std::promise<void>>();
  int seen = 0;
  {
    Threads threads(loop);
    Scope ends(loop);
    std::function<int()> work = [latch, ended] {
      latch->wait();
      ended->set_value_at_thread_exit();
      return 7;
    };
    ends.spawn(take(threads.run<int>(std::move(work)), seen));
    ends.cancel();
    EXPECT_EQ(loop.tasks(), 0U);
  }
  latch->count_down();
  ended->get_future().wait();
  Threads threads(loop);
  loop.run_until_done(take(threads.run<int>([] { return 8; }), seen));
  EXPECT_EQ(seen, 8);
}

TEST_F(ThreadsTest, StartCallsBackWhenTheWorkIsDone) {
  Threads threads(loop);
  std::atomic<bool> ran = false;
  bool told = false;
  threads.start([&] { ran = true; }, [&](std::exception_ptr thrown) { told = !thrown; });
  while (!told) loop.turn(std::chrono::seconds(1));
  EXPECT_TRUE(ran);
  std::exception_ptr seen;
  threads.start([] { throw std::runtime_error("no memory"); },
                [&](std::exception_ptr thrown) { seen = std::move(thrown); });
  while (!seen) loop.turn(std::chrono::seconds(1));
  EXPECT_THROW(std::rethrow_exception(seen), std::runtime_error);
}

}  // namespace
}  // namespace svc::loop
