// address_group: what of an address is counted as one: whoever can take another address within it
// gains nothing by that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::base {

// The whole of an IPv4 address, the network (/64) of an IPv6 address, of which one household has
// 2^64. What is no address stays as it is.
std::string address_group(std::string_view address);

// The networks around that group, the narrower first: the /24 of an IPv4 address, the /56 and the
// /48 of an IPv6 address. Empty for what is not an address.
std::vector<std::string> wider_networks(std::string_view address);

}  // namespace svc::base
