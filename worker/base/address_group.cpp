#include "base/address_group.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace svc::base {

std::string address_group(std::string_view address) {
  const std::string text(address);
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return text;
  constexpr std::array<unsigned char, 12> kMappedIpv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (std::memcmp(bytes.data(), kMappedIpv4.data(), kMappedIpv4.size()) == 0) {
    inet_ntop(AF_INET, bytes.data() + kMappedIpv4.size(), out.data(), out.size());
    return out.data();
  }
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  inet_ntop(AF_INET6, bytes.data(), out.data(), out.size());
  return std::string(out.data()) + "/64";
}

}  // namespace svc::base
