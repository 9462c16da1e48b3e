// uri: RFC 3986, as far as we take URIs apart and write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

constexpr bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Everything outside of RFC 3986's unreserved characters becomes %XX (§2.1), also spaces.
void append_percent_encoded(std::string& out, std::string_view text);
std::string percent_encode(std::string_view text);

// A URI with an authority, split at its delimiters (RFC 3986 §3), nothing decoded and nothing
// checked: views into the text it was split from.
struct UriParts {
  std::string_view scheme;                // without ://
  std::string_view authority;             // user info, host and port
  std::string_view host;                  // with the brackets of IPv6, and with user info
  std::string_view port;                  // with its colon; empty: none
  std::string_view path;                  // begins with / or is empty
  std::optional<std::string_view> query;  // without the question mark
};

// Nothing for a text without ://. A fragment is cut off.
std::optional<UriParts> split_uri(std::string_view text);

// A port that is given: a colon and 1 to 65535.
std::optional<std::uint16_t> parse_port(std::string_view port);

// An http or https URI, its parts as views into the text it was parsed from, nothing decoded.
struct HttpUri {
  bool secure = false;
  std::string_view host;   // without brackets for IPv6, case as given
  std::uint16_t port = 0;  // the scheme's default when none is given
  std::string_view path;   // begins with / or is empty
  std::string_view query;  // without the question mark
};

// Nothing unless it is an absolute http(s) URI without userinfo, backslash, space or control bytes
// before its query, with a plain host (letters, digits, '-', '_', '.', or an address in brackets)
// and a port of 1 to 65535. A fragment is cut off.
std::optional<HttpUri> parse_http_uri(std::string_view text);

// Whether there are only RFC 3986's characters in it, and every percent sign stands before two
// hexadecimal digits (§2.1).
bool has_only_uri_characters(std::string_view text);

// An absolute http(s) URI, or a path that begins with one slash; of RFC 3986's characters only, so
// it can stand in a manifest line, an attribute or a header as it is.
bool is_http_uri_or_path(std::string_view text);

}  // namespace svc::text
