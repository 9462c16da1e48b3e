#include "text/uri.h"

#include <array>

#include "base/number.h"
#include "text/ascii.h"

namespace svc::text {
namespace {

bool is_plain_host(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  for (const char c : host) {
    if (!is_alnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

bool is_address_in_brackets(std::string_view host) {
  if (host.size() < 2 || host.size() > 45) return false;
  for (const char c : host) {
    if (!is_hex_digit(c) && c != ':' && c != '.') return false;
  }
  return true;
}

// RFC 3986 §2.2, §2.3, and the percent sign.
constexpr std::array<bool, 256> kUriCharacters = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 128; ++c)
    table[static_cast<std::size_t>(c)] = is_unreserved(static_cast<char>(c));
  for (const char c : std::string_view(":/?#[]@!$&'()*+,;=%"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

}  // namespace

void append_percent_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
}

std::string percent_encode(std::string_view text) {
  std::string out;
  append_percent_encoded(out, text);
  return out;
}

bool has_only_uri_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!kUriCharacters[static_cast<unsigned char>(text[i])]) return false;
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2]))
      return false;
  }
  return true;
}

bool is_http_uri_or_path(std::string_view text) {
  for (const char c : text) {
    if (!kUriCharacters[static_cast<unsigned char>(c)]) return false;
  }
  if (text.starts_with('/')) return !text.starts_with("//");
  return parse_http_uri(text).has_value();
}

std::optional<UriParts> split_uri(std::string_view text) {
  UriParts parts;
  const std::size_t slashes = text.find("://");
  if (slashes == std::string_view::npos) return std::nullopt;
  parts.scheme = text.substr(0, slashes);
  text.remove_prefix(slashes + 3);
  text = text.substr(0, text.find('#'));
  if (const std::size_t question = text.find('?'); question != std::string_view::npos) {
    parts.query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  const std::size_t slash = text.find('/');
  parts.authority = text.substr(0, slash);
  if (slash != std::string_view::npos) parts.path = text.substr(slash);
  const std::size_t bracket = parts.authority.starts_with('[') ? parts.authority.find(']') : 0;
  const std::size_t colon = parts.authority.find(':', bracket);
  parts.host = parts.authority.substr(0, colon);
  if (colon != std::string_view::npos) parts.port = parts.authority.substr(colon);
  return parts;
}

std::optional<std::uint16_t> parse_port(std::string_view port) {
  if (!port.starts_with(':')) return std::nullopt;
  return base::parse_number<std::uint16_t>(port.substr(1), 1);
}

std::optional<HttpUri> parse_http_uri(std::string_view text) {
  for (const char c : text) {
    if (is_control(c)) return std::nullopt;
  }
  const auto parts = split_uri(text);
  if (!parts) return std::nullopt;
  HttpUri uri;
  uri.secure = equal_ignoring_case(parts->scheme, "https");
  if (!uri.secure && !equal_ignoring_case(parts->scheme, "http")) return std::nullopt;
  // Browsers read a backslash as a slash, other programs as part of the host,
  // so only an attacker would send it. An @ in the path is harmless; in the
  // authority it marks user info.
  if (parts->authority.find_first_of("\\ @") != std::string_view::npos ||
      parts->path.find_first_of("\\ ") != std::string_view::npos)
    return std::nullopt;
  uri.host = parts->host;
  uri.path = parts->path;
  uri.query = parts->query.value_or(std::string_view());
  if (uri.host.starts_with('[')) {
    if (!uri.host.ends_with(']')) return std::nullopt;
    uri.host = uri.host.substr(1, uri.host.size() - 2);
    if (!is_address_in_brackets(uri.host)) return std::nullopt;
  } else if (!is_plain_host(uri.host)) {
    return std::nullopt;
  }
  uri.port = uri.secure ? 443 : 80;
  // RFC 3986 §3.2.3: an empty port means the default.
  if (parts->port.size() <= 1) return uri;
  const auto port = parse_port(parts->port);
  if (!port) return std::nullopt;
  uri.port = *port;
  return uri;
}

std::string host_header(std::string_view uri) {
  return parse_http_uri(uri) ? to_lower(split_uri(uri)->host) : std::string();
}

}  // namespace svc::text
