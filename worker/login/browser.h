// browser: the browser and the operating system of a User-Agent header, coarsely, so that users
// recognise their sessions.
#pragma once

#include <string>
#include <string_view>

namespace svc::login {

// Returns e.g. "Firefox on Linux". Unknown parts are named as such: "Unknown browser on Linux",
// "Firefox on an unknown system", "Unknown browser" (also for an empty header). The result has
// words of this service only, no versions, and at most 64 bytes for any header. RFC 9110
// §10.1.5.
std::string browser_of(std::string_view user_agent);

}  // namespace svc::login
