// password_hash: scrypt (RFC 7914), with its parameters kept beside the hash.
//
//   scrypt$<log2 N>$<r>$<p>$<salt, hex>$<hash, hex>
//
// N=2^14 r=8 p=5 needs 16 MiB and about a third of a second of one core: never call it where it
// can hold up other requests.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"

namespace svc::base {

std::string hash_password(std::string_view password, Entropy& entropy);

// Compares in constant time. False as well when `stored` is not one of our hashes.
bool password_matches(std::string_view password, std::string_view stored);

// Whether `stored` has our form, with parameters that this machine would agree to compute.
bool is_password_hash(std::string_view stored);

}  // namespace svc::base
