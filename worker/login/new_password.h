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

}  // namespace svc::login
