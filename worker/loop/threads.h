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
#include <list>
#include <vector>

#include "base/unique_fd.h"
#include "loop/loop.h"
#include "loop/task.h"

namespace svc::loop {

class Threads : private Watcher {
 public:
  // `loop` outlives it. Throws std::system_error if pipe2(2) fails.
  explicit Threads(Loop& loop);
  // Runs turns of the loop until all jobs have finished, then joins their
  // threads.
  ~Threads() override;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Runs `work` in a thread. Throws the exception of `work`, or
  // std::system_error if the thread cannot be started. Everything that `work`
  // refers to must outlive the task.
  Task<> run(std::function<void()> work);

  // The same without a task. The loop calls `finished` with the exception of
  // `work`, or with nullptr. Throws std::system_error if the thread cannot be
  // started.
  using Finished = std::function<void(std::exception_ptr thrown)>;
  void start(std::function<void()> work, Finished finished);

 private:
  struct Job;
  class Run;

  void ready(std::uint32_t events) override;
  static void* run_job(void* job);
  void join_ended();

  Loop& loop_;
  base::UniqueFd out_;  // read end of a pipe of pointers to finished jobs
  base::UniqueFd in_;
  std::list<Job> jobs_;
  std::vector<pthread_t> ending_;  // their jobs have finished
};

}  // namespace svc::loop
