// ListenQueue: how many connections wait at a listening unix socket.
//
// The kernel tells by sock_diag(7). TCP_INFO, which others ask, knows nothing of unix sockets. In a
// sandbox without netlink, or with a network of its own, nobody knows.
#pragma once

#include <cstdint>
#include <optional>

#include "base/unique_fd.h"

namespace svc::fastcgi {

class ListenQueue {
 public:
  struct Lengths {
    std::int64_t waiting = 0;
    std::int64_t limit = 0;
  };

  // Nothing when that cannot be had; then it is not asked again. Never waits.
  std::optional<Lengths> look(int socket);

 private:
  base::UniqueFd netlink_;
  bool refused_ = false;
};

}  // namespace svc::fastcgi
