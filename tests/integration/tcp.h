// tcp: ports of 127.0.0.1 for tests, and servers on them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "integration/redis_server.h"

namespace svc::integration {

struct Bound {
  base::UniqueFd fd;
  std::uint16_t port = 0;
};

// Returns a socket that is bound to a free port of 127.0.0.1 and does not
// listen.
Bound bound();

struct ServerOnPort {
  std::unique_ptr<RedisServer> server;
  std::uint16_t port = 0;
};

// Starts a server that also listens on a free port of 127.0.0.1. `arguments`
// returns the arguments for a port.
ServerOnPort start_on_port(
    const std::function<std::vector<std::string>(const std::string& port)>& arguments);

}  // namespace svc::integration
