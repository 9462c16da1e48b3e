// Generation: the configuration, and the objects made from it, that a set of
// workers shares.
//
// The pool has one serving generation. During a reload it has a second,
// starting one. Draining workers may belong to earlier ones. The program
// defines the contents of a generation.
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

  // In the parent: this generation becomes the current one, for the first time
  // or again after a failed reload.
  virtual void take_over() {}

  // In a child: opens the worker's resources, serves, and returns the exit
  // status.
  virtual int run(const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot,
                  const sigset_t& waiting) = 0;
};

// Callbacks of the program for its pool.
struct Program {
  // Reads the configuration again. Returns a generation, or the reason of the
  // failure.
  std::function<base::Result<std::unique_ptr<Generation>, std::string>()> next;

  // Called once per second. Returns true if the socket was lost and replaced,
  // so that all workers must be replaced. Returns an error if it is lost and
  // could not be replaced yet.
  std::function<base::Result<bool, std::string>()> renew_socket;

  // Returns the length and the limit of the socket's listen queue; nullopt if
  // unknown.
  struct Queue {
    std::int64_t length = 0;
    std::int64_t limit = 0;
  };
  std::function<std::optional<Queue>()> queue;
};

}  // namespace svc::pool
