#include "redis/address.h"

#include "base/number.h"
#include "text/uri.h"

namespace svc::redis {
namespace {

constexpr std::size_t kMaxUnixPath = 107;  // sun_path, with its end
constexpr int kLastDatabase = 65'535;

}  // namespace

base::Result<Address, std::string> Address::parse(std::string_view url) {
  const auto refused = [&](std::string_view why) {
    return base::Refusal{std::string(why) + "; use unix:///path[?db=N] or redis://host[:port][/N]"};
  };
  const auto parts = text::split_uri(url);
  if (!parts || (parts->scheme != "unix" && parts->scheme != "redis"))
    return refused("unknown scheme");
  Address address;
  if (parts->scheme == "unix") {
    if (parts->query) {
      const bool named = parts->query->starts_with("db=");
      const auto database =
          base::parse_number<int>(parts->query->substr(named ? 3 : 0), 0, kLastDatabase);
      if (!named || !database) return refused("only db=N may follow the question mark");
      address.database = *database;
    }
    if (!parts->authority.empty() || parts->path.empty())
      return refused("the path of a unix socket must be absolute");
    if (parts->path.size() > kMaxUnixPath)
      return refused("the path of a unix socket is longer than 107 bytes");
    address.path = parts->path;
    return address;
  }
  if (url.find('@') != std::string_view::npos) {
    return refused("the URL must not contain a password, use redis-password-file");
  }
  if (parts->query) return refused("the database is not a number");
  if (parts->path.size() > 1) {
    const auto database = base::parse_number<int>(parts->path.substr(1), 0, kLastDatabase);
    if (!database) return refused("the database is not a number");
    address.database = *database;
  }
  std::string_view host = parts->host;
  std::string_view port = parts->port;
  if (host.starts_with('[')) {
    if (host.find(']') == std::string_view::npos)
      return refused("a bracket of the host is not closed");
    if (!host.ends_with(']')) return refused("the closing bracket is not followed by a colon");
    host = host.substr(1, host.size() - 2);
  } else if (const std::size_t colon = port.rfind(':'); colon != std::string_view::npos) {
    // The port of an IPv6 address without brackets follows its last colon.
    host = parts->authority.substr(0, host.size() + colon);
    port.remove_prefix(colon);
  }
  if (!port.empty()) {
    const auto number = text::parse_port(port);
    if (!number) return refused("the port is not a number from 1 to 65535");
    address.port = *number;
  }
  if (host.empty()) return refused("the host is missing");
  address.host = host;
  return address;
}

std::string Address::to_text() const {
  if (!path.empty())
    return "unix://" + path + (database != 0 ? "?db=" + std::to_string(database) : "");
  const bool brackets = host.find(':') != std::string::npos;
  return "redis://" + (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port) +
         (database != 0 ? "/" + std::to_string(database) : "");
}

}  // namespace svc::redis
