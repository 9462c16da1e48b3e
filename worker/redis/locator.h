// Locator: finds out which server to connect to, without blocking: the server
// that the configuration names, or the primary that the Sentinels name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "redis/address.h"
#include "redis/connection_settings.h"
#include "redis/resolver.h"

namespace svc::redis {

// An address of a server.
struct Located {
  std::string literal;
  std::uint16_t port;
  std::string host;  // as configured or as the Sentinels name it: the name in its certificate
};

class Locator {
 public:
  // The addresses of one server, at least one; or the reason of the failure.
  using Found = base::Result<std::vector<Located>, std::string>;

  virtual ~Locator() = default;
  // Returns nullopt while the search runs. The first call starts a search, and
  // so does the first call after its outcome was returned. If the caller gives
  // up, the search continues, and a later call may return its outcome.
  virtual std::optional<Found> poll() = 0;
  // The server that was found last is not a primary.
  virtual void was_wrong() = 0;
};

// Returns the locator for the kind of address. A unix socket needs none: nullptr.
std::unique_ptr<Locator> locator_for(const ConnectionSettings& settings, loop::Loop& loop);

// Looks up the host of one server.
class HostLocator : public Locator {
 public:
  explicit HostLocator(Endpoint server, Resolver resolver = Resolver())
      : server_(std::move(server)), resolver_(std::move(resolver)) {}

  std::optional<Found> poll() override;
  void was_wrong() override {}

 private:
  const Endpoint server_;
  Resolver resolver_;
};

// Returns how each Sentinel of `settings.address` is asked, as the user
// `settings.sentinel_username`. Their failures are not logged: their caller
// reports if all of them fail.
std::vector<ConnectionSettings> settings_of_sentinels(const ConnectionSettings& settings);

// Asks Sentinels for their primary, one after another, until two name the same
// server: one Sentinel alone may have been cut off or be wrong. Takes the answer of a single
// Sentinel if no other answers. Asks the Sentinels that answered last first.
// https://redis.io/docs/reference/sentinel-clients
class SentinelLocator : public Locator {
 public:
  // `settings.address` lists the Sentinels. They are asked as the user
  // `settings.sentinel_username`. The loop must outlive it.
  SentinelLocator(const ConnectionSettings& settings, loop::Loop& loop);
  ~SentinelLocator() override;

  std::optional<Found> poll() override;
  // Next time, the Sentinels that named the server are asked last.
  void was_wrong() override;

 private:
  struct Sentinel;
  struct Answer {
    Endpoint primary;
    std::vector<std::size_t> from;  // indices of sentinels_
  };

  void begin();
  void ask();
  // Takes the reply of the Sentinel that was asked.
  void take_reply();
  // Decides once two agree or all were asked.
  bool decide();
  std::string problem() const;

  const std::string primary_;
  // In the order in which they are asked. Kept, because the search for a host may take longer than
  // a question.
  std::vector<std::unique_ptr<Sentinel>> sentinels_;
  std::size_t asked_ = 0;
  std::vector<Answer> answers_;
  std::vector<std::size_t> last_from_;  // the Sentinels that named the server returned last
  std::size_t strangers_ = 0;           // Sentinels that do not know the primary's name
  std::string why_;                     // why the last Sentinel did not answer
  std::unique_ptr<HostLocator> host_;   // for the primary that was decided on
  bool searching_ = false;
};

}  // namespace svc::redis
