// Address: where a store is, as written in the configuration: a Redis server, a
// primary that Redis Sentinel watches, or a Redis Cluster.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::redis {

inline constexpr std::uint16_t kDefaultPort = 6379;
inline constexpr std::uint16_t kDefaultSentinelPort = 26379;

// A TCP server.
struct Endpoint {
  std::string host;  // a name, or a literal address without brackets
  std::uint16_t port = kDefaultPort;

  auto operator<=>(const Endpoint&) const = default;
  std::string to_text() const;  // host:port, with brackets around an IPv6 address
};

struct Address {
  enum class Kind : std::uint8_t { Server, Sentinel, Cluster };

  Kind kind = Kind::Server;
  std::string path;  // for a unix socket; empty for TCP
  // The server; the Sentinels; or some nodes of the cluster, which name the others.
  std::vector<Endpoint> endpoints;
  std::string primary;  // the name by which the Sentinels know the primary
  int database = 0;
  bool tls = false;  // TCP only

  // Parses `unix:///path`, `unix:///path?db=N`, `redis://host[:port][/N]`,
  // `sentinel://host[:port],…/name[?db=N]` or `cluster://host[:port],…`.
  // `rediss`, `sentinel+tls` and `cluster+tls` use TLS.
  // The error names the allowed forms. A password in the URL is refused: it
  // belongs in a file.
  static base::Result<Address, std::string> parse(std::string_view url);
  // The address of one server over TCP.
  static Address of(Endpoint server, bool tls = false, int database = 0);
  std::string to_text() const;
};

}  // namespace svc::redis
