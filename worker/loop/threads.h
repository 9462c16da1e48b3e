// Threads: blocking work beside the loop, awaited: password hashes, name resolution.
//
// Each piece of work has a thread of its own, so the caller bounds how many run. A thread blocks
// all signals: they are for the thread that runs the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "base/unique_fd.h"
#include "loop/loop.h"
#include "loop/task.h"

namespace svc::loop {

class Threads : private Watcher {
 public:
  // `loop` outlives it. Throws std::system_error if there is no eventfd(2).
  explicit Threads(Loop& loop);
  // Blocks until all work has finished.
  ~Threads() override;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Runs `work` in a thread and finishes when it has; throws what `work` throws, and
  // std::system_error if no thread could be started. `work` owns what it uses.
  Task<> run(std::function<void()> work);

 private:
  struct Job;
  struct Finished;

  void ready(std::uint32_t events) override;
  void finish(Job& job);

  Loop& loop_;
  base::UniqueFd event_;
  std::mutex mutex_;
  std::vector<Job*> finished_;  // guarded by mutex_
  std::size_t running_ = 0;
};

}  // namespace svc::loop
