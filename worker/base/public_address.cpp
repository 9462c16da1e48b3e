#include "base/public_address.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace svc::base {
namespace {

struct V4Network {
  std::uint32_t first;
  unsigned bits;
};

// The registry of RFC 6890, with RFC 8155, multicast (RFC 5771) and the anycast prefix of 6to4 (RFC
// 7526).
constexpr std::array<V4Network, 18> kSpecialV4{{
    {0x00000000, 8},   // 0.0.0.0/8, this network
    {0x0a000000, 8},   // 10.0.0.0/8, private
    {0x64400000, 10},  // 100.64.0.0/10, shared
    {0x7f000000, 8},   // 127.0.0.0/8, loopback
    {0xa9fe0000, 16},  // 169.254.0.0/16, link-local
    {0xac100000, 12},  // 172.16.0.0/12, private
    {0xc0000000, 24},  // 192.0.0.0/24, protocol assignments
    {0xc0000200, 24},  // 192.0.2.0/24, documentation
    {0xc01fc400, 24},  // 192.31.196.0/24, AS112
    {0xc034c100, 24},  // 192.52.193.0/24, AMT
    {0xc0586300, 24},  // 192.88.99.0/24, 6to4
    {0xc0a80000, 16},  // 192.168.0.0/16, private
    {0xc0af3000, 24},  // 192.175.48.0/24, AS112
    {0xc6120000, 15},  // 198.18.0.0/15, benchmarking
    {0xc6336400, 24},  // 198.51.100.0/24, documentation
    {0xcb007100, 24},  // 203.0.113.0/24, documentation
    {0xe0000000, 4},   // 224.0.0.0/4, multicast
    {0xf0000000, 4},   // 240.0.0.0/4, reserved; 255.255.255.255
}};

using V6Bytes = std::array<std::uint8_t, 16>;

struct V6Network {
  V6Bytes first;
  unsigned bits;
};

// Only 2000::/3 is assigned as global unicast; these are the special parts of it.
constexpr std::array<V6Network, 6> kSpecialV6{{
    {{0x20, 0x01}, 23},                          // protocol assignments: Teredo, ORCHID and others
    {{0x20, 0x01, 0x0d, 0xb8}, 32},              // documentation
    {{0x20, 0x02}, 16},                          // 6to4
    {{0x26, 0x20, 0x00, 0x4f, 0x80, 0x00}, 48},  // AS112
    {{0x3f, 0xfe}, 16},                          // the former 6bone
    {{0x3f, 0xff, 0x00}, 20},                    // documentation
}};
constexpr V6Network kGlobalUnicast{{0x20}, 3};
constexpr V6Network kMapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};  // RFC 4291 §2.5.5.2
constexpr V6Network kNat64{{0x00, 0x64, 0xff, 0x9b}, 96};                     // RFC 6052

bool is_in(std::uint32_t address, const V4Network& network) {
  return (address ^ network.first) >> (32 - network.bits) == 0;
}

bool is_in(const V6Bytes& address, const V6Network& network) {
  unsigned left = network.bits;
  for (std::size_t i = 0; left > 0; ++i) {
    const unsigned bits = std::min(left, 8U);
    if (((address[i] ^ network.first[i]) >> (8 - bits)) != 0) return false;
    left -= bits;
  }
  return true;
}

bool is_public_v4(std::uint32_t address) {
  return std::ranges::none_of(kSpecialV4,
                              [&](const V4Network& network) { return is_in(address, network); });
}

std::uint32_t last_four(const V6Bytes& address) {
  return std::uint32_t{address[12]} << 24 | std::uint32_t{address[13]} << 16 |
         std::uint32_t{address[14]} << 8 | std::uint32_t{address[15]};
}

// The copies are aligned, which the caller's bytes need not be.
std::optional<std::uint32_t> v4_of(const sockaddr* address) {
  if (address->sa_family != AF_INET) return std::nullopt;
  sockaddr_in v4{};
  std::memcpy(&v4, address, sizeof v4);
  return ntohl(v4.sin_addr.s_addr);
}

std::optional<V6Bytes> v6_of(const sockaddr* address) {
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof v6);
  V6Bytes bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return bytes;
}

}  // namespace

bool is_public_address(const sockaddr* address) {
  if (const auto v4 = v4_of(address)) return is_public_v4(*v4);
  const auto v6 = v6_of(address);
  if (!v6) return false;
  if (is_in(*v6, kMapped) || is_in(*v6, kNat64)) return is_public_v4(last_four(*v6));
  return is_in(*v6, kGlobalUnicast) &&
         std::ranges::none_of(kSpecialV6,
                              [&](const V6Network& network) { return is_in(*v6, network); });
}

bool is_loopback_address(const sockaddr* address) {
  if (const auto v4 = v4_of(address)) return *v4 >> 24 == 127;
  const auto v6 = v6_of(address);
  return v6 && std::equal(v6->begin(), v6->end() - 1, V6Bytes{}.begin()) && v6->back() == 1;
}

}  // namespace svc::base
