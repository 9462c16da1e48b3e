// Redirect URIs. Two lines: the registered URI, the requested one.
#include <algorithm>
#include <string>

#include "fuzz/target.h"
#include "oauth/redirect_uri.h"
#include "text/ascii.h"
#include "text/uri.h"

namespace svc::fuzz {
namespace {

using oauth::ExtraParameters;

// Returns the URI without its port, if it is one of loopback (RFC 8252 §7.3).
std::string without_free_port(std::string_view uri) {
  for (const std::string_view start :
       {"http://127.0.0.1", "http://[::1]", "https://127.0.0.1", "https://[::1]"}) {
    if (!uri.starts_with(start)) continue;
    std::string_view rest = uri.substr(start.size());
    if (!rest.starts_with(':')) break;
    rest.remove_prefix(1);
    while (!rest.empty() && text::is_digit(rest.front())) rest.remove_prefix(1);
    return std::string(start) + std::string(rest);
  }
  return std::string(uri);
}

void run(std::string_view input) {
  const std::string_view known = take_line(input);
  const std::string_view requested = input;
  if (!oauth::why_not_registered(known))
    require(!oauth::why_not_redirect_uri(known), "registration has all rules of redirect URIs");
  if (!oauth::why_not_redirect_uri(known, oauth::ClientType::Public)) {
    require(text::has_only_uri_characters(known) && known.find('#') == std::string_view::npos,
            "a redirect URI of a public application has only characters of URIs, and no fragment");
    require(!oauth::mismatch_of(known, known, ExtraParameters::Refused), "it matches itself");
    require(oauth::redirect_target(known) != oauth::RedirectTarget::PrivateScheme ||
                known == requested ||
                oauth::mismatch_of(known, requested, ExtraParameters::Allowed).has_value(),
            "a private-use scheme matches as a whole");
  }
  if (oauth::why_not_redirect_uri(known)) return;

  require(known.size() <= oauth::kMaxRedirectUri, "a redirect URI has a limit");
  const auto uri = text::parse_http_uri(known);
  require(uri && (uri->secure || uri->host == "127.0.0.1" || uri->host == "::1"),
          "a redirect URI is https, or on loopback");
  require(text::has_only_uri_characters(known) && known.find('#') == std::string_view::npos,
          "a redirect URI has only characters of URIs, and no fragment");
  require(oauth::redirect_origin(known) ==
              std::string(uri->secure ? "https://" : "http://") + oauth::redirect_host(known),
          "an origin is scheme and host");
  require(!oauth::mismatch_of(known, known, ExtraParameters::Refused),
          "a redirect URI matches itself");

  if (oauth::mismatch_of(known, requested, ExtraParameters::Allowed)) {
    require(oauth::mismatch_of(known, requested, ExtraParameters::Refused).has_value(),
            "without extra parameters no more URIs match");
    return;
  }
  // Independent of the code under test: the registered text, and then nothing
  // or parameters.
  const std::string start = without_free_port(known);
  const std::string whole = without_free_port(requested);
  require(whole.starts_with(start), "a matching URI begins with the registered one");
  const std::string extra = whole.substr(start.size());
  require(extra.empty() || extra.front() == (uri->query.empty() ? '?' : '&'),
          "only parameters may follow");
  require(extra.find_first_of("#\r\n \\") == std::string::npos, "what follows is only a query");
  for (const std::string_view own : {"code=", "state=", "error=", "iss="}) {
    require(extra.find("&" + std::string(own)) == std::string::npos &&
                !extra.starts_with("?" + std::string(own)),
            "a parameter of the response is not there before");
  }
  if (extra.empty())
    require(!oauth::mismatch_of(known, requested, ExtraParameters::Refused),
            "without extra parameters the setting makes no difference");
}

const Registered registered("redirect_uri", run);

}  // namespace
}  // namespace svc::fuzz
