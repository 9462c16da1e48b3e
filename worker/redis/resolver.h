// Resolver: the addresses of a host, without waiting.
//
// The system's own look-up has no time limit: a name server that is away may keep it for half a
// minute. So it runs beside, in a thread, and the caller polls; a caller that gives up leaves it
// there, and the next one gets the outcome. There is one at a time, and none for a literal address.
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
  using Addresses = std::vector<std::string>;          // literal ones
  using Found = base::Result<Addresses, std::string>;  // at least one, or why there is none
  using LookUp = std::function<Found(const std::string& host)>;  // may take as long as it likes

  explicit Resolver(LookUp look_up = system_look_up) : look_up_(std::move(look_up)) {}

  // Always asked for the same host. Returns nothing while the look-up runs; the first call starts
  // it, and so does the call after the one that returned its outcome.
  std::optional<Found> poll(const std::string& host);

  static Found system_look_up(const std::string& host);

 private:
  void begin(const std::string& host);

  const LookUp look_up_;
  std::future<Found> under_way_;
};

}  // namespace svc::redis
