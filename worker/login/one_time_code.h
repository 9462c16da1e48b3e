// one_time_code: codes of an authenticator application (TOTP, RFC 6238), with the parameters that
// all of them know: SHA-1, 6 digits, 30 s. And recovery codes, each of which replaces one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/entropy.h"

namespace svc::login {

// Returns a new secret of 20 bytes, RFC 4226 §4.
std::string new_one_time_secret(base::Entropy& entropy);

// RFC 4648 §6, without padding.
std::string base32(std::string_view bytes);

// Returns the otpauth: URI of a secret, which authenticators read from a QR code. `issuer` is the
// name of this service.
std::string one_time_uri(std::string_view secret, std::string_view issuer,
                         std::string_view account);

// The number of a period of 30 s. `time`: seconds since 1970.
std::int64_t one_time_step(std::int64_t time);
// Returns the code of that step: 6 digits.
std::string one_time_code(std::string_view secret, std::int64_t step);
// Returns the step whose code this is: the present one or one of its neighbours, RFC 6238 §5.2.
// Returns nullopt for any other text. Compares in constant time.
std::optional<std::int64_t> matching_step(std::string_view secret, std::string_view code,
                                          std::int64_t time);

inline constexpr std::size_t kRecoveryCodes = 10;
// Returns kRecoveryCodes new codes of 50 random bits: "abcde-fghij".
std::vector<std::string> new_recovery_codes(base::Entropy& entropy);
// Returns a code as it was typed, in the form that is stored: in lower case, with the digits of
// ASCII, without spaces, dashes and invisible characters.
std::string canonical_code(std::string_view typed);

}  // namespace svc::login
