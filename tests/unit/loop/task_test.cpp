#include "loop/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fakes/manual_clock.h"
#include "loop/loop.h"

namespace svc::loop {
namespace {

Task<int> number(int value) { co_return value; }
Task<int> fails(std::string why) {
  if (!why.empty()) throw std::runtime_error(why);
  co_return 1;
}
Task<int> counts_finished(int times) {
  int sum = 0;
  for (int i = 0; i < times; ++i) sum += co_await number(1);
  co_return sum;
}
Task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }
Task<> note(std::vector<int>& seen, int value) {
  seen.push_back(value);
  co_return;
}

class TaskTest : public ::testing::Test {
 protected:
  fakes::ManualClock clock;
  Loop loop{clock};
};

TEST_F(TaskTest, ReturnsItsValue) { EXPECT_EQ(loop.run_until_done(number(7)), 7); }

TEST_F(TaskTest, MovesAValueThatCannotBeCopied) { EXPECT_EQ(*loop.run_until_done(owned(3)), 3); }

TEST_F(TaskTest, DoesNotStartBeforeItIsAwaited) {
  std::vector<int> seen;
  {
    const Task<> task = note(seen, 1);
    EXPECT_TRUE(seen.empty());
  }
  EXPECT_TRUE(seen.empty()) << "a task that is never awaited never runs";
  loop.run_until_done(note(seen, 2));
  EXPECT_EQ(seen, std::vector<int>{2});
}

TEST_F(TaskTest, RethrowsTheExceptionOfTheCoroutine) {
  EXPECT_EQ(loop.run_until_done(fails("")), 1);
  try {
    loop.run_until_done(fails("no store"));
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no store");
  }
}

// Tasks that never wait resume each other by tail calls; GCC makes none under the sanitizers.
#ifdef __SANITIZE_ADDRESS__
constexpr int kManyTasks = 1'000;
#else
constexpr int kManyTasks = 1'000'000;
#endif

TEST_F(TaskTest, ALongLoopOverFinishedTasksDoesNotGrowTheStack) {
  EXPECT_EQ(loop.run_until_done(counts_finished(kManyTasks)), kManyTasks);
}

}  // namespace
}  // namespace svc::loop
