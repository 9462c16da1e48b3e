// ListenQueue: the number of connections that wait at a listening unix socket.
//
// Asks the kernel by sock_diag(7); TCP_INFO does not cover unix sockets. In a
// sandbox without netlink or with its own network, that only works with a
// netlink socket that was made outside and passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/unique_fd.h"

namespace svc::fastcgi {

class ListenQueue {
 public:
  struct Lengths {
    std::int64_t waiting = 0;
    std::int64_t limit = 0;
  };

  // Uses this netlink socket, or makes one if it is empty.
  explicit ListenQueue(base::UniqueFd netlink = {}) : netlink_(std::move(netlink)) {}

  // Returns nullopt if the kernel does not reply this time. Never waits.
  std::optional<Lengths> look(int socket);

  // For a child, which does not use it.
  void close() { netlink_.reset(); }

 private:
  base::UniqueFd netlink_;
};

}  // namespace svc::fastcgi
