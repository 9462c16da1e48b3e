// Threads: blocking work outside the loop, such as password hashes and name
// resolution.
//
// Each job has its own thread, so the caller must limit their number. The
// threads block all signals, which are for the loop's thread. The loop never
// waits for a thread, not even for a thread that has finished its job but was
// preempted before its exit.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "loop/loop.h"
#include "loop/task.h"

namespace svc::loop {

class Threads : private Watcher {
 public:
  // `loop` outlives it. Throws std::system_error if pipe2(2) fails.
  explicit Threads(Loop& loop);
  // Does not wait: a thread that runs goes on, and its outcome is dropped.
  ~Threads() override;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Runs `work` in a thread and returns its value. Throws the exception of
  // `work`, or std::system_error if the thread cannot be started. A thread
  // cannot be stopped: if the task is cancelled, `work` runs on to its end. So
  // it owns what it refers to, or what it refers to outlives finish().
  template <class T = void>
  Task<T> run(std::type_identity_t<std::function<T()>> work);

  // The same without a task. The loop calls `finished` with the exception of
  // `work`, or with nullptr. Throws std::system_error if the thread cannot be
  // started.
  using Finished = std::function<void(std::exception_ptr thrown)>;
  void start(std::function<void()> work, Finished finished);

  // Runs turns of the loop until all jobs have finished, then joins their
  // threads.
  void finish();

 private:
  struct Job;
  class Run;

  void ready(std::uint32_t events) override;
  std::shared_ptr<Job> begin(std::function<void()> work, Finished finished);
  Task<> run_job(std::function<void()> work);
  static void* thread_of_job(void* job);
  void join_ended();

  Loop& loop_;
  base::UniqueFd out_;                  // read end of a pipe of pointers to finished jobs
  std::shared_ptr<base::UniqueFd> in_;  // its threads have it too
  std::vector<std::shared_ptr<Job>> jobs_;
  std::vector<pthread_t> ending_;  // their jobs have finished
};

template <class T>
Task<T> Threads::run(std::type_identity_t<std::function<T()>> work) {
  if constexpr (std::is_void_v<T>) {
    co_await run_job(std::move(work));
  } else {
    const auto value = std::make_shared<std::optional<T>>();
    std::function<void()> keep = [value, work = std::move(work)] { value->emplace(work()); };
    co_await run_job(std::move(keep));
    co_return std::move(**value);
  }
}

}  // namespace svc::loop
