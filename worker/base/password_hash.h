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

// Compares in constant time. Returns false as well if `stored` is not one of our hashes, or is too
// expensive. Takes at least as long as a hash of today's parameters in every case: oauth.md L8.
bool password_matches(std::string_view password, std::string_view stored);

// Whether `stored` has our form, with parameters that this machine would agree to compute.
bool is_password_hash(std::string_view stored);

// Whether it was made with the parameters that hash_password() has today.
bool has_current_parameters(std::string_view stored);

// Returns true if a guess needs at least as much memory and work as for hash_password().
bool is_strong_password_hash(std::string_view stored);

// Returns true if `stored` has our form, but costs more than password_matches() computes: work
// (N·r·p) over 2^20, which N=2^17 r=8 p=1 needs. Within it, memory is at most 128 MiB.
bool is_too_expensive_password_hash(std::string_view stored);

// Of today's parameters, and of no password that anybody knows: who has no hash is checked against
// it, so that it takes as long as a wrong password.
inline constexpr std::string_view kHashOfNoPassword =
    "scrypt$14$8$5$00000000000000000000000000000000$"
    "0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace svc::base
