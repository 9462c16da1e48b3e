#include "loop/threads.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace svc::loop {

struct Threads::Job {
  std::function<void()> work;
  Finished finished;
  int in;  // write end of the pipe
  pthread_t thread{};
  std::exception_ptr thrown{};
};

// Awaits the end of one job.
class Threads::Run {
 public:
  Run(Threads& threads, std::function<void()> work) : threads_(threads), work_(std::move(work)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    threads_.start(std::move(work_), [this, waiting](std::exception_ptr thrown) {
      thrown_ = std::move(thrown);
      threads_.loop_.resume_soon(waiting);
    });
  }
  void await_resume() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Threads& threads_;
  std::function<void()> work_;
  std::exception_ptr thrown_;
};

Threads::Threads(Loop& loop) : loop_(loop) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  out_.reset(ends[0]);
  in_.reset(ends[1]);
  fcntl(out_.get(), F_SETFL, O_NONBLOCK);
  loop_.watch(out_.get(), EPOLLIN, *this);
}

Threads::~Threads() {
  while (!jobs_.empty()) loop_.turn(std::chrono::seconds(1));
  loop_.forget(out_.get());
  for (const pthread_t thread : ending_) pthread_join(thread, nullptr);
}

Task<> Threads::run(std::function<void()> work) {
  Run running(*this, std::move(work));
  co_await running;
}

void Threads::start(std::function<void()> work, Finished finished) {
  join_ended();
  Job& job = jobs_.emplace_back(Job{std::move(work), std::move(finished), in_.get()});
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&job.thread, nullptr, &Threads::run_job, &job);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return;
  jobs_.pop_back();
  throw std::system_error(error, std::generic_category(), "pthread_create");
}

// Runs in the job's thread. Its last action is a write without a lock:
// otherwise a thread that is preempted here could block the loop.
void* Threads::run_job(void* given) {
  Job* job = static_cast<Job*>(given);
  try {
    job->work();
  } catch (...) {
    job->thrown = std::current_exception();
  }
  // A pipe holds thousands of pointers and each write is atomic, so only a bug
  // can make this fail.
  if (write(job->in, &job, sizeof job) != sizeof job) std::terminate();
  return nullptr;
}

void Threads::ready(std::uint32_t) {
  Job* done = nullptr;
  while (read(out_.get(), &done, sizeof done) == sizeof done) {
    const Finished finished = std::move(done->finished);
    std::exception_ptr thrown = std::move(done->thrown);
    ending_.push_back(done->thread);
    jobs_.remove_if([done](const Job& job) { return &job == done; });
    finished(std::move(thrown));
  }
  join_ended();
}

void Threads::join_ended() {
  std::erase_if(ending_, [](pthread_t thread) { return pthread_tryjoin_np(thread, nullptr) == 0; });
}

}  // namespace svc::loop
