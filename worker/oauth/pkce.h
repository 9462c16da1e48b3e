// pkce: RFC 7636, method S256 only.
#pragma once

#include <string_view>

namespace svc::oauth::pkce {

// Returns true for 43 to 128 unreserved characters, the form of verifiers and
// challenges (§4.1, §4.2).
bool is_well_formed(std::string_view text);

// Returns true if the verifier matches the challenge (§4.6). If the challenge is empty, the
// verifier must be empty too: otherwise an attacker could remove the challenge unnoticed (RFC 9700
// §4.8.2).
bool proves(std::string_view verifier, std::string_view challenge);

}  // namespace svc::oauth::pkce
