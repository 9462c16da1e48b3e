// public_problem: the problem page for visitors who are not logged in, and its equivalent in a
// frame.
#pragma once

#include <string_view>

#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "pages/languages.h"

namespace svc::pages {

// A frame in a page of another site is dark, as the player, and omits links: our pages refuse to be
// framed, and the frame may not open windows.
enum class Place { Page, Frame };

// The page shows `request_id`, unless it is empty, so that visitors can quote
// it.
// The texts are in `language`.
http::Response public_problem(Place place, const embed::Site& site, int status,
                              std::string_view title, std::string_view text,
                              const Language& language, std::string_view request_id = {});

// As refusal_page(), for visitors.
http::Response public_refusal(Place place, const embed::Site& site, const http::Request& request,
                              int status, const Languages& languages);

// The language of a visitor: that of the player's option `lang`, else as Languages::choose().
const Language& language_of_viewer(const Languages& languages, const http::Request& request);

}  // namespace svc::pages
