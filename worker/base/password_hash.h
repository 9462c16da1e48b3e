// password_hash: Argon2id (RFC 9106), with its cost, and scrypt (RFC 7914) of
// earlier versions and of imports.
//
//   $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>
//   $scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>
//   scrypt$<log2 N>$<r>$<p>$<salt, hex>$<hash, hex>
//
// The default cost takes 19 MiB and about 20 ms of a core; scrypt took seven
// times as long. A process that has hashed keeps up to 32 MiB for the next hash. Never call it
// where it can block other requests. Functions that compute a hash use one thread, and throw
// Unavailable if a library fails.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"

namespace svc::base {

// OWASP recommends at least the default.
struct HashCost {
  unsigned memory = 19 * 1024;  // KiB
  unsigned passes = 2;
  unsigned lanes = 1;
  bool operator==(const HashCost&) const = default;
};
// Returns "" if new hashes may have that cost. Otherwise returns the reason, to be
// printed after "memory times passes".
std::string_view why_not_cost(const HashCost& cost);

std::string hash_password(std::string_view password, Entropy& entropy, const HashCost& cost = {});

// Compares in constant time. Also returns false if `stored` does not have our
// form or is too expensive. In every case takes at least as long as a hash of
// `cost`: oauth-L8. A login without a stored hash is checked against "".
bool password_matches(std::string_view password, std::string_view stored,
                      const HashCost& cost = {});

// Returns true if `stored` has one of our forms. It may still be too expensive,
// see below.
bool is_password_hash(std::string_view stored);

// Returns true if `stored` is what hash_password() with that cost returns.
bool has_cost(std::string_view stored, const HashCost& cost = {});

// Returns true if a guess takes at least as much as one of OWASP's
// recommendations for Argon2id, or as scrypt with N=2^14 r=8 p=5.
bool is_strong_password_hash(std::string_view stored);

// Returns true if `stored` has our form, but needs more than 128 MiB or more
// work than scrypt with N=2^17 r=8 p=1, about 0.3 s: then password_matches() does
// not compute it.
bool is_too_expensive_password_hash(std::string_view stored);

}  // namespace svc::base
