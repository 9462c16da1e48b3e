// uri: splits and writes URIs, RFC 3986.
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

// Encodes every character except RFC 3986's unreserved ones as %XX (§2.1),
// including spaces.
void append_percent_encoded(std::string& out, std::string_view text);
std::string percent_encode(std::string_view text);

// A URI with an authority, split at its delimiters (RFC 3986 §3). Neither
// decoded nor checked. The parts are views of the original text. User info is
// not split off: its colon counts as that of the port.
struct UriParts {
  std::string_view scheme;                // without ://
  std::string_view authority;             // user info, host and port
  std::string_view host;                  // with the brackets of IPv6, and with user info
  std::string_view port;                  // with its colon; empty: none
  std::string_view path;                  // begins with / or is empty
  std::optional<std::string_view> query;  // without the question mark
};

// Returns nullopt if the text contains no ://. Drops the fragment.
std::optional<UriParts> split_uri(std::string_view text);

// Parses a colon and a number from 1 to 65535. Returns nullopt for anything
// else, including an empty text.
std::optional<std::uint16_t> parse_port(std::string_view port);

// An http or https URI. Its parts are views of the original text, not decoded.
struct HttpUri {
  bool secure = false;
  std::string_view host;   // without brackets for IPv6, case as given
  std::uint16_t port = 0;  // the scheme's default if absent
  std::string_view path;   // begins with / or is empty
  std::string_view query;  // without the question mark
};

// Parses an absolute http(s) URI. Returns nullopt for any other text, and for
// one with a control character, with user info, a space or a backslash before
// its query, with a host of other characters than letters, digits, '-', '_' and
// '.' (or an address in brackets), or with a port that is not from 1 to 65535.
// Drops the fragment.
std::optional<HttpUri> parse_http_uri(std::string_view text);

// Returns the host of an absolute http(s) URI as a request's Host has it (RFC 9110
// §7.2): in lower case, with the brackets of IPv6, without the port. Returns ""
// if it is no such URI.
std::string host_header(std::string_view uri);

// Returns true if the text contains only RFC 3986's characters, with two
// hexadecimal digits after every percent sign (§2.1).
bool has_only_uri_characters(std::string_view text);

// Returns true for an absolute http(s) URI, or a path that begins with exactly
// one slash. It contains only RFC 3986's characters (percent signs are not
// checked), so it needs no escape in a manifest line or a header.
bool is_http_uri_or_path(std::string_view text);

}  // namespace svc::text
