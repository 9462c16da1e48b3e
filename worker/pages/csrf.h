// csrf: detects forms that were not sent from a page of this service in the
// same browser (cross-site request forgery).
#pragma once

#include <string_view>

#include "base/key_ring.h"
#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "login/session.h"
#include "pages/languages.h"
#include "text/form.h"

namespace svc::pages {

// The purpose of the form token of POST /logout.
inline constexpr std::string_view kLogoutPurpose = "logout";

// Returns false if the Origin header names another origin than that of
// `app_url`, where the pages are. Returns true for an empty origin and for
// `null`, which browsers send because our pages send no referrer.
bool is_allowed_origin(std::string_view origin, std::string_view app_url);

// Returns true if the request's origin is not allowed, or if the form's token (field `csrf`) is not
// the one of that purpose for that visitor.
bool is_forged(const http::Request& request, const text::Form& form, const login::Visitor& visitor,
               std::string_view purpose, const embed::Site& site, const base::KeyRing& keys);

// The same for a token that is not a field of the form, but in its address.
bool is_forged(const http::Request& request, std::string_view token, const login::Visitor& visitor,
               std::string_view purpose, const embed::Site& site, const base::KeyRing& keys);

// 403, for a forged form, or a form from an outdated page. `again` is a path of
// ours, where the page can be opened again.
http::Response forged_form_page(const http::Request& request, const login::Visitor& visitor,
                                const embed::Site& site, std::string_view again,
                                const Language& language = english());

}  // namespace svc::pages
