// ConnectionSettings: how a store is reached, and who is told how it does.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "redis/address.h"

namespace svc::redis {

// Told how the store does: of each trip to it, from the first word sent to the first answer, and of
// each failure. Declared here, because whoever counts lies elsewhere.
class TripObserver {
 public:
  virtual ~TripObserver() = default;
  virtual void answered(base::Duration took) = 0;
  virtual void failed() = 0;
};

struct ConnectionSettings {
  Address address;
  std::string username;  // empty: the default user
  std::string password;  // empty: no AUTH
  std::string name;      // CLIENT SETNAME, what the server's CLIENT LIST shows
  // To connect, with the look-up of the host's name, and for each read and write.
  std::chrono::milliseconds timeout{500};
  TripObserver* observer = nullptr;  // nullptr: nobody; else outlives the connection
  // How long the breaker stays open after the first failure. The delay doubles with each further
  // failure, up to `longest_delay`, which a store that came back may have to wait to be noticed.
  base::Duration first_delay = std::chrono::milliseconds(20);
  base::Duration longest_delay = std::chrono::milliseconds(500);
};

}  // namespace svc::redis
