// new_password: the rules for new passwords, in the settings and in svcctl.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::login {

inline constexpr std::size_t kMinPassword = 12;         // characters
inline constexpr std::size_t kMaxPasswordBytes = 1024;  // as many as a login accepts

// Returns an empty text if the password is allowed. Otherwise returns the
// reason, to be printed after the field's name: "must not be empty". `email` is
// the contact's own.
std::string why_not_password(std::string_view password, std::string_view email);

// Returns true if the field of a login form can hold the password: UTF-8
// without control characters. Older passwords may be others.
bool can_be_sent(std::string_view password);

// Returns the form of a password that is hashed: NFC (RFC 8265 §4.2.2). Some
// keyboards compose é as e and an accent. Hashes of earlier versions are of the
// password as it was typed.
std::string canonical_password(std::string_view password);

}  // namespace svc::login
