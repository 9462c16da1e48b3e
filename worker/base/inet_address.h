// inet_address: the address of an IPv4 or IPv6 socket (ip(7), ipv6(7)) for
// connect().
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

namespace svc::base {

class InetAddress {
 public:
  // Returns nullopt if `literal` is neither an IPv4 nor an IPv6 address.
  static std::optional<InetAddress> of(const std::string& literal, std::uint16_t port) {
    InetAddress made;
    if (inet_pton(AF_INET, literal.c_str(), &made.v4_.sin_addr) == 1) {
      made.v4_.sin_family = AF_INET;
      made.v4_.sin_port = htons(port);
      return made;
    }
    if (inet_pton(AF_INET6, literal.c_str(), &made.v6_.sin6_addr) == 1) {
      made.v6_.sin6_family = AF_INET6;
      made.v6_.sin6_port = htons(port);
      return made;
    }
    return std::nullopt;
  }

  const sockaddr* get() const {
    return is_v6() ? reinterpret_cast<const sockaddr*>(&v6_)
                   : reinterpret_cast<const sockaddr*>(&v4_);
  }
  socklen_t size() const { return is_v6() ? sizeof v6_ : sizeof v4_; }

 private:
  InetAddress() = default;
  bool is_v6() const { return v6_.sin6_family == AF_INET6; }

  sockaddr_in v4_{};
  sockaddr_in6 v6_{};
};

}  // namespace svc::base
