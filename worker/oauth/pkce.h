// pkce: RFC 7636, method S256 only.
#pragma once

#include <string_view>

namespace svc::oauth::pkce {

// 43 to 128 unreserved characters, what verifiers and challenges are made of (§4.1, §4.2).
bool is_well_formed(std::string_view text);

// Whether the verifier proves the challenge (§4.6). Without a challenge there must be no verifier,
// or a challenge that an attacker took away would not be missed (RFC 9700 §4.8.2).
bool proves(std::string_view verifier, std::string_view challenge);

}  // namespace svc::oauth::pkce
