// Loop: what one thread waits for: descriptors, timers, and coroutines that can go on.
//
// One epoll set. A turn waits until something is ready, tells the watchers of ready descriptors,
// runs the timers that are due, resumes the coroutines that can go on until none is left, and runs
// the before-wait hooks. Nothing that runs in a turn may block.
#pragma once

#include <signal.h>
#include <sys/epoll.h>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "loop/task.h"

namespace svc::loop {

// Told when a descriptor is ready. It may be told without reason, so it reads and writes without
// blocking. `events` are those of epoll_ctl(2).
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void ready(std::uint32_t events) = 0;
};

// Work that is collected during a turn and done once, before the next wait: write(2) of commands
// that several requests have added, say.
class BeforeWait {
 public:
  virtual ~BeforeWait() = default;
  virtual void before_wait() = 0;
};

class Timer;

class Loop {
 public:
  // `clock` outlives the loop. Throws std::system_error if epoll is not to be had.
  explicit Loop(const base::Clock& clock);
  // Tasks that have not finished are leaked with what they own; run them to their end before.
  ~Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Watches a descriptor for `events` (EPOLLIN, EPOLLOUT …), or changes what it is watched for. The
  // watcher outlives its descriptor's place here. Throws std::system_error.
  void watch(int fd, std::uint32_t events, Watcher& watcher);
  // Forgets a descriptor; call it before close(2). Does nothing if it is not watched.
  void forget(int fd);

  // Has `hook` run before the next wait, once, however often it is asked for.
  void before_wait(BeforeWait& hook);
  // Takes that back. Does nothing if it was not asked for.
  void forget(BeforeWait& hook);

  // Starts a task now; it goes on in later turns. An exception that leaves it is a bug and ends the
  // process.
  void spawn(Task<> task);
  // Number of spawned tasks that have not finished.
  std::size_t tasks() const { return tasks_; }

  // Resumes that coroutine in this turn, after what runs now has returned.
  void resume_soon(std::coroutine_handle<> handle) { can_go_on_.push_back(handle); }

  // One turn. Waits at most `at_most`, and not at all if a coroutine can go on; with a signal mask,
  // waits with that mask, and a signal ends the wait. Returns false if nothing was ready.
  bool turn(base::Duration at_most, const sigset_t* mask = nullptr);

  // Turns until the task has finished, and once more, so that what it left to be written is
  // written. Returns its value or throws its exception.
  template <class T>
  T run_until_done(Task<T> task);

  const base::Clock& clock() const { return clock_; }

 private:
  friend class Timer;
  using Timers = std::multimap<base::TimePoint, Timer*>;

  struct Detached;
  Detached run(Task<> task);
  template <class T>
  static Task<> keep(Task<T> task, std::optional<T>& value, std::exception_ptr& exception,
                     bool& done);
  static Task<> keep(Task<> task, std::exception_ptr& exception, bool& done);
  void turn_until(const bool& done);
  void run_timers();
  void resume_all();

  const base::Clock& clock_;
  base::UniqueFd epoll_;
  std::vector<Watcher*> watchers_;  // by descriptor; nullptr: not watched
  std::vector<BeforeWait*> hooks_;
  Timers timers_;
  std::vector<std::coroutine_handle<>> can_go_on_;
  std::vector<std::coroutine_handle<>> resuming_;
  std::size_t tasks_ = 0;
  std::array<epoll_event, 64> events_{};
};

// Calls back once, at a moment, unless it is set to another moment, stopped or destroyed before.
class Timer {
 public:
  // `loop` outlives the timer.
  Timer(Loop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { stop(); }

  void set(base::TimePoint at);
  void stop();
  bool is_set() const { return at_.has_value(); }

 private:
  friend class Loop;

  Loop& loop_;
  std::function<void()> run_;
  std::optional<Loop::Timers::iterator> at_;
};

// Awaits a moment: `co_await Sleep(loop, moment)` after naming it.
class Sleep {
 public:
  Sleep(Loop& loop, base::TimePoint until)
      : until_(until), timer_(loop, [this, &loop] { loop.resume_soon(waiting_); }) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    timer_.set(until_);
  }
  void await_resume() const noexcept {}

 private:
  base::TimePoint until_;
  std::coroutine_handle<> waiting_;
  Timer timer_;
};

template <class T>
Task<> Loop::keep(Task<T> task, std::optional<T>& value, std::exception_ptr& exception,
                  bool& done) {
  try {
    value = co_await task;
  } catch (...) {
    exception = std::current_exception();
  }
  done = true;
}

template <class T>
T Loop::run_until_done(Task<T> task) {
  std::exception_ptr exception;
  bool done = false;
  if constexpr (std::is_void_v<T>) {
    spawn(keep(std::move(task), exception, done));
    turn_until(done);
    if (exception) std::rethrow_exception(exception);
  } else {
    std::optional<T> value;
    spawn(keep(std::move(task), value, exception, done));
    turn_until(done);
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
}

}  // namespace svc::loop
