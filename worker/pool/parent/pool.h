// Pool: the parent. Spawns workers, replaces those that end, ends those that hang, reloads, drains.
//
// It never touches a request, so nothing that a client sends can end it.
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

  // Until TERM, INT or QUIT, and then until all workers are gone. Returns the exit status.
  //
  // HUP reloads. The new configuration is read and checked first; its workers come up; and only
  // when all of them are there do the old ones drain. Where something of this goes wrong,
  // everything goes on as before. More HUPs in the meantime are one more reload, behind this one.
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
  void end(WorkerHandle& worker, std::size_t reason, base::Duration age);  // of pool::death
  void say_ready();
  void take_reload();
  void look_at_reload();
  void fail_reload(const std::string& why);
  void answer_reload(ReloadOutcome outcome, const std::string& text);
  void hurry_oldest();
  void observe();
  void signal_all(int signal);
  bool is_up(std::uint32_t generation) const;  // all of its workers
  std::size_t present() const;  // workers of the newest generation that are not leaving
  int next_wait_ms() const;

  const PoolSettings& settings() const { return current_->settings(); }
  std::int64_t now() const { return clock_.now().time_since_epoch().count(); }

  std::unique_ptr<Generation> current_;
  std::unique_ptr<Generation> former_;  // while a reload is under way: the one that serves
  std::uint32_t generation_ = 1;        // the number of the current one
  std::uint32_t generations_ = 1;       // how many there have been
  bool reload_wanted_ = false;
  std::uint64_t answering_ = 0;  // how many reloads had been asked for when the last one began
  base::TimePoint reload_began_{};
  const base::Clock& clock_;
  const Program program_;
  Scoreboard scoreboard_;
  std::vector<WorkerHandle> workers_;
  RespawnDelay delay_;
  Notifier notifier_ = Notifier::from_environment();
  base::TimePoint spawn_not_before_{};
  base::TimePoint started_;
  bool ready_said_ = false;
  bool failing_said_ = false;
  base::TimePoint look_at_socket_at_{};
  bool socket_lost_said_ = false;
  bool ending_ = false;
  base::TimePoint end_by_{};  // whoever is there after it is killed
  sigset_t waiting_{};
};

}  // namespace svc::pool
