// Store: a connection to a RedisServer, configured like those of the service's
// stores, with its own loop.
#pragma once

#include <utility>

#include "base/clock.h"
#include "integration/redis_server.h"
#include "loop/loop.h"
#include "redis/store.h"

namespace svc::integration {

class Store {
 public:
  explicit Store(redis::ConnectionSettings settings)
      : loop_(clock_), redis_(std::move(settings), loop_) {}
  explicit Store(const RedisServer& server) : Store(server.settings()) {}

  redis::Store& redis() { return redis_; }
  loop::Loop& loop() { return loop_; }
  loop::Scope& tasks() { return tasks_; }
  const base::Clock& clock() const { return clock_; }

  // Runs a task to its end; returns its value or throws its exception.
  template <class T>
  T run(loop::Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }

 private:
  const base::SteadyClock clock_;
  loop::Loop loop_;
  redis::Store redis_;
  loop::Scope tasks_{loop_};
};

}  // namespace svc::integration
