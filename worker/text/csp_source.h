// csp_source: the sources of a Content-Security-Policy, CSP 3 §2.3.1. Every
// policy that names an origin gets it here.
//
// The grammar has hosts of letters, digits, hyphens and dots only. Browsers
// ignore any other source, and then block the origin that it should allow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

// URL standard: returns true if browsers read the host as an IPv4 address, whether it is one or
// not.
bool ends_in_number(std::string_view host);

// Returns the source that matches exactly the origin of the absolute http(s)
// URI. Returns nullopt if the grammar cannot express its host (an IPv6 address,
// an underscore, a dot at the end), if browsers change it before they compare
// (http://127.1), or if it is no such URI.
std::optional<std::string> csp_origin(std::string_view uri);

// Returns that source or, if it cannot be expressed, the scheme of the URI with its
// colon, which matches every origin of that scheme: com.example.app:/callback is
// com.example.app:. Returns "" if it is neither an http(s) URI as
// parse_http_uri() takes it nor a URI of another scheme.
std::string csp_source(std::string_view uri);

}  // namespace svc::text
