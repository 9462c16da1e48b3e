// refusal_text: messages for users whose password was not accepted.
#pragma once

#include <string>
#include <string_view>

#include "login/password_login.h"

namespace svc::pages {

// Returns the message. `wrong` is the sentence for LoginRefusal::Why::Wrong.
std::string refusal_text(const login::LoginRefusal& refusal, std::string_view wrong);

// The sentence for a logged-in user who must enter the password again.
inline constexpr std::string_view kWrongPassword = "The password is incorrect.";

}  // namespace svc::pages
