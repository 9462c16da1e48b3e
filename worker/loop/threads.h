// Threads: blocking work beside the loop: password hashes, name resolution.
//
// Each piece of work has a thread of its own, so the caller bounds how many run. A thread blocks
// all signals: they are for the thread that runs the loop. The loop never waits for a thread, also
// not for one that has done its work and gets no time to end.
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
  // `loop` outlives it. Throws std::system_error if there is no pipe(2).
  explicit Threads(Loop& loop);
  // Turns the loop until all work has finished, and waits until its threads have ended.
  ~Threads() override;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Runs `work` in a thread and finishes when it has; throws what `work` throws, and
  // std::system_error if no thread could be started. `work` owns what it uses, or uses what
  // outlives the task.
  Task<> run(std::function<void()> work);

  // The same for a caller that does not await it. `finished` is called by the loop, with what the
  // work threw or nullptr.
  using Finished = std::function<void(std::exception_ptr thrown)>;
  void start(std::function<void()> work, Finished finished);

  // Number of threads that have not ended. The destructor waits for those.
  std::size_t running();

 private:
  struct Job;
  class Run;

  void ready(std::uint32_t events) override;
  static void* run_job(void* job);
  void join_ended();

  Loop& loop_;
  base::UniqueFd out_;  // of a pipe with pointers to the jobs that have finished
  base::UniqueFd in_;
  std::list<Job> jobs_;
  std::vector<pthread_t> ending_;  // their work has finished
};

}  // namespace svc::loop
