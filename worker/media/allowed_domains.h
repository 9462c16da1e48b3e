// allowed_domains: the sites whose pages may show a film (oembed-W1), as names of hosts.
//
// As in CSP 3 §2.3.1: `name.example` is that host, `*.name.example` each below it, by http or https
// at their own ports; `localhost`, `*.localhost` and `127.0.0.1` may have another, or `*` for each.
// `capacitor://localhost` is the origin of an application whose pages have a scheme of their own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::media {

inline constexpr std::size_t kMaxDomains = 50;
// Of frame_sources(): a policy has to fit into a buffer of nginx (nginx/svc-fastcgi-embed.conf).
inline constexpr std::size_t kMaxDomainsBytes = 4000;
inline constexpr std::string_view kAllowedDomainsField =
    "allowed_domains";  // in records and bodies

// Canonical names. Empty: every site.
using AllowedDomains = std::vector<std::string>;

// Returns the name as it is stored: in lower case, in the characters of DNS. The refusal says what
// it must be.
base::Result<std::string, std::string> canonical_domain(std::string_view text);

// Returns the names as they are stored, each once. The refusal names the first that is wrong: it
// stands after the key of a record or the name of a field.
base::Result<AllowedDomains, std::string> canonical_domains(std::span<const std::string> texts);

// Returns what commas, blanks or line ends separate.
std::vector<std::string> domain_texts(std::string_view text);

// Whether one of the names covers the origin of a page, such as https://site.example:8443. Not a
// text of another form, such as `null`.
bool covers(const AllowedDomains& domains, std::string_view origin);

// The sources of `frame-ancestors`, separated by spaces.
std::string frame_sources(const AllowedDomains& domains);

}  // namespace svc::media
