// Resolver: looks up the addresses of a host without blocking.
//
// getaddrinfo() lacks a timeout: it can take 30 s if the name server does not
// answer. So it runs in a thread, which the caller polls. If the caller gives
// up, the lookup continues, and the next poll() may return its outcome. A
// resolver runs one lookup at a time, and none for a literal address.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace svc::redis {

class Resolver {
 public:
  using Addresses = std::vector<std::string>;          // literals
  using Found = base::Result<Addresses, std::string>;  // at least one, or the reason of the failure
  using LookUp = std::function<Found(const std::string& host)>;  // may block

  explicit Resolver(LookUp look_up = system_look_up) : look_up_(std::move(look_up)) {}

  // Returns nullopt while the lookup runs. The first call starts a lookup, and
  // so does the first call after its outcome was returned. Every call must name
  // the same host.
  std::optional<Found> poll(const std::string& host);

  static Found system_look_up(const std::string& host);

 private:
  void begin(const std::string& host);

  const LookUp look_up_;
  std::future<Found> under_way_;
};

}  // namespace svc::redis
