#include "text/csp_source.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "text/ascii.h"
#include "text/uri.h"

namespace svc::text {
namespace {

// Returns true for the only form in which browsers leave such an address.
bool is_ipv4(std::string_view host) {
  in_addr address{};
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

bool is_csp_host(std::string_view host) {
  std::string_view rest = host;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    const auto is_host_char = [](char c) { return is_alnum(c) || c == '-'; };
    if (label.empty() || !std::ranges::all_of(label, is_host_char)) return false;
    if (dot == std::string_view::npos) return !ends_in_number(host) || is_ipv4(host);
    rest.remove_prefix(dot + 1);
  }
}

// Returns "" for a text without a scheme, RFC 3986 §3.1.
std::string_view scheme_of(std::string_view uri) {
  const std::string_view scheme = uri.substr(0, uri.find(':'));
  const auto is_scheme_char = [](char c) {
    return is_alnum(c) || c == '+' || c == '-' || c == '.';
  };
  const bool is_scheme = scheme.size() < uri.size() && !scheme.empty() &&
                         is_alpha(scheme.front()) && std::ranges::all_of(scheme, is_scheme_char);
  return is_scheme ? scheme : std::string_view();
}

}  // namespace

bool ends_in_number(std::string_view host) {
  const std::string_view label = host.substr(host.rfind('.') + 1);
  if (std::ranges::all_of(label, is_digit)) return true;
  if (!label.starts_with("0x") && !label.starts_with("0X")) return false;
  return std::ranges::all_of(label.substr(2), is_hex_digit);
}

std::optional<std::string> csp_origin(std::string_view uri) {
  const auto parsed = parse_http_uri(uri);
  if (!parsed || !is_csp_host(parsed->host)) return std::nullopt;
  std::string out = (parsed->secure ? "https://" : "http://") + to_lower(parsed->host);
  if (parsed->port != (parsed->secure ? 443 : 80)) out += ":" + std::to_string(parsed->port);
  return out;
}

std::string csp_source(std::string_view uri) {
  if (auto origin = csp_origin(uri)) return *std::move(origin);
  const std::string scheme = to_lower(scheme_of(uri));
  const bool is_http = scheme == "http" || scheme == "https";
  const bool is_uri = is_http ? parse_http_uri(uri).has_value() : has_only_uri_characters(uri);
  return scheme.empty() || !is_uri ? std::string() : scheme + ":";
}

}  // namespace svc::text
