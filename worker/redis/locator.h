// Locator: finds out which server to connect to: the server that the
// configuration names, or the primary that the Sentinels name.
//
// Sentinels are asked one after another, until two name the same server: one
// Sentinel alone may have been cut off or be wrong. The answer of a single
// Sentinel counts if no other answers. The Sentinels that answered last are
// asked first.
// https://redis.io/docs/reference/sentinel-clients
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/address.h"
#include "redis/connection_settings.h"
#include "redis/resolver.h"

namespace svc::redis {

class Channel;

// An address of a server.
struct Located {
  std::string literal;
  std::uint16_t port;
  std::string host;  // as configured or as the Sentinels name it: the name in its certificate
};

// Returns how each Sentinel of `settings.address` is asked, as the user
// `settings.sentinel_username`. Their failures are not logged: their caller
// reports if all of them fail.
std::vector<ConnectionSettings> settings_of_sentinels(const ConnectionSettings& settings);

class Locator {
 public:
  // The addresses of one server, at least one; or the reason of the failure.
  using Found = base::Result<std::vector<Located>, std::string>;

  // The loop must outlive it. `look_up`: as that of a Resolver.
  Locator(const ConnectionSettings& settings, loop::Loop& loop,
          Resolver::LookUp look_up = Resolver::system_look_up);
  ~Locator();
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  // Awaited by one task at a time. If that is cancelled, the search goes on, and
  // the next task gets its outcome: a search can take longer than a caller waits.
  loop::Task<Found> find();
  // The server that was found last is not a primary: next time, the Sentinels
  // that named it are asked last.
  void was_wrong();

 private:
  using Primary = base::Result<Endpoint, std::string>;

  loop::Task<> search();
  loop::Task<Primary> ask_sentinels();
  loop::Task<Found> look_up(Endpoint server);

  const Endpoint server_;      // without Sentinels
  const std::string primary_;  // its name
  Resolver resolver_;
  // In the order in which they are asked. Kept, because the search for a host may take longer than
  // a question.
  std::vector<std::unique_ptr<Channel>> sentinels_;
  std::size_t agreed_ = 0;  // the first ones, which named the server that was found last
  std::optional<Found> found_;
  loop::Event searched_;
  loop::Scope searching_;
};

// Returns nullptr for a unix socket, which needs none.
std::unique_ptr<Locator> locator_for(const ConnectionSettings& settings, loop::Loop& loop);

}  // namespace svc::redis
