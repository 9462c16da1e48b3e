// refusal_text: messages for users whose password was not accepted.
#pragma once

#include <string>
#include <string_view>

#include "login/password_login.h"
#include "pages/languages.h"

namespace svc::pages {

// Returns the message. `wrong` is the sentence for LoginRefusal::Why::Wrong, which it translates.
std::string refusal_text(const login::LoginRefusal& refusal, std::string_view wrong,
                         const Language& language = english());

// The sentence for a logged-in user who must enter the password again, in the settings.
inline constexpr std::string_view kWrongPassword = "The password is incorrect.";

}  // namespace svc::pages
