// refusal: the responses that the router makes instead of an endpoint: 405 and 503.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request.h"
#include "http/response.h"

namespace svc::http {

// The form of a route's errors. Json: `{"error":WORDS}`. Api: api_error(). Oauth: RFC 6749 §5.2.
// ByFormat: XML with format=xml, else JSON. Page: for users of our pages. PublicPage: for visitors.
// Frame: in place of a player.
enum class ErrorForm : std::uint8_t { Json, Api, Oauth, Xml, ByFormat, Page, PublicPage, Frame };

inline constexpr int kNotFound = 404;
inline constexpr int kMethodNotAllowed = 405;
inline constexpr int kUnavailable = 503;

constexpr bool is_page(ErrorForm form) { return form >= ErrorForm::Page; }

// Returns the response without headers. `status` is kMethodNotAllowed, with
// `allowed` as in Allow, kUnavailable, or of Oauth also kNotFound. A form
// that is a page is JSON here: the router knows who writes pages.
Response refusal(ErrorForm form, const Request& request, int status, std::string_view allowed);

// Returns a response with the body `<error>WORDS</error>`.
Response xml_error(int status, std::string_view message);

}  // namespace svc::http
