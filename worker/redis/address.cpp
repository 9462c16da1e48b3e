#include "redis/address.h"

#include <charconv>

namespace svc::redis {
namespace {

constexpr std::size_t kMaxUnixPath = 107;  // sun_path, with its end

// False when `text` is not a decimal number from low to high.
bool read_number(std::string_view text, int low, int high, int& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && out >= low && out <= high;
}

}  // namespace

base::Result<Address, std::string> Address::parse(std::string_view url) {
  const auto refused = [&](std::string_view why) {
    return base::Refusal{std::string(why) +
                         "; allowed are unix:///path[?db=N] and redis://host[:port][/N]"};
  };
  Address address;
  if (url.starts_with("unix://")) {
    std::string_view path = url.substr(7);
    if (const std::size_t query = path.find('?'); query != std::string_view::npos) {
      if (!path.substr(query).starts_with("?db=") ||
          !read_number(path.substr(query + 4), 0, 65535, address.database)) {
        return refused("behind the question mark stands something else than db=N");
      }
      path = path.substr(0, query);
    }
    if (!path.starts_with('/')) return refused("the path of a unix socket must be absolute");
    if (path.size() > kMaxUnixPath)
      return refused("the path of a unix socket is longer than 107 bytes");
    address.path = std::string(path);
    return address;
  }
  if (!url.starts_with("redis://")) return refused("unknown scheme");
  url.remove_prefix(8);
  if (url.find('@') != std::string_view::npos) {
    return refused("a password does not belong in the URL, use redis-password-file");
  }
  if (const std::size_t slash = url.find('/'); slash != std::string_view::npos) {
    const std::string_view database = url.substr(slash + 1);
    if (!database.empty() && !read_number(database, 0, 65535, address.database)) {
      return refused("the database is not a number");
    }
    url = url.substr(0, slash);
  }
  int port = 6379;
  std::size_t colon = url.rfind(':');
  if (url.starts_with('[')) {
    const std::size_t close = url.find(']');
    if (close == std::string_view::npos) return refused("a bracket is not closed");
    address.host = std::string(url.substr(1, close - 1));
    colon = close + 1 < url.size() ? close + 1 : std::string_view::npos;
    if (colon != std::string_view::npos && url[colon] != ':')
      return refused("no colon before the port");
  } else {
    address.host = std::string(url.substr(0, colon));
  }
  if (colon != std::string_view::npos && !read_number(url.substr(colon + 1), 1, 65535, port)) {
    return refused("the port is not a number from 1 to 65535");
  }
  if (address.host.empty()) return refused("the host is missing");
  address.port = static_cast<std::uint16_t>(port);
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
