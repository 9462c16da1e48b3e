// Pool: the parent. Spawns workers, replaces those that end, ends those that hang, drains them all.
//
// It never touches a request, so nothing that a client sends can end it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "pool/notifier.h"
#include "pool/respawn_delay.h"
#include "pool/scoreboard.h"
#include "pool/worker.h"
#include "pool/worker_handle.h"

namespace svc::pool {

struct PoolSettings {
  std::string name;  // the roles, for the log and the process title
  std::size_t workers = 4;
  base::Duration request_timeout = std::chrono::seconds(3);
  WorkerSettings worker;
};

class Pool {
 public:
  // `run_worker` is called in each child and ends it with its answer; it opens what a worker needs.
  using RunWorker = std::function<int(const WorkerSettings& settings, Scoreboard& scoreboard,
                                      Slot& slot, const sigset_t& waiting)>;

  // Called every second: true when the socket was lost and there is a new one, so that all workers
  // have to be replaced; a refusal when it is lost and cannot be had back yet.
  using RenewSocket = std::function<base::Result<bool, std::string>()>;

  Pool(PoolSettings settings, const base::Clock& clock, RunWorker run_worker,
       RenewSocket renew_socket);

  // Until TERM, INT or QUIT, and then until all workers are gone. Returns the exit status.
  int run();

 private:
  void spawn();
  void spawn_missing();
  void reap();
  void say_death(const WorkerHandle& worker, int status, base::Duration delay);
  void replace_leaving();
  void look_at_socket();
  void end_overdue();
  void end(WorkerHandle& worker, std::string_view reason, base::Duration age);
  void say_ready();
  void signal_all(int signal);
  std::size_t present() const;  // workers that are not leaving
  int next_wait_ms() const;

  const PoolSettings settings_;
  const base::Clock& clock_;
  const RunWorker run_worker_;
  const RenewSocket renew_socket_;
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
