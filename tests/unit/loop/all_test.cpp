#include "loop/all.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fakes/door.h"
#include "fakes/tasks.h"
#include "loop/attempt.h"

namespace svc::loop {
namespace {

using fakes::Door;
using fakes::finished;
using fakes::now;
using Log = std::vector<std::string>;

// Logs its start and its end, and waits at the door in between.
Task<int> through(Door& door, Log& log, int value) {
  log.push_back("start " + std::to_string(value));
  co_await door.pass();
  log.push_back("end " + std::to_string(value));
  co_return value;
}
Task<> silently_through(Door& door) { co_await door.pass(); }
Task<int> fails_behind(Door& door, std::string why) {
  co_await door.pass();
  throw std::runtime_error(why);
}
Task<int> throws(std::string why) {
  if (!why.empty()) throw std::runtime_error(why);
  co_return 0;
}
Task<> fails_silently(std::string why) {
  if (!why.empty()) throw std::runtime_error(why);
  co_return;
}
Task<std::unique_ptr<int>> owned_behind(Door& door, int value) {
  co_await door.pass();
  co_return std::make_unique<int>(value);
}

// A task that a test started, and its outcome.
template <class T>
class Running {
 public:
  explicit Running(Task<T> task) : task_(std::move(task)) {
    internal::start(task_, outcome_, countdown_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  bool done() const { return countdown_.await_ready(); }
  internal::NonVoid<T> take() { return outcome_.take(); }
  // The message of its exception; "" if it threw nothing.
  std::string thrown() {
    try {
      outcome_.take();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

 private:
  Task<T> task_;
  internal::Outcome<T> outcome_;
  internal::Countdown countdown_{1};
};

TEST(All, StartsNoTaskBeforeItIsAwaited) {
  Door door;
  Log log;
  {
    const auto both = all(through(door, log, 1), through(door, log, 2));
    EXPECT_TRUE(log.empty());
  }
  EXPECT_TRUE(log.empty());
}

TEST(All, ReturnsValuesInTaskOrderWhicheverFinishesFirst) {
  Door door;
  Log log;
  Running running(all(through(door, log, 1), through(door, log, 2), through(door, log, 3)));
  for (const std::size_t number : {2u, 0u, 0u}) {
    EXPECT_FALSE(running.done()) << "not before the last";
    door.let_one_through(number);
  }
  ASSERT_TRUE(running.done());
  EXPECT_EQ(log, (Log{"start 1", "start 2", "start 3", "end 3", "end 1", "end 2"}));
  EXPECT_EQ(running.take(), (std::tuple{1, 2, 3}));
}

TEST(All, FinishesImmediatelyIfNoTaskWaits) {
  auto values = now(all(finished(1), finished(std::string("two"))));
  EXPECT_EQ(values, (std::tuple{1, std::string("two")}));
  EXPECT_EQ(now(all(finished(7))), std::tuple{7});
  EXPECT_THROW(now(all(finished(1), throws("no"))), std::runtime_error);
  EXPECT_THROW(now(all(finished(1), fails_silently("no"))), std::runtime_error);
}

// Includes a task without a value, and a task whose value cannot be copied.
TEST(All, HasAValueForEachTask) {
  Door door;
  Running running(all(silently_through(door), finished(2), finished(), owned_behind(door, 4)));
  door.let_all_through();
  ASSERT_TRUE(running.done());
  const auto values = running.take();
  EXPECT_EQ(std::get<1>(values), 2);
  EXPECT_EQ(*std::get<3>(values), 4);
}

TEST(All, ThrowsTheFirstExceptionInTheOrderOfTheTasks) {
  Door door;
  Running running(all(finished(1), fails_behind(door, "second"), throws("third")));
  EXPECT_FALSE(running.done()) << "the others are awaited all the same";
  door.let_one_through();
  ASSERT_TRUE(running.done());
  EXPECT_EQ(running.thrown(), "second") << "though the third was faster";
}

// Its tasks end where they wait. Finished tasks are unaffected.
TEST(All, CancelsItsTasks) {
  Door door;
  Log log;
  {
    std::vector<Task<int>> tasks;
    for (int i = 3; i < 5; ++i) tasks.push_back(through(door, log, i));
    Running running(all(through(door, log, 1), through(door, log, 2), all(std::move(tasks))));
    door.let_one_through();
    EXPECT_EQ(door.waiting(), 3u);
  }
  EXPECT_EQ(door.waiting(), 0u);
  EXPECT_EQ(log, (Log{"start 1", "start 2", "start 3", "start 4", "end 1"}));
}

TEST(All, MayBeNested) {
  Door door;
  Log log;
  Running running(all(all(through(door, log, 1), through(door, log, 2)), through(door, log, 3)));
  EXPECT_EQ(log.size(), 3u);
  door.let_all_through();
  ASSERT_TRUE(running.done());
  EXPECT_EQ(running.take(), (std::tuple{std::tuple{1, 2}, 3}));
}

TEST(AllOfMany, ReturnsTheValuesInTheOrderOfTheTasks) {
  Door door;
  Log log;
  std::vector<Task<int>> tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back(through(door, log, i));
  Running running(all(std::move(tasks)));
  ASSERT_EQ(door.waiting(), 100u);
  while (door.waiting() > 0) {
    EXPECT_FALSE(running.done());
    door.let_one_through(door.waiting() / 2);
  }
  ASSERT_TRUE(running.done());
  const std::vector<int> values = running.take();
  ASSERT_EQ(values.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
}

TEST(AllOfMany, MayBeEmpty) {
  EXPECT_TRUE(now(all(std::vector<Task<int>>())).empty());
  EXPECT_NO_THROW(now(all(std::vector<Task<>>())));
}

// The stack does not grow with the number of tasks, whether they wait or not.
TEST(AllOfMany, DoesNotGrowTheStack) {
  constexpr int kMany = 100'000;
  Door door;
  std::vector<Task<>> tasks;
  for (int i = 0; i < kMany; ++i) tasks.push_back(i % 2 == 0 ? finished() : silently_through(door));
  Running running(all(std::move(tasks)));
  EXPECT_EQ(door.waiting(), kMany / 2u);
  door.let_all_through();
  EXPECT_TRUE(running.done());
}

TEST(AllOfMany, ThrowsTheFirstExceptionOnceAllHaveFinished) {
  Door door;
  Log log;
  std::vector<Task<int>> tasks;
  tasks.push_back(through(door, log, 1));
  tasks.push_back(fails_behind(door, "second"));
  tasks.push_back(throws("third"));
  tasks.push_back(through(door, log, 4));
  Running running(all(std::move(tasks)));
  EXPECT_EQ(door.waiting(), 3u);
  door.let_all_through();
  ASSERT_TRUE(running.done());
  EXPECT_EQ(log, (Log{"start 1", "start 4", "end 1", "end 4"}));
  EXPECT_EQ(running.thrown(), "second");

  std::vector<Task<>> silent;
  silent.push_back(silently_through(door));
  silent.push_back(fails_silently("no"));
  Running without_values(all(std::move(silent)));
  EXPECT_FALSE(without_values.done());
  door.let_all_through();
  ASSERT_TRUE(without_values.done());
  EXPECT_EQ(without_values.thrown(), "no");
}

TEST(Attempt, KeepsAnExceptionUntilItsValueIsRead) {
  Door door;
  Log log;
  Running running(all(attempt(throws("no")), attempt(through(door, log, 2))));
  door.let_all_through();
  ASSERT_TRUE(running.done());
  auto found = running.take();
  auto& [failed, value] = found;
  EXPECT_EQ(value.get(), 2);
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_THROW(failed.get(), std::runtime_error) << "each time";
}

}  // namespace
}  // namespace svc::loop
