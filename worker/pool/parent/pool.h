// Pool: the parent process. Spawns workers, replaces exited ones, kills hung
// ones, reloads, drains.
//
// It does not read requests, so no client can crash it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "pool/metrics/scoreboard.h"
#include "pool/parent/generation.h"
#include "pool/parent/notifier.h"
#include "pool/parent/respawn_delay.h"
#include "pool/parent/worker_handle.h"

namespace svc::pool {

class Pool {
 public:
  Pool(std::unique_ptr<Generation> first, const base::Clock& clock, Program program);

  // Runs until TERM, INT or QUIT, then until all workers have exited. Returns
  // the exit status.
  //
  // HUP reloads: reads and checks the new configuration, starts its workers,
  // and drains the old ones once all new ones have started. If a step fails,
  // the old generation continues to serve. HUPs during a reload cause one more
  // reload after it.
  int run();

 private:
  void spawn();
  void spawn_missing();
  void reap();
  bool serves(const WorkerHandle& worker) const;
  void say_death(const WorkerHandle& worker, int status, base::Duration delay);
  void replace_leaving();
  void look_at_socket();
  void end_overdue();
  void end(WorkerHandle& worker, std::size_t reason, base::Duration age);  // a pool::death
  void say_ready();
  void take_reload();
  void look_at_reload();
  void fail_reload(const std::string& why);
  void answer_reload(ReloadOutcome outcome, const std::string& text);
  void hurry_oldest();
  void observe();
  void signal_all(int signal);
  bool is_up(std::uint32_t generation) const;  // all of its workers have started
  std::size_t present() const;  // workers of the newest generation that are not leaving
  int next_wait_ms() const;

  const PoolSettings& settings() const { return current_->settings(); }
  std::int64_t now() const { return clock_.now().time_since_epoch().count(); }

  std::unique_ptr<Generation> current_;
  std::unique_ptr<Generation> former_;  // during a reload: the generation that serves
  std::uint32_t generation_ = 1;        // number of the current generation
  std::uint32_t generations_ = 1;       // number of generations so far
  bool reload_wanted_ = false;
  std::uint64_t answering_ = 0;  // number of reload requests when the last reload began
  base::TimePoint reload_began_{};
  const base::Clock& clock_;
  const Program program_;
  Scoreboard scoreboard_;
  std::vector<WorkerHandle> workers_;
  RespawnDelay delay_;
  Notifier notifier_{base::ServiceManager::from_environment()};
  base::TimePoint spawn_not_before_{};
  base::TimePoint started_;
  bool ready_said_ = false;
  bool failing_said_ = false;
  base::TimePoint look_at_socket_at_{};
  bool socket_lost_said_ = false;
  bool ending_ = false;
  base::TimePoint end_by_{};  // workers that have not exited by then are killed
  sigset_t waiting_{};
};

}  // namespace svc::pool
