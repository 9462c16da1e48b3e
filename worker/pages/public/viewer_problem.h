// viewer_problem: the problem page for viewers of films, who need no login, its equivalent in a
// frame, and their language.
#pragma once

#include <string_view>

#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "pages/languages.h"

namespace svc::pages {

// A frame in a page of another site is dark, as the player, and omits links: our pages refuse to be
// framed, and the frame may not open windows.
enum class ShownIn { Page, Frame };

// The page shows `request_id`, unless it is empty, so that viewers can quote it. The texts are in
// `language`.
http::Response viewer_problem(ShownIn shown_in, const embed::Site& site, int status,
                              std::string_view title, std::string_view text,
                              const Language& language, std::string_view request_id = {});

// As refusal_page(), for viewers.
http::Response viewer_refusal(ShownIn shown_in, const embed::Site& site,
                              const http::Request& request, int status, const Languages& languages);

// The language of a viewer: that of the player's option `lang`, else as Languages::choose().
const Language& language_of_viewer(const Languages& languages, const http::Request& request);

}  // namespace svc::pages
