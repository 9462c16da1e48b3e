// Generation: what workers that were started with one configuration have in common.
//
// The pool has one that serves; while it reloads, a second one that comes up; and of those before,
// the workers that still drain. The program says what a generation is made of.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "pool/metrics/scoreboard.h"
#include "pool/worker/worker.h"

namespace svc::pool {

struct PoolSettings {
  std::string name;  // the roles, for the log and the process title
  std::size_t workers = 4;
  WorkerSettings worker;
};

class Generation {
 public:
  virtual ~Generation() = default;
  virtual const PoolSettings& settings() const = 0;

  // In the parent: it leads from now on, or again.
  virtual void take_over() {}

  // In a child: opens what a worker needs, serves, and returns the exit status.
  virtual int run(const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot,
                  const sigset_t& waiting) = 0;
};

// What the program does for its pool.
struct Program {
  // The configuration, read again: a generation of it, or why there is none.
  std::function<base::Result<std::unique_ptr<Generation>, std::string>()> next;

  // Called every second: true when the socket was lost and there is a new one, so that all workers
  // have to be replaced; a refusal when it is lost and cannot be had back yet.
  std::function<base::Result<bool, std::string>()> renew_socket;

  // How many connections wait at the socket, and how many may; nothing when that is not known.
  struct Queue {
    std::int64_t length = 0;
    std::int64_t limit = 0;
  };
  std::function<std::optional<Queue>()> queue;
};

}  // namespace svc::pool
