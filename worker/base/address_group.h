// address_group: the part of a client address that throttling counts by. An
// attacker can cheaply use any other address in the same group.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::base {

// Returns an IPv4 address unchanged, and the /64 network of an IPv6 address,
// because one site has 2^64 of those. An IPv4-mapped IPv6 address counts as
// IPv4. Returns any other text unchanged.
std::string address_group(std::string_view address);

// Returns the networks that contain the group, the narrower first: the /24 of
// an IPv4 address; the /56 and the /48 of an IPv6 address. Empty if `address`
// is not an address.
std::vector<std::string> wider_networks(std::string_view address);

}  // namespace svc::base
