#include "redis/address.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/number.h"
#include "text/uri.h"
#include "text/word_list.h"

namespace svc::redis {
namespace {

constexpr std::size_t kMaxUnixPath = 107;  // sun_path, with its end
constexpr int kLastDatabase = 65'535;
constexpr std::string_view kForms =
    "; use unix:///path[?db=N], redis://host[:port][/N], sentinel://host[:port],.../name[?db=N] or "
    "cluster://host[:port],..., or rediss, sentinel+tls or cluster+tls for TLS";

using Error = std::optional<std::string>;

base::Result<Endpoint, std::string> parse_endpoint(std::string_view text, std::uint16_t port) {
  Endpoint endpoint{.host = {}, .port = port};
  std::string_view digits;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos)
      return base::Refusal<std::string>{"a bracket of the host is not closed"};
    endpoint.host = text.substr(1, end - 1);
    digits = text.substr(end + 1);
    if (!digits.empty() && digits.front() != ':')
      return base::Refusal<std::string>{"the closing bracket is not followed by a colon"};
  } else {
    // The port of an IPv6 address without brackets follows its last colon.
    const std::size_t colon = std::min(text.rfind(':'), text.size());
    endpoint.host = text.substr(0, colon);
    digits = text.substr(colon);
  }
  if (!digits.empty()) {
    const auto number = text::parse_port(digits);
    if (!number) return base::Refusal<std::string>{"the port is not a number from 1 to 65535"};
    endpoint.port = *number;
  }
  if (endpoint.host.empty()) return base::Refusal<std::string>{"the host is missing"};
  return endpoint;
}

// Adds the endpoints of a list whose elements are separated by commas.
Error parse_endpoints(std::string_view list, std::uint16_t port, std::vector<Endpoint>& out) {
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    auto endpoint = parse_endpoint(list.substr(0, comma), port);
    if (!endpoint) return endpoint.error();
    if (std::ranges::find(out, *endpoint) != out.end())
      return endpoint->to_text() + " is named twice";
    out.push_back(std::move(*endpoint));
    if (comma == list.size()) return std::nullopt;
    list.remove_prefix(comma + 1);
  }
}

Error parse_database(std::string_view query, int& out) {
  const bool named = query.starts_with("db=");
  const auto database = base::parse_number<int>(query.substr(named ? 3 : 0), 0, kLastDatabase);
  if (!named || !database) return "only db=N may follow the question mark";
  out = *database;
  return std::nullopt;
}

Error parse_unix(const text::UriParts& parts, Address& address) {
  if (parts.query) {
    if (const Error error = parse_database(*parts.query, address.database)) return error;
  }
  if (!parts.authority.empty() || parts.path.empty())
    return "the path of a unix socket must be absolute";
  if (parts.path.size() > kMaxUnixPath) return "the path of a unix socket is longer than 107 bytes";
  address.path = parts.path;
  return std::nullopt;
}

Error parse_server(const text::UriParts& parts, Address& address) {
  if (parts.query) return "the database is not a number";
  if (parts.path.size() > 1) {
    const auto database = base::parse_number<int>(parts.path.substr(1), 0, kLastDatabase);
    if (!database) return "the database is not a number";
    address.database = *database;
  }
  auto endpoint = parse_endpoint(parts.authority, kDefaultPort);
  if (!endpoint) return endpoint.error();
  address.endpoints.push_back(std::move(*endpoint));
  return std::nullopt;
}

Error parse_sentinel(const text::UriParts& parts, Address& address) {
  address.kind = Address::Kind::Sentinel;
  if (parts.query) {
    if (const Error error = parse_database(*parts.query, address.database)) return error;
  }
  if (parts.path.size() < 2 || parts.path.find('/', 1) != std::string_view::npos)
    return "the name of the primary, as the Sentinels know it, must follow the hosts";
  address.primary = parts.path.substr(1);
  return parse_endpoints(parts.authority, kDefaultSentinelPort, address.endpoints);
}

Error parse_cluster(const text::UriParts& parts, Address& address) {
  address.kind = Address::Kind::Cluster;
  if (parts.query || parts.path.size() > 1) return "a cluster has no databases";
  return parse_endpoints(parts.authority, kDefaultPort, address.endpoints);
}

}  // namespace

std::string Endpoint::to_text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

base::Result<Address, std::string> Address::parse(std::string_view url) {
  const auto refused = [](std::string_view why) {
    return base::Refusal{std::string(why) + std::string(kForms)};
  };
  const auto parts = text::split_uri(url);
  if (!parts) return refused("unknown scheme");
  struct Scheme {
    std::string_view name;
    Error (*parse)(const text::UriParts&, Address&);
    bool tls;
  };
  static constexpr std::array kSchemes{Scheme{"unix", parse_unix, false},
                                       Scheme{"redis", parse_server, false},
                                       Scheme{"rediss", parse_server, true},
                                       Scheme{"sentinel", parse_sentinel, false},
                                       Scheme{"sentinel+tls", parse_sentinel, true},
                                       Scheme{"cluster", parse_cluster, false},
                                       Scheme{"cluster+tls", parse_cluster, true}};
  const auto* scheme = std::ranges::find(kSchemes, parts->scheme, &Scheme::name);
  if (scheme == kSchemes.end()) return refused("unknown scheme");
  if (parts->scheme != "unix" && url.find('@') != std::string_view::npos)
    return refused("the URL must not contain a password, use redis-password-file");
  Address address;
  address.tls = scheme->tls;
  if (const Error error = scheme->parse(*parts, address)) return refused(*error);
  return address;
}

Address Address::of(Endpoint server, bool tls, int database) {
  Address address;
  address.tls = tls;
  address.endpoints.push_back(std::move(server));
  address.database = database;
  return address;
}

std::string Address::to_text() const {
  const std::string query = database != 0 ? "?db=" + std::to_string(database) : "";
  if (!path.empty()) return "unix://" + path + query;
  std::string hosts;
  for (const Endpoint& endpoint : endpoints) text::add_word(hosts, endpoint.to_text(), ",");
  const std::string with_tls = tls ? "+tls://" : "://";
  switch (kind) {
    case Kind::Server:
      return (tls ? "rediss://" : "redis://") + hosts +
             (database != 0 ? "/" + std::to_string(database) : "");
    case Kind::Sentinel: return "sentinel" + with_tls + hosts + "/" + primary + query;
    case Kind::Cluster: return "cluster" + with_tls + hosts;
  }
  return {};
}

}  // namespace svc::redis
