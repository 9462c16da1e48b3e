#include "login/passwords.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <coroutine>
#include <exception>
#include <system_error>
#include <utility>

#include "base/unavailable.h"

namespace svc::login {
namespace {

// Linux has a policy and a priority per thread, and a thread cannot raise its
// own again. So a thread of its own lowers them, not the worker. Both calls
// fail only if a sandbox forbids them; then a hash runs at normal priority.

// At 5 a hash gets a quarter of a core that others also want. At 10 it gets a
// tenth, and three hashes on two busy cores exceed their requests' deadlines;
// so a pool with such a priority keeps it.
void be_nicer() {
  static_cast<void>(setpriority(PRIO_PROCESS, 0, std::max(getpriority(PRIO_PROCESS, 0), 5)));
}

// Runs only on an idle core, and gives it up immediately when another thread
// wakes up. At a lower priority it would first finish its time slice of some
// milliseconds.
void be_idle() {
  const sched_param none{};
  static_cast<void>(sched_setscheduler(0, SCHED_IDLE, &none));
}

}  // namespace

// One computation at SCHED_IDLE. Lives until its thread has finished and its
// result is not needed any more.
struct QuietPasswords::Idler {
  Answer answer;  // belongs to the thread until it has finished
  std::exception_ptr thrown;
  std::coroutine_handle<> waiting;
  bool finished = false;
  bool late = false;
};

// Waits for the end of an idler, or for a time.
class QuietPasswords::Wait {
 public:
  Wait(loop::Loop& loop, base::TimePoint until, Idler& idler)
      : until_(until), idler_(idler), timer_(loop, [this, &loop] {
          // Not if the idler has finished in the same turn.
          if (const auto waiting = std::exchange(idler_.waiting, nullptr))
            loop.resume_soon(waiting);
        }) {}

  bool await_ready() const noexcept { return idler_.finished; }
  void await_suspend(std::coroutine_handle<> waiting) {
    idler_.waiting = waiting;
    timer_.set(until_);
  }
  void await_resume() const noexcept {}

 private:
  const base::TimePoint until_;
  Idler& idler_;
  loop::Timer timer_;
};

QuietPasswords::QuietPasswords(const base::HashCost& of_new, base::Entropy& entropy,
                               base::Duration idle, loop::Loop& loop)
    : Passwords(of_new), entropy_(entropy), idle_(idle), loop_(loop), threads_(loop) {}

QuietPasswords::~QuietPasswords() = default;

std::list<QuietPasswords::Idler>::iterator QuietPasswords::start_idler(const Work& work) {
  const auto idler = idlers_.emplace(idlers_.end());
  const auto run = [idler, work] {
    be_idle();
    idler->answer = work();
  };
  const auto finished = [this, idler](std::exception_ptr thrown) {
    idler->thrown = std::move(thrown);
    idler->finished = true;
    if (const auto waiting = std::exchange(idler->waiting, nullptr)) loop_.resume_soon(waiting);
    if (!idler->late) return;
    --late_;
    idlers_.erase(idler);
  };
  try {
    threads_.start(run, finished);
  } catch (...) {
    idlers_.erase(idler);
    throw;
  }
  return idler;
}

loop::Task<QuietPasswords::Answer> QuietPasswords::quietly(Work work) {
  try {
    if (late_ == 0) {
      const auto idler = start_idler(work);
      Wait wait(loop_, loop_.clock().now() + idle_, *idler);
      co_await wait;
      if (idler->finished) {
        const Idler ended = std::move(*idler);
        idlers_.erase(idler);
        if (ended.thrown) std::rethrow_exception(ended.thrown);
        co_return ended.answer;
      }
      idler->late = true;
      ++late_;
    }
    // On a machine without idle time, the SCHED_IDLE thread would never finish.
    Answer answer;
    std::function<void()> nicer = [&answer, work = std::move(work)] {
      be_nicer();
      answer = work();
    };
    loop::Task<> running = threads_.run(std::move(nicer));
    co_await running;
    co_return answer;
  } catch (const std::system_error& error) {
    throw base::Unavailable(std::string("cannot start a thread: ") + error.what());
  }
}

loop::Task<bool> QuietPasswords::matches(std::string password, std::string stored) {
  Work work = [this, password = std::move(password), stored = std::move(stored)] {
    return Answer{base::password_matches(password, stored, cost), {}};
  };
  loop::Task<Answer> working = quietly(std::move(work));
  const Answer answer = co_await working;
  co_return answer.matches;
}

loop::Task<std::string> QuietPasswords::hash(std::string password) {
  Work work = [this, password = std::move(password)] {
    return Answer{false, base::hash_password(password, entropy_, cost)};
  };
  loop::Task<Answer> working = quietly(std::move(work));
  Answer answer = co_await working;
  co_return std::move(answer.hash);
}

}  // namespace svc::login
