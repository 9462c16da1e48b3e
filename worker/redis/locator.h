// Locator: finds out which server to connect to: the server that the
// configuration names, or the primary that the Sentinels name; and its addresses.
//
// getaddrinfo() lacks a timeout: it can take 30 s if the name server does not
// answer. So it runs in a thread, which outlives a cancelled task. A literal
// address needs none.
//
// Sentinels are asked one after another, until two name the same server: one
// Sentinel alone may have been cut off or be wrong. The answer of a single
// Sentinel counts if no other answers. The Sentinels that answered last are
// asked first.
// https://redis.io/docs/reference/sentinel-clients
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/look_up.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"
#include "redis/address.h"
#include "redis/connection_settings.h"

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
  using Literals = std::vector<std::string>;
  // Returns the addresses of a host, at least one, or the reason of the failure.
  // May block.
  using LookUp = std::function<base::Result<Literals, std::string>(const std::string& host)>;

  // The loop must outlive it.
  Locator(const ConnectionSettings& settings, loop::Loop& loop, LookUp look_up = base::look_up);
  ~Locator();
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  // Returns the addresses of the server, at least one. Throws base::Unavailable.
  // Awaited by one task at a time. If that is cancelled, the search goes on, and
  // the next task gets its outcome: a search can take longer than a caller waits.
  loop::Task<std::vector<Located>> find();
  // The server that was found last is not a primary: next time, the Sentinels
  // that named it are asked last.
  void was_wrong();

 private:
  loop::Task<> search();
  loop::Task<Endpoint> ask_sentinels();
  loop::Task<Literals> look_up(std::string host);

  loop::Loop& loop_;
  const LookUp look_up_;
  const Endpoint server_;      // without Sentinels
  const std::string primary_;  // its name
  // In the order in which they are asked. Kept, because the search for a host may take longer than
  // a question.
  std::vector<std::unique_ptr<Channel>> sentinels_;
  std::size_t agreed_ = 0;  // the first ones, which named the server that was found last
  std::vector<Located> found_;
  std::exception_ptr failure_;            // of the search, instead of found_
  std::optional<loop::Threads> threads_;  // from the first lookup on
  loop::Event searched_;
  loop::Scope searching_;
};

}  // namespace svc::redis
