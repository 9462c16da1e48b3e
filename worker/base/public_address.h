// public_address: whether an address belongs to the public internet. RFC 6890.
#pragma once

#include <sys/socket.h>

namespace svc::base {

// Returns false for each special-use address: loopback, private, shared, link-local, multicast,
// documentation, benchmarking, reserved; and for those of translators and tunnels whose inner
// address is one (v4-mapped, NAT64) or that are special themselves (6to4, Teredo). Returns false
// for other families.
bool is_public_address(const sockaddr* address);

// Returns true for 127.0.0.0/8 and ::1.
bool is_loopback_address(const sockaddr* address);

}  // namespace svc::base
