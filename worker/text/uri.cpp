#include "text/uri.h"

#include <array>
#include <charconv>

#include "text/ascii.h"

namespace svc::text {
namespace {

bool take_prefix_ignoring_case(std::string_view& text, std::string_view prefix) {
  if (!equal_ignoring_case(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

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

std::optional<HttpUri> parse_http_uri(std::string_view text) {
  HttpUri uri;
  for (const char c : text) {
    if (is_control(c)) return std::nullopt;
  }
  if (take_prefix_ignoring_case(text, "https://")) {
    uri.secure = true;
  } else if (!take_prefix_ignoring_case(text, "http://")) {
    return std::nullopt;
  }
  text = text.substr(0, text.find('#'));
  if (const std::size_t question = text.find('?'); question != std::string_view::npos) {
    uri.query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  // Browsers read a backslash as a slash, others as a part of the host: nobody sends it honestly.
  if (text.find_first_of("\\ @") != std::string_view::npos) {
    // An @ in the path is harmless, one in the authority is userinfo.
    if (text.find_first_of("\\ ") != std::string_view::npos) return std::nullopt;
    if (text.find('@') < text.find('/')) return std::nullopt;
  }
  const std::size_t slash = text.find('/');
  std::string_view authority = text.substr(0, slash);
  if (slash != std::string_view::npos) uri.path = text.substr(slash);

  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    uri.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (!is_address_in_brackets(uri.host)) return std::nullopt;
  } else {
    const std::size_t colon = authority.find(':');
    uri.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
    if (!is_plain_host(uri.host)) return std::nullopt;
  }
  uri.port = uri.secure ? 443 : 80;
  if (!port.empty()) {
    if (port.front() != ':') return std::nullopt;
    port.remove_prefix(1);
    // RFC 3986 §3.2.3: an empty port is the default one.
    if (!port.empty()) {
      unsigned number = 0;
      const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
      if (error != std::errc{} || end != port.data() + port.size()) return std::nullopt;
      if (number < 1 || number > 65535) return std::nullopt;
      uri.port = static_cast<std::uint16_t>(number);
    }
  }
  return uri;
}

}  // namespace svc::text
