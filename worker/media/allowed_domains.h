// allowed_domains: the sites whose pages may show a film (watch-W1), as names of hosts.
//
// As in a Content-Security-Policy (CSP 3 §2.3.1): `name.example` is that host alone,
// `*.name.example` each host below it and not itself, by http and https at their own ports. Only
// `localhost` and
// `*.localhost` may have another port.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::media {

inline constexpr std::size_t kMaxDomains = 50;

// Canonical names. Empty: every site.
using AllowedDomains = std::vector<std::string>;

// Returns the name as it is stored: in lower case, in the characters of DNS. The refusal says what
// it must be.
base::Result<std::string, std::string> canonical_domain(std::string_view text);

// Whether one of the names covers the origin of a page, such as https://site.example:8443. Not a
// text of another form, such as `null`.
bool covers(const AllowedDomains& domains, std::string_view origin);

// The sources of `frame-ancestors`, separated by spaces.
std::string frame_sources(const AllowedDomains& domains);

}  // namespace svc::media
