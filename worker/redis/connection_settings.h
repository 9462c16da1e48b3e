// ConnectionSettings: address, credentials and timeouts of a store, and the
// observer of its round trips.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/tls.h"
#include "redis/address.h"

namespace svc::redis {

// Receives the durations of round trips and the ends of a connection.
// Declared here, and implemented where they are counted.
class TripObserver {
 public:
  virtual ~TripObserver() = default;
  virtual void answered(base::Duration took) = 0;
  virtual void failed() = 0;
  virtual void closed() {}  // by the peer
};

struct ConnectionSettings {
  Address address;
  std::string username;           // empty: the default user
  std::string password;           // empty: no AUTH
  std::string name;               // CLIENT SETNAME, shown by CLIENT LIST
  std::string sentinel_username;  // at the Sentinels; empty: their default user
  std::string sentinel_password;  // empty: no AUTH
  // Timeout of connecting, which includes the name lookup, and of each reply,
  // counted from the call.
  std::chrono::milliseconds timeout{500};
  // Replicas that must have a change made with Durability::Replicated before its
  // reply is passed on. 0: the primary's reply is enough.
  unsigned wait_replicas = 0;
  // The protocol of the functions that this user calls, for which each connection asks
  // (stores/functions.h). 0: it calls none.
  unsigned functions = 0;
  TripObserver* observer = nullptr;  // nullptr: none; must outlive the connection
  // How long the breaker stays open after the first failure. The delay doubles
  // with each further failure, up to `longest_delay`. A store that is available
  // again is noticed at most that much later.
  base::Duration first_delay = std::chrono::milliseconds(20);
  base::Duration longest_delay = std::chrono::milliseconds(500);
  bool is_quiet = false;  // log no failure: the caller reports it
  // Used if `address.tls` is set, and then not nullptr; must outlive the
  // connection.
  const base::TlsClient* tls = nullptr;
};

}  // namespace svc::redis
