#include "loop/loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "fakes/manual_clock.h"

namespace svc::loop {
namespace {

using namespace std::chrono_literals;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("pipe2");
    out.reset(ends[0]);
    in.reset(ends[1]);
  }
  base::UniqueFd out, in;
};

class Reader : public Watcher {
 public:
  explicit Reader(std::function<void()> told) : told_(std::move(told)) {}
  void ready(std::uint32_t) override { told_(); }

 private:
  std::function<void()> told_;
};

class Hook : public BeforeWait {
 public:
  void before_wait() override { ++runs; }
  int runs = 0;
};

Task<> sleep_and_note(Loop& loop, base::Duration duration, std::vector<int>& seen, int value) {
  Sleep until_then(loop, loop.clock().now() + duration);
  co_await until_then;
  seen.push_back(value);
}

// Destroyed when its task ends, however it ends.
struct Noted {
  ~Noted() { seen.push_back(value); }
  std::vector<int>& seen;
  int value;
};

Task<> keep_noted(Loop& loop, base::TimePoint until, std::vector<int>& seen, int value) {
  const Noted noted{seen, value};
  Sleep until_then(loop, until);
  // Catches nothing: a cancelled task ends without an exception.
  try {
    co_await until_then;
  } catch (...) {
    ADD_FAILURE();
  }
  seen.push_back(0);
}

Task<> awaits_noted(Loop& loop, base::TimePoint until, std::vector<int>& seen, int value) {
  const Noted noted{seen, value};
  co_await keep_noted(loop, until, seen, value + 1);
}

Task<> cancels(Loop& loop, Scope& other) {
  Sleep until_then(loop, loop.clock().now());
  co_await until_then;
  other.cancel();
}

class LoopTest : public ::testing::Test {
 protected:
  fakes::ManualClock clock;
  Loop loop{clock};
  Scope scope{loop};
};

TEST_F(LoopTest, NotifiesTheWatcherOfAReadyDescriptor) {
  const Pipe pipe;
  int told = 0;
  Reader reader([&] { ++told; });
  loop.watch(pipe.out.get(), EPOLLIN, reader);
  EXPECT_FALSE(loop.turn(0s));
  ASSERT_EQ(write(pipe.in.get(), "x", 1), 1);
  EXPECT_TRUE(loop.turn(0s));
  EXPECT_EQ(told, 1);
  loop.forget(pipe.out.get());
  EXPECT_FALSE(loop.turn(0s));
  EXPECT_EQ(told, 1);
}

TEST_F(LoopTest, DoesNotNotifyAWatcherForgottenInTheSameTurn) {
  const Pipe first;
  const Pipe second;
  int told = 0;
  Reader forgets_second([&] {
    ++told;
    loop.forget(second.out.get());
    loop.forget(first.out.get());
  });
  Reader forgets_first(forgets_second);
  loop.watch(first.out.get(), EPOLLIN, forgets_second);
  loop.watch(second.out.get(), EPOLLIN, forgets_first);
  ASSERT_EQ(write(first.in.get(), "x", 1), 1);
  ASSERT_EQ(write(second.in.get(), "x", 1), 1);
  loop.turn(0s);
  EXPECT_EQ(told, 1);
}

TEST_F(LoopTest, RunsTimersInTheOrderOfTheirTimes) {
  std::vector<int> seen;
  scope.spawn(sleep_and_note(loop, 20ms, seen, 2));
  scope.spawn(sleep_and_note(loop, 10ms, seen, 1));
  loop.turn(0s);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(loop.tasks(), 2U);
  clock.advance(15ms);
  loop.turn(0s);
  EXPECT_EQ(seen, std::vector<int>{1});
  clock.advance(15ms);
  loop.turn(0s);
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
  EXPECT_EQ(loop.tasks(), 0U);
}

Task<> await_and_note(Event& event, std::optional<base::TimePoint> until, std::vector<int>& seen,
                      int number) {
  Event::Next next(event, until);
  co_await next;
  seen.push_back(number);
}

TEST_F(LoopTest, AnEventResumesAllThatAwaitItOrATimeDoes) {
  Event event(loop);
  std::vector<int> seen;
  scope.spawn(await_and_note(event, {}, seen, 1));
  scope.spawn(await_and_note(event, clock.now() + 10ms, seen, 2));
  scope.spawn(await_and_note(event, clock.now() + 1s, seen, 3));
  {
    Scope ends(loop);
    ends.spawn(await_and_note(event, {}, seen, 4));
  }
  clock.advance(10ms);
  loop.turn(0s);
  EXPECT_EQ(seen, std::vector<int>{2});
  event.happen();
  event.happen();
  loop.turn(0s);
  EXPECT_EQ(seen, (std::vector<int>{2, 1, 3}));
  event.happen();
  clock.advance(1s);
  loop.turn(0s);
  EXPECT_EQ(seen.size(), 3U);
}

TEST_F(LoopTest, ATimerThatIsStoppedOrDestroyedDoesNotRun) {
  int runs = 0;
  Timer timer(loop, [&] { ++runs; });
  timer.set(clock.now() + 1ms);
  timer.stop();
  {
    Timer gone(loop, [&] { ++runs; });
    gone.set(clock.now() + 1ms);
  }
  clock.advance(1s);
  loop.turn(0s);
  EXPECT_EQ(runs, 0);
}

TEST_F(LoopTest, ATimerThatSetsItselfAgainRunsOncePerTurn) {
  int runs = 0;
  Timer* self = nullptr;
  Timer timer(loop, [&] {
    ++runs;
    self->set(clock.now());
  });
  self = &timer;
  timer.set(clock.now());
  loop.turn(0s);
  EXPECT_EQ(runs, 1);
  loop.turn(0s);
  EXPECT_EQ(runs, 2);
}

TEST_F(LoopTest, AHookRunsOnceBeforeTheNextWait) {
  Hook hook;
  loop.before_wait(hook);
  loop.before_wait(hook);
  loop.turn(0s);
  EXPECT_EQ(hook.runs, 1);
  loop.turn(0s);
  EXPECT_EQ(hook.runs, 1);
  loop.before_wait(hook);
  loop.forget(hook);
  loop.turn(0s);
  EXPECT_EQ(hook.runs, 1);
}

TEST_F(LoopTest, TheEndOfAScopeCancelsItsTasks) {
  std::vector<int> seen;
  {
    Scope ends(loop);
    ends.spawn(awaits_noted(loop, clock.now() + 1ms, seen, 10));
    ends.spawn(keep_noted(loop, clock.now() + 1ms, seen, 20));
    ends.spawn(sleep_and_note(loop, 0ms, seen, 1));
    loop.turn(0s);
    EXPECT_EQ(seen, std::vector<int>{1});
    EXPECT_EQ(loop.tasks(), 2U);
  }
  EXPECT_EQ(seen, (std::vector<int>{1, 20, 11, 10})) << "the latest first, from the inside";
  EXPECT_EQ(loop.tasks(), 0U);
  clock.advance(1s);
  loop.turn(0s);
  EXPECT_EQ(seen.size(), 4U);
}

// Both wait for the same turn, in both orders.
TEST_F(LoopTest, ACancelledTaskDoesNotResumeThoughItWasReady) {
  std::vector<int> seen;
  Scope other(loop);
  scope.spawn(cancels(loop, other));
  other.spawn(keep_noted(loop, clock.now(), seen, 1));
  loop.turn(0s);
  EXPECT_EQ(seen, std::vector<int>{1});
  other.spawn(sleep_and_note(loop, 0s, seen, 2));
  scope.spawn(cancels(loop, other));
  other.spawn(keep_noted(loop, clock.now(), seen, 3));
  loop.turn(0s);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(other.is_empty());
}

TEST_F(LoopTest, DoesNotWaitWhileACoroutineIsReady) {
  std::vector<int> seen;
  scope.spawn(sleep_and_note(loop, 0s, seen, 1));
  // If this waited, it would block for an hour.
  loop.turn(1h);
  EXPECT_EQ(seen, std::vector<int>{1});
}

// Works for a millisecond, sleeps, and works for two more; starts a task of another scope
// meanwhile.
Task<> works(Loop& loop, fakes::ManualClock& clock, Scope& other, std::vector<int>& seen) {
  clock.advance(1ms);
  other.spawn(sleep_and_note(loop, 5ms, seen, 1));
  Sleep until_then(loop, loop.clock().now() + 10ms);
  co_await until_then;
  clock.advance(2ms);
}

TEST_F(LoopTest, CountsTheTimeOfATaskInItsMeter) {
  base::Duration meter{};
  std::vector<int> seen;
  Scope other(loop);
  scope.spawn(works(loop, clock, other, seen), &meter);
  EXPECT_EQ(meter, 1ms);
  clock.advance(10ms);
  while (!scope.is_empty()) loop.turn(0ms);
  EXPECT_EQ(meter, 3ms) << "not while it slept";
  EXPECT_EQ(loop.meter(), nullptr);
}

}  // namespace
}  // namespace svc::loop
