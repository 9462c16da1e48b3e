// Loop: the event loop of one thread: descriptors, timers, and coroutines that
// are ready to run.
//
// It has one epoll set. A turn resumes the coroutines that are ready, runs the
// before-wait hooks, waits for a descriptor or a timer, notifies the watchers
// of ready descriptors, runs the due timers, and again resumes coroutines until
// none is ready. Nothing that runs in a turn may block.
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

// Notified when a descriptor is ready. A notification can be spurious, so a
// watcher must read and write without blocking. `events` are those of
// epoll_ctl(2).
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void ready(std::uint32_t events) = 0;
};

// Work that is collected during a turn and done once before the next wait, such
// as one write(2) of the commands that several requests have added.
class BeforeWait {
 public:
  virtual ~BeforeWait() = default;
  virtual void before_wait() = 0;
};

class Timer;

class Loop {
 public:
  // `clock` outlives the loop. Throws std::system_error if epoll_create1()
  // fails.
  explicit Loop(const base::Clock& clock);
  ~Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Watches a descriptor for `events` (EPOLLIN, EPOLLOUT …), or changes its
  // events and watcher. The watcher lives until forget(). Throws
  // std::system_error.
  void watch(int fd, std::uint32_t events, Watcher& watcher);
  // Stops watching a descriptor. Call it before close(2). A descriptor that is
  // not watched is ignored.
  void forget(int fd);

  // Runs `hook` once before the next wait, however often this is called.
  void before_wait(BeforeWait& hook);
  // Cancels before_wait(), if it was called.
  void forget(BeforeWait& hook);

  // The number of tasks of all scopes that have not finished.
  std::size_t tasks() const { return tasks_; }

  // Runs one turn. Waits at most `at_most`, and not at all if a coroutine is
  // ready. With `mask`, waits with that signal mask, and a signal ends the
  // wait. Returns true if a descriptor was ready or, after the wait, a
  // coroutine.
  bool turn(base::Duration at_most, const sigset_t* mask = nullptr);

  // Where the time of the task that runs now is counted (Scope::spawn()); nullptr: nowhere.
  base::Duration* meter() const { return meter_; }

  // Runs turns until the task has finished, and one more, so that its last
  // output is written. Returns its value or throws its exception.
  template <class T>
  T run_until_done(Task<T> task);

  // The time in which all turns have waited, and that threads have worked for its tasks.
  base::Duration waited() const { return waited_; }
  base::Duration helped() const { return helped_; }
  void add_help(base::Duration worked) { helped_ += worked; }

  const base::Clock& clock() const { return clock_; }

 private:
  friend class Scope;
  friend class Timer;
  friend class Wait;
  // Counts the time of its own life.
  class Metered;
  struct Resumable {
    std::coroutine_handle<> handle;  // nullptr: forgotten
    base::Duration* meter;
  };
  using Timers = std::multimap<base::TimePoint, Timer*>;

  template <class T>
  static Task<> keep(Task<T> task, std::optional<T>& value, std::exception_ptr& exception,
                     bool& done);
  static Task<> keep(Task<> task, std::exception_ptr& exception, bool& done);
  void turn_until(const bool& done);
  void run_timers();
  void resume_all();
  // Does not resume a coroutine that was to be resumed soon.
  void forget(std::coroutine_handle<> handle);

  const base::Clock& clock_;
  base::UniqueFd epoll_;
  std::vector<Watcher*> watchers_;  // by descriptor; nullptr: not watched
  std::vector<BeforeWait*> hooks_;
  Timers timers_;
  std::vector<Resumable> can_go_on_;
  std::vector<Resumable> resuming_;
  base::Duration* meter_ = nullptr;
  base::Duration waited_{};
  base::Duration helped_{};
  std::size_t tasks_ = 0;
  std::array<epoll_event, 64> events_{};
};

// Owns tasks that no coroutine awaits. Its end cancels those that have not
// finished, so it ends before everything that they refer to.
class Scope {
 public:
  // `loop` outlives the scope.
  explicit Scope(Loop& loop) : loop_(loop) {}
  ~Scope() { cancel(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Starts a task immediately; later turns resume it. An exception that leaves
  // the task is a bug and ends the process. The time during which it runs is added to `meter`,
  // which outlives it; nullptr: nowhere.
  void spawn(Task<> task, base::Duration* meter = nullptr);
  // Cancels its tasks, the latest first. None of them may be running.
  void cancel();
  bool is_empty() const { return latest_ == nullptr; }

 private:
  struct Links {
    Links* before = nullptr;
    Links* after = nullptr;
  };
  struct Root;
  static Root run(Scope& scope, Task<> task);

  Loop& loop_;
  Links* latest_ = nullptr;
};

// Where one coroutine waits: a member of its awaiter. If the coroutine is
// destroyed there, it is not resumed any more.
class Wait {
 public:
  Wait() = default;
  ~Wait() {
    if (resumed_by_ != nullptr) resumed_by_->forget(waiting_);
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  // Called by await_suspend().
  void begin(std::coroutine_handle<> waiting, const Loop& loop) noexcept {
    waiting_ = waiting;
    meter_ = loop.meter();
  }
  // Called by await_resume().
  void end() noexcept {
    waiting_ = nullptr;
    resumed_by_ = nullptr;
  }
  // Resumes the coroutine in this turn, after the code that runs now has
  // returned; outside a turn, in the next one. Without effect if none waits.
  void resume_soon(Loop& loop) {
    if (!waiting_ || resumed_by_ != nullptr) return;
    resumed_by_ = &loop;
    loop.can_go_on_.push_back({waiting_, meter_});
  }

 private:
  std::coroutine_handle<> waiting_;
  base::Duration* meter_ = nullptr;
  Loop* resumed_by_ = nullptr;
};

// Calls `run` once at the set time, unless it is set to another time, stopped
// or destroyed before.
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

// Awaits a point in time. The Sleep must have a name:
//   Sleep sleep(loop, until);
//   co_await sleep;
class Sleep {
 public:
  Sleep(Loop& loop, base::TimePoint until)
      : loop_(loop), until_(until), timer_(loop, [this, &loop] { wait_.resume_soon(loop); }) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    wait_.begin(waiting, loop_);
    timer_.set(until_);
  }
  void await_resume() noexcept { wait_.end(); }

 private:
  Loop& loop_;
  base::TimePoint until_;
  Wait wait_;
  Timer timer_;
};

// Something that happens now and then.
class Event {
 public:
  class Next;

  // `loop` outlives the event, which outlives the coroutines that await it.
  explicit Event(Loop& loop) : loop_(loop) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Resumes all coroutines that await it, as Wait::resume_soon().
  void happen();

 private:
  Loop& loop_;
  std::vector<Next*> waiting_;
};

// Awaits the next time that an event happens, or a point in time if that is
// earlier. The Next must have a name, as a Sleep.
class Event::Next {
 public:
  explicit Next(Event& event, std::optional<base::TimePoint> until = {})
      : event_(event), until_(until), timer_(event.loop_, [this] { resume(); }) {}
  ~Next() { std::erase(event_.waiting_, this); }
  Next(const Next&) = delete;
  Next& operator=(const Next&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    wait_.begin(waiting, event_.loop_);
    event_.waiting_.push_back(this);
    if (until_) timer_.set(*until_);
  }
  void await_resume() noexcept { wait_.end(); }

 private:
  friend class Event;
  void resume() { wait_.resume_soon(event_.loop_); }

  Event& event_;
  const std::optional<base::TimePoint> until_;
  Wait wait_;
  Timer timer_;
};

inline void Event::happen() {
  for (Next* const next : waiting_) next->resume();
}

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
    Scope scope(*this);
    scope.spawn(keep(std::move(task), exception, done));
    turn_until(done);
    if (exception) std::rethrow_exception(exception);
  } else {
    std::optional<T> value;
    Scope scope(*this);
    scope.spawn(keep(std::move(task), value, exception, done));
    turn_until(done);
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
}

}  // namespace svc::loop
