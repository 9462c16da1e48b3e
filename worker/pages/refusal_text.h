// refusal_text: what people read when their password was not accepted.
#pragma once

#include <string>
#include <string_view>

#include "login/password_login.h"

namespace svc::pages {

// `wrong` is the sentence for LoginRefusal::Why::Wrong.
std::string refusal_text(const login::LoginRefusal& refusal, std::string_view wrong);

// The same for somebody who is logged in and has to give the password again.
inline constexpr std::string_view kWrongPassword = "The password is incorrect.";

}  // namespace svc::pages
