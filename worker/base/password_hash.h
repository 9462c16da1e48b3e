// password_hash: scrypt (RFC 7914), with its parameters stored in the hash.
//
//   scrypt$<log2 N>$<r>$<p>$<salt, hex>$<hash, hex>
//
// N=2^14 r=8 p=5 takes 16 MiB and about 0.3 s of a core. Never call it where it
// can block other requests. Functions that compute a hash throw Unavailable if
// OpenSSL fails.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"

namespace svc::base {

std::string hash_password(std::string_view password, Entropy& entropy);

// Compares in constant time. Also returns false if `stored` does not have our
// form or is too expensive. In every case takes at least as long as a hash with
// the current parameters: oauth-L8.
bool password_matches(std::string_view password, std::string_view stored);

// Returns true if `stored` has our form, with log2 N from 14 to 17, r from 1 to
// 8 and p from 1 to 16. It may still be too expensive, see below.
bool is_password_hash(std::string_view stored);

// Returns true if `stored` has the parameters that hash_password() uses now.
bool has_current_parameters(std::string_view stored);

// Returns true if a guess takes at least as much memory and work as with the
// current parameters.
bool is_strong_password_hash(std::string_view stored);

// Returns true if `stored` has our form, but its work N·r·p is over 2^20, that
// of N=2^17 r=8 p=1: then password_matches() does not compute it. Up to that
// limit, memory is at most 128 MiB.
bool is_too_expensive_password_hash(std::string_view stored);

// Has the current parameters and matches no known password. A login without a
// stored hash is checked against it, so that it takes as long as a wrong
// password.
inline constexpr std::string_view kHashOfNoPassword =
    "scrypt$14$8$5$00000000000000000000000000000000$"
    "0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace svc::base
