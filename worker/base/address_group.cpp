#include "base/address_group.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

namespace svc::base {

namespace {

// An IPv6 address, or an IPv4 address as an IPv4-mapped IPv6 address (RFC 4291
// §2.5.5.2).
using Bytes = std::array<unsigned char, 16>;
constexpr Bytes kMappedIpv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};
constexpr std::size_t kMappedPrefix = 12;

std::optional<Bytes> parse_address(std::string_view address) {
  const std::string text(address);
  Bytes bytes = kMappedIpv4;
  if (inet_pton(AF_INET, text.c_str(), bytes.data() + kMappedPrefix) == 1) return bytes;
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

bool is_ipv4(const Bytes& bytes) {
  return std::memcmp(bytes.data(), kMappedIpv4.data(), kMappedPrefix) == 0;
}

std::string ipv4_text(const Bytes& bytes) {
  std::array<char, INET_ADDRSTRLEN> out{};
  inet_ntop(AF_INET, bytes.data() + kMappedPrefix, out.data(), out.size());
  return out.data();
}

// Returns the network of the first `prefix` bytes.
std::string network(Bytes bytes, std::size_t prefix) {
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(prefix), bytes.end(),
            static_cast<unsigned char>(0));
  if (is_ipv4(bytes)) return ipv4_text(bytes) + "/" + std::to_string(8 * (prefix - kMappedPrefix));
  std::array<char, INET6_ADDRSTRLEN> out{};
  inet_ntop(AF_INET6, bytes.data(), out.data(), out.size());
  return std::string(out.data()) + "/" + std::to_string(8 * prefix);
}

}  // namespace

std::string address_group(std::string_view address) {
  const auto bytes = parse_address(address);
  if (!bytes) return std::string(address);
  return is_ipv4(*bytes) ? ipv4_text(*bytes) : network(*bytes, 8);
}

std::vector<std::string> wider_networks(std::string_view address) {
  const auto bytes = parse_address(address);
  if (!bytes) return {};
  if (is_ipv4(*bytes)) return {network(*bytes, kMappedPrefix + 3)};
  return {network(*bytes, 7), network(*bytes, 6)};
}

}  // namespace svc::base
