#include "media/allowed_domains.h"

#include <algorithm>
#include <optional>

#include "text/ascii.h"
#include "text/csp_source.h"
#include "text/unicode.h"
#include "text/uri.h"

namespace svc::media {
namespace {

constexpr std::string_view kBelow = "*.";
constexpr std::string_view kLocal = "localhost";
constexpr std::string_view kMust =
    "must be a host name such as site.example, or *.site.example for all below it; a port only "
    "after localhost";

bool is_local(std::string_view host) {
  return host == kLocal || host.ends_with("." + std::string(kLocal));
}

std::string source_of(const std::string& domain) { return "http://" + domain; }

// The host and port that a name or an origin has; `port` is "" for those of http and https.
struct Place {
  std::string_view host;
  std::string_view port;  // without its colon
};
Place place_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return {name.substr(0, colon),
          colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1)};
}

bool covers(std::string_view domain, const Place& page) {
  const Place named = place_of(domain);
  if (named.port != page.port) return false;
  if (!named.host.starts_with(kBelow)) return named.host == page.host;
  const std::string_view end = named.host.substr(1);  // with its dot
  return page.host.size() > end.size() && page.host.ends_with(end);
}

}  // namespace

base::Result<std::string, std::string> canonical_domain(std::string_view text) {
  const auto refused = [] { return base::Refusal{std::string(kMust)}; };
  std::string_view rest = text::trimmed(text);
  const bool below = rest.starts_with(kBelow);
  if (below) rest.remove_prefix(kBelow.size());
  const std::size_t colon = rest.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : rest.substr(colon);
  const std::string host = text::to_lower(text::ascii_domain(rest.substr(0, colon)));
  // Browsers, too, must be able to read it.
  const auto origin = text::csp_origin("http://" + host);
  if (!origin || *origin != "http://" + host || text::ends_in_number(host)) return refused();
  if (!is_local(host) && (host.find('.') == std::string::npos || !port.empty())) return refused();
  std::string name = below ? std::string(kBelow) : std::string();
  name += host;
  if (!port.empty()) {
    const auto number = text::parse_port(port);
    if (!number) return refused();
    if (*number != 80 && *number != 443) name += ":" + std::to_string(*number);
  }
  return name;
}

base::Result<AllowedDomains, std::string> canonical_domains(std::span<const std::string> texts) {
  AllowedDomains domains;
  for (const std::string& text : texts) {
    auto name = canonical_domain(text);
    if (!name) {
      const std::string which = text::trimmed(text).empty() ? "an entry without text" : text;
      return base::Refusal{"has " + which + ", which " + name.error()};
    }
    if (std::ranges::find(domains, *name) == domains.end()) domains.push_back(*std::move(name));
  }
  if (domains.size() > kMaxDomains)
    return base::Refusal{"has " + std::to_string(domains.size()) + " names, more than " +
                         std::to_string(kMaxDomains)};
  if (const std::size_t bytes = frame_sources(domains).size(); bytes > kMaxDomainsBytes)
    return base::Refusal{"takes " + std::to_string(bytes) + " bytes in a policy, more than " +
                         std::to_string(kMaxDomainsBytes)};
  return domains;
}

std::vector<std::string> domain_texts(std::string_view text) {
  constexpr std::string_view kBetween = ", \t\r\n";
  std::vector<std::string> texts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    if (end > 0) texts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return texts;
}

bool covers(const AllowedDomains& domains, std::string_view origin) {
  const auto canonical = text::csp_origin(origin);
  if (!canonical) return false;
  const Place page = place_of(std::string_view(*canonical).substr(canonical->find("//") + 2));
  return std::ranges::any_of(domains,
                             [&](const std::string& domain) { return covers(domain, page); });
}

// A source of http matches https too (CSP 3 §6.7.2.8).
std::string frame_sources(const AllowedDomains& domains) {
  std::string sources;
  for (const std::string& domain : domains)
    sources.append(sources.empty() ? "" : " ").append(source_of(domain));
  return sources;
}

}  // namespace svc::media
