#include "loop/threads.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace svc::loop {

struct Threads::Job {
  std::function<void()> work;
  Finished finished;  // empty: the outcome is not needed
  std::shared_ptr<base::UniqueFd> in;
  pthread_t thread{};
  std::exception_ptr thrown{};
};

// Awaits the end of one job.
class Threads::Run {
 public:
  Run(Threads& threads, std::function<void()> work) : threads_(threads), work_(std::move(work)) {}
  ~Run() {
    if (job_) job_->finished = nullptr;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    job_ = threads_.begin(std::move(work_), [this](std::exception_ptr thrown) {
      thrown_ = std::move(thrown);
      wait_.resume_soon(threads_.loop_);
    });
    wait_.begin(waiting, threads_.loop_);
  }
  void await_resume() {
    wait_.end();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Threads& threads_;
  std::function<void()> work_;
  std::shared_ptr<Job> job_;
  std::exception_ptr thrown_;
  Wait wait_;
};

Threads::Threads(Loop& loop) : loop_(loop) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  out_.reset(ends[0]);
  in_ = std::make_shared<base::UniqueFd>(ends[1]);
  fcntl(out_.get(), F_SETFL, O_NONBLOCK);
  loop_.watch(out_.get(), EPOLLIN, *this);
}

Threads::~Threads() {
  loop_.forget(out_.get());
  for (const std::shared_ptr<Job>& job : jobs_) pthread_detach(job->thread);
  for (const pthread_t thread : ending_) pthread_detach(thread);
}

Task<> Threads::run_job(std::function<void()> work) {
  Run running(*this, std::move(work));
  co_await running;
}

void Threads::start(std::function<void()> work, Finished finished) {
  begin(std::move(work), std::move(finished));
}

std::shared_ptr<Threads::Job> Threads::begin(std::function<void()> work, Finished finished) {
  join_ended();
  auto job = std::make_shared<Job>(Job{std::move(work), std::move(finished), in_});
  // The thread's own, as it may outlive this object.
  auto of_thread = std::make_unique<std::shared_ptr<Job>>(job);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&job->thread, nullptr, &Threads::thread_of_job, of_thread.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
  static_cast<void>(of_thread.release());
  jobs_.push_back(job);
  return job;
}

void Threads::finish() {
  while (!jobs_.empty()) loop_.turn(std::chrono::seconds(1));
  for (const pthread_t thread : ending_) pthread_join(thread, nullptr);
  ending_.clear();
}

// Runs in the job's thread. Its last action is a write without a lock:
// otherwise a thread that is preempted here could block the loop.
void* Threads::thread_of_job(void* given) {
  const std::unique_ptr<std::shared_ptr<Job>> owned(static_cast<std::shared_ptr<Job>*>(given));
  Job* const job = owned->get();
  try {
    job->work();
  } catch (...) {
    job->thrown = std::current_exception();
  }
  // A pipe holds thousands of pointers and each write is atomic, so only a bug
  // can make this fail, or that the reader is gone. SIGPIPE is blocked here.
  if (write(job->in->get(), &job, sizeof job) != sizeof job && errno != EPIPE) std::terminate();
  return nullptr;
}

void Threads::ready(std::uint32_t) {
  Job* done = nullptr;
  while (read(out_.get(), &done, sizeof done) == sizeof done) {
    const auto at = std::ranges::find(jobs_, done, [](const auto& job) { return job.get(); });
    const std::shared_ptr<Job> job = std::move(*at);
    jobs_.erase(at);
    ending_.push_back(job->thread);
    if (job->finished) job->finished(std::move(job->thrown));
  }
  join_ended();
}

void Threads::join_ended() {
  std::erase_if(ending_, [](pthread_t thread) { return pthread_tryjoin_np(thread, nullptr) == 0; });
}

}  // namespace svc::loop
