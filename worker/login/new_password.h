// new_password: what may become a password, wherever one is set: in the settings and by svcctl.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::login {

inline constexpr std::size_t kMinPassword = 12;         // characters
inline constexpr std::size_t kMaxPasswordBytes = 1024;  // as much as is looked at at a login

// Empty when it may. Else what is wrong with it, as it stands behind its name: "must not be empty".
// `email` is the contact's own.
std::string why_not_password(std::string_view password, std::string_view email);

}  // namespace svc::login
