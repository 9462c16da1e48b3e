// ListenQueue: how many connections wait at a listening unix socket.
//
// The kernel tells by sock_diag(7). TCP_INFO, which others ask, knows nothing of unix sockets. In a
// sandbox without netlink, or with a network of its own, nobody knows, unless a socket to ask with
// was made outside and passed in.
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

  // Asks with this netlink socket, or, when there is none, with one of its own.
  explicit ListenQueue(base::UniqueFd netlink = {}) : netlink_(std::move(netlink)) {}

  // Nothing when that cannot be had; then it is not asked again. Never waits.
  std::optional<Lengths> look(int socket);

  // For a child, which has no business with it.
  void close() {
    netlink_.reset();
    refused_ = true;
  }

 private:
  base::UniqueFd netlink_;
  bool refused_ = false;
};

}  // namespace svc::fastcgi
