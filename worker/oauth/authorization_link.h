// authorization_link: the ready-made link that a developer offers to users, who connect the
// application with it.
#pragma once

#include <string>
#include <string_view>

#include "oauth/client.h"

namespace svc::oauth {

// Returns {app_url}/oauth/authorize with the client's id, redirect URI and all
// its scopes. RFC 6749 §4.1.1. A public application has none: each request needs a challenge of its
// own.
std::string authorization_link(std::string_view app_url, const Client& client);

}  // namespace svc::oauth
