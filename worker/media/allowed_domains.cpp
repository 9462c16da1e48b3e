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
constexpr std::string_view kLoopback = "127.0.0.1";
constexpr std::string_view kAnyPort = "*";
constexpr std::string_view kOfScheme = "://";
constexpr std::size_t kMaxScheme = 30;  // as in nginx/svc-headers-values.conf
constexpr std::string_view kMust =
    "must be a host name such as site.example, *.site.example for all below it, or the origin of "
    "an application such as capacitor://localhost; a port only after localhost, 127.0.0.1 or in "
    "such an origin";
constexpr std::string_view kNoOrigin =
    "; files, data: and sandboxed pages have no origin that could be named: they count as pages "
    "that do not say where they are";
constexpr std::string_view kNoIpv6 =
    "; an IPv6 address cannot be named in a policy: take localhost or 127.0.0.1";

bool is_local(std::string_view host) {
  return host == kLocal || host == kLoopback || host.ends_with("." + std::string(kLocal));
}

bool is_of_web(std::string_view scheme) { return scheme == "http" || scheme == "https"; }

// Whether the scheme is for servers, and not for the pages of an application.
bool is_of_network(std::string_view scheme) {
  return is_of_web(scheme) || scheme == "ws" || scheme == "wss" || scheme == "ftp";
}

// Pages of these schemes have the origin `null`, or none at all.
bool has_no_origin(std::string_view text) {
  const std::string scheme = text::to_lower(text.substr(0, text.find(':')));
  return scheme == "null" || (text.find(':') != std::string_view::npos &&
                              (scheme == "file" || scheme == "data" || scheme == "about" ||
                               scheme == "blob" || scheme == "javascript" || scheme == "content"));
}

// Not `+`, which RFC 3986 §3.1 allows, but the token of a link cannot have (embed/watch_keys.h).
bool is_scheme(std::string_view text) {
  return !text.empty() && text.size() <= kMaxScheme && text::is_alpha(text.front()) &&
         std::ranges::all_of(text,
                             [](char c) { return text::is_alnum(c) || c == '-' || c == '.'; });
}

// Returns the origin of an application's pages as browsers send it; nullopt if it is none.
std::optional<std::string> application_origin(std::string_view text) {
  const std::size_t end = text.find(kOfScheme);
  if (end == std::string_view::npos || has_no_origin(text)) return std::nullopt;
  const std::string scheme = text::to_lower(text.substr(0, end));
  if (!is_scheme(scheme) || is_of_network(scheme)) return std::nullopt;
  // Of the host and the port, what a policy can name.
  const std::string_view place = text.substr(end + kOfScheme.size());
  const std::size_t colon = place.rfind(':');
  const std::string host = text::to_lower(place.substr(0, colon));
  if (text::csp_origin("http://" + host) != "http://" + host) return std::nullopt;
  std::string origin = scheme;
  origin.append(kOfScheme).append(host);
  if (colon == std::string_view::npos) return origin;
  const auto port = text::parse_port(place.substr(colon));
  if (!port) return std::nullopt;
  return origin + ":" + std::to_string(*port);
}

// Returns the text without the scheme of the web that the origin of a local host may have.
std::string_view without_web_scheme(std::string_view text) {
  const std::size_t end = text.find(kOfScheme);
  if (end == std::string_view::npos || !is_of_web(text::to_lower(text.substr(0, end)))) return text;
  const std::string_view rest = text.substr(end + kOfScheme.size());
  const std::string host = text::to_lower(rest.substr(0, rest.find(':')));
  return is_local(host) ? rest : text;
}

std::string source_of(const std::string& domain) {
  return domain.find(kOfScheme) == std::string::npos ? "http://" + domain : domain;
}

// The host and port that a name or an origin has; `port` is "" for those of http and https.
struct Authority {
  std::string_view host;
  std::string_view port;  // without its colon
};
Authority authority_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return {name.substr(0, colon),
          colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1)};
}

bool covers(std::string_view domain, const Authority& page) {
  if (domain.find(kOfScheme) != std::string_view::npos) return false;
  const Authority named = authority_of(domain);
  if (named.port != page.port && named.port != kAnyPort) return false;
  if (!named.host.starts_with(kBelow)) return named.host == page.host;
  const std::string_view end = named.host.substr(1);  // with its dot
  return page.host.size() > end.size() && page.host.ends_with(end);
}

}  // namespace

base::Result<std::string, std::string> canonical_domain(std::string_view text) {
  const auto refused = [](std::string_view why = "") {
    return base::Refusal{std::string(kMust).append(why)};
  };
  std::string_view rest = text::trimmed(text);
  if (has_no_origin(rest)) return refused(kNoOrigin);
  if (auto origin = application_origin(rest)) return *std::move(origin);
  rest = without_web_scheme(rest);
  if (rest.find('[') != std::string_view::npos) return refused(kNoIpv6);
  const bool below = rest.starts_with(kBelow);
  if (below) rest.remove_prefix(kBelow.size());
  const std::size_t colon = rest.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : rest.substr(colon);
  const std::string host = text::to_lower(text::ascii_domain(rest.substr(0, colon)));
  // Browsers, too, must be able to read it.
  const auto origin = text::csp_origin("http://" + host);
  if (!origin || *origin != "http://" + host) return refused();
  if (text::ends_in_number(host) && (host != kLoopback || below)) return refused();
  if (!is_local(host) && (host.find('.') == std::string::npos || !port.empty())) return refused();
  std::string name = below ? std::string(kBelow) : std::string();
  name += host;
  if (port.empty()) return name;
  if (port.substr(1) == kAnyPort) return name.append(port);
  const auto number = text::parse_port(port);
  if (!number) return refused();
  if (*number != 80 && *number != 443) name += ":" + std::to_string(*number);
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
  if (const auto application = application_origin(origin))
    return std::ranges::find(domains, *application) != domains.end();
  const auto canonical = text::csp_origin(origin);
  if (!canonical) return false;
  const Authority page =
      authority_of(std::string_view(*canonical).substr(canonical->find("//") + 2));
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
