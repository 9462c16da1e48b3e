#include "loop/threads.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

namespace svc::loop {

struct Threads::Job {
  std::function<void()> work;
  std::thread thread{};
  std::exception_ptr exception{};
  std::coroutine_handle<> waiting{};
};

// Awaits the end of a job: starts its thread, which may be faster than this function returns.
struct Threads::Finished {
  Threads& threads;
  Job& job;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const {
    job.waiting = waiting;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      job.thread = std::thread(&Threads::finish, &threads, std::ref(job));
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ++threads.running_;
  }
  void await_resume() const noexcept {}
};

Threads::Threads(Loop& loop) : loop_(loop), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
  loop_.watch(event_.get(), EPOLLIN, *this);
}

Threads::~Threads() {
  while (running_ > 0) loop_.turn(std::chrono::seconds(1));
  loop_.forget(event_.get());
}

Task<> Threads::run(std::function<void()> work) {
  Job job{std::move(work)};
  Finished finished{*this, job};
  co_await finished;
  job.thread.join();
  if (job.exception) std::rethrow_exception(job.exception);
}

// In the job's thread.
void Threads::finish(Job& job) {
  try {
    job.work();
  } catch (...) {
    job.exception = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    finished_.push_back(&job);
  }
  // The counter cannot overflow, so this can only fail by a bug.
  const std::uint64_t one = 1;
  if (write(event_.get(), &one, sizeof one) != sizeof one) std::terminate();
}

void Threads::ready(std::uint32_t) {
  std::uint64_t count = 0;
  if (read(event_.get(), &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR)
    throw std::system_error(errno, std::generic_category(), "read of an eventfd");
  std::vector<Job*> finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  running_ -= finished.size();
  for (Job* job : finished) loop_.resume_soon(job->waiting);
}

}  // namespace svc::loop
