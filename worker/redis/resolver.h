// Resolver: looks up the addresses of a host without blocking.
//
// getaddrinfo() lacks a timeout: it can take 30 s if the name server does not
// answer. So it runs in a thread, which outlives a cancelled task. A literal
// address needs none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"

namespace svc::redis {

class Resolver {
 public:
  using Addresses = std::vector<std::string>;          // literals
  using Found = base::Result<Addresses, std::string>;  // at least one, or the reason of the failure
  using LookUp = std::function<Found(const std::string& host)>;  // may block

  // `loop` outlives the resolver, and the resolver its tasks.
  explicit Resolver(loop::Loop& loop, LookUp look_up = system_look_up)
      : loop_(loop), look_up_(std::move(look_up)) {}

  loop::Task<Found> find(std::string host);

  static Found system_look_up(const std::string& host);

 private:
  loop::Loop& loop_;
  const LookUp look_up_;
  std::optional<loop::Threads> threads_;  // from the first lookup on
};

}  // namespace svc::redis
