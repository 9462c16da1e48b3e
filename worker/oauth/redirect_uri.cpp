#include "oauth/redirect_uri.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/unicode.h"
#include "text/uri.h"

namespace svc::oauth {
namespace {

// Parameters of the response: RFC 6749 §4.1.2, RFC 9207 and our own. A redirect
// URI must not already contain one of them.
constexpr std::array<std::string_view, 9> kAnswerNames{
    "code",      "state", "iss",        "error",       "error_description",
    "error_uri", "scope", "token_type", "access_token"};
constexpr std::array<std::string_view, 2> kAnswerPrefixes{"account_", "contact_"};

constexpr std::size_t kMaxShownScheme = 40;
constexpr std::size_t kMostStoredInFull = 256;  // bytes; nearly every URI is shorter

// Not localhost: it is a name, and an attacker who controls name resolution
// could redirect responses.
bool is_loopback(std::string_view host) { return host == "127.0.0.1" || host == "[::1]"; }

// Public applications may have it, because their libraries use it. A confidential one with it
// could not be registered.
bool is_loopback(const text::UriParts& parts) {
  return is_loopback(parts.host) || (parts.scheme == "http" && parts.host == "localhost");
}

// RFC 8252 §7.1: the scheme is a domain name of the developer in reverse order, so it has a dot.
bool is_private_use_scheme(std::string_view scheme) {
  if (scheme.find('.') == std::string_view::npos || scheme.empty()) return false;
  if (scheme.front() < 'a' || scheme.front() > 'z') return false;
  char before = '.';
  for (const char c : scheme) {
    const bool is_part = (c >= 'a' && c <= 'z') || text::is_digit(c) || c == '-';
    if (!is_part && (c != '.' || before == '.')) return false;
    before = c;
  }
  return before != '.';
}

// Returns the scheme of `com.example.app:/path` and `com.example.app://path`, "" for other texts.
std::string_view private_use_scheme(std::string_view uri) {
  const std::string_view scheme = uri.substr(0, uri.find(':'));
  if (scheme.size() == uri.size() || !is_private_use_scheme(scheme)) return {};
  return scheme;
}

// Returns the scheme, in lower case, if it does not lead to a server; otherwise
// an empty view.
std::string_view own_scheme(std::string_view uri) {
  for (const std::string_view scheme :
       {"javascript", "data", "vbscript", "blob", "file", "about"}) {
    if (uri.size() > scheme.size() && uri[scheme.size()] == ':' &&
        text::equal_ignoring_case(uri.substr(0, scheme.size()), scheme)) {
      return scheme;
    }
  }
  return {};
}

bool is_port(std::string_view port) {
  return !port.starts_with(":0") && text::parse_port(port).has_value();
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

bool has_empty_piece(std::string_view query) {
  const auto pieces = split(query, '&');
  return std::any_of(pieces.begin(), pieces.end(), [](auto piece) { return piece.empty(); });
}

// Returns a decoded parameter name as frameworks read it. ASP.NET ignores case.
// PHP (php_register_variable_ex) ends the name at a NUL, drops leading spaces,
// and reads `name[key]` as an element of `name`. In other names it turns dots,
// spaces and a [ without a ] after it into underscores. Rack and Express (qs)
// read `[name]` as `name`. Rack drops all leading brackets and ends the name at
// a ].
std::string name_to_frameworks(std::string name) {
  name.erase(std::min(name.find('\0'), name.size()));
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  name.erase(0, std::min(name.find_first_not_of("[]"), name.size()));
  const std::size_t bracket = std::min(name.find('['), name.size());
  if (name.find(']', bracket) != std::string::npos) name.erase(bracket);
  name.erase(std::min(name.find(']'), name.size()));
  for (char& c : name) c = c == '.' || c == ' ' || c == '[' ? '_' : text::to_lower(c);
  return name;
}

// Returns the parameter names as frameworks read them: some also split at `;`.
std::vector<std::string> names_of(std::string_view query) {
  std::vector<std::string> names;
  for (const std::string_view part : split(query, '&')) {
    for (const std::string_view piece : split(part, ';')) {
      names.push_back(name_to_frameworks(text::form_decode(piece.substr(0, piece.find('=')))));
    }
  }
  return names;
}

// Returns the name of the response parameter, or nullopt if the name is not
// reserved.
std::optional<std::string> answer_name(std::string_view name) {
  for (const std::string_view own : kAnswerNames) {
    if (name == own) return std::string(own);
  }
  for (const std::string_view prefix : kAnswerPrefixes) {
    if (name.starts_with(prefix)) return std::string(prefix) + "…";
  }
  return std::nullopt;
}

bool has_empty_label(std::string_view host) {
  const auto labels = split(host, '.');
  return std::any_of(labels.begin(), labels.end(), [](auto label) { return label.empty(); });
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns the URI as a browser sends it: https://bücher.example/é is
// https://xn--bcher-kva.example/%C3%A9. Returns nullopt if the text is not an http(s) URI.
std::optional<std::string> in_ascii(std::string_view uri) {
  const auto parts = text::split_uri(uri);
  if (!parts) return std::nullopt;
  std::string host(parts->host);
  if (const std::string decoded = text::form_decode(host); !is_ascii(decoded))
    host = text::ascii_domain(decoded);
  std::string ascii = std::string(parts->scheme) + "://" + host;
  for (const char c : uri.substr(ascii.size() - host.size() + parts->host.size())) {
    if (is_ascii({&c, 1})) {
      ascii += c;
    } else {
      text::append_percent_encoded(ascii, {&c, 1});
    }
  }
  // A decoded host with a delimiter would be another host.
  const auto found = text::split_uri(ascii);
  if (!found || found->host != host || !text::has_only_uri_characters(ascii) ||
      !text::parse_http_uri(ascii))
    return std::nullopt;
  return ascii;
}

using text::UriParts;
using Mismatch = std::optional<RedirectMismatch>;

Mismatch differs(RedirectPart part, std::string_view what) {
  return RedirectMismatch{part, std::string(what) + " differs from the registered one"};
}

// Extra parameters follow the registered query, if any.
Mismatch query_mismatch(const UriParts& registered, const UriParts& requested,
                        ExtraParameters allowed) {
  if (requested.query == registered.query) return std::nullopt;
  std::string_view extra = requested.query.value_or("");
  if (registered.query) {
    if (!extra.starts_with(*registered.query)) return differs(RedirectPart::Query, "the query");
    extra.remove_prefix(registered.query->size());
    if (!extra.starts_with('&')) return differs(RedirectPart::Query, "the query");
    extra.remove_prefix(1);
  }
  if (allowed == ExtraParameters::Refused) {
    return RedirectMismatch{RedirectPart::Query,
                            "the query differs from the registered one, and this application is "
                            "set to allow no extra parameters"};
  }
  if (has_empty_piece(extra)) {
    return RedirectMismatch{RedirectPart::Query,
                            "the query has a ? or & without a parameter after it"};
  }
  const auto registered_names =
      registered.query ? names_of(*registered.query) : std::vector<std::string>();
  for (const std::string& name : names_of(extra)) {
    if (const auto own = answer_name(name)) {
      return RedirectMismatch{
          RedirectPart::ExtraParameter,
          "an extra parameter is called " + *own + ", which is a parameter of the answer"};
    }
    if (std::find(registered_names.begin(), registered_names.end(), name) !=
        registered_names.end()) {
      return RedirectMismatch{RedirectPart::ExtraParameter,
                              "an extra parameter is called like one of the registered query"};
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

// `uri` has a private-use scheme.
std::optional<std::string> why_not_private_use(std::string_view uri, std::string_view scheme) {
  std::string_view rest = uri.substr(scheme.size() + 1);
  if (!text::has_only_uri_characters(uri))
    return "must contain only characters of a URI, and %XX for every other byte";
  const std::size_t slashes = rest.starts_with("//") ? 2 : rest.starts_with('/') ? 1 : 0;
  rest.remove_prefix(slashes);
  if (slashes == 0 || rest.empty() || rest.front() == '/' || rest.front() == '?') {
    return "must have a path after its scheme, such as " +
           std::string(scheme.substr(0, kMaxShownScheme)) + ":/callback";
  }
  if (slashes == 2 && rest.substr(0, rest.find_first_of("/?")).find('@') != std::string_view::npos)
    return "must not have a user name or password, the part up to @";
  const std::size_t mark = uri.find('?');
  if (mark != std::string_view::npos && has_empty_piece(uri.substr(mark + 1)))
    return "must not have a ? or & without a parameter after it";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_not_redirect_uri(std::string_view uri, ClientType type) {
  if (uri.size() > kMaxRedirectUri) return "must not be longer than 2048 bytes";
  if (const std::string_view scheme = own_scheme(uri); !scheme.empty()) {
    return "must not begin with " + std::string(scheme) +
           ":, which a browser runs or opens itself instead of sending the response to your "
           "application; it must begin with https://";
  }
  if (uri.find('#') != std::string_view::npos) {
    return "must not have a fragment, the part from # on: the response is appended to the URI, "
           "and after a # it would never reach your application";
  }
  const bool is_public = type == ClientType::Public;
  if (const auto scheme = private_use_scheme(uri); is_public && !scheme.empty())
    return why_not_private_use(uri, scheme);
  const auto parts = text::split_uri(uri);
  if (parts && parts->authority.find('@') == std::string_view::npos &&
      !is_ascii(text::form_decode(parts->host))) {
    std::string problem = "must have its host as DNS has it, in ASCII";
    if (const auto ascii = in_ascii(uri)) {
      problem += ": register " + *ascii + " instead, and let your application use it too";
      if (const auto why = why_not_redirect_uri(*ascii, type)) problem += "; but that " + *why;
    }
    return problem;
  }
  if (!text::has_only_uri_characters(uri)) {
    return "must contain only characters of a URI: no spaces, backslashes, control characters or "
           "letters with accents, and %XX for every other byte";
  }
  if (!parts) {
    return is_public ? "must be an absolute URI, such as https://app.example/callback or, of a "
                       "program on a device, com.example.app:/callback: a domain of yours in "
                       "reverse order, in lower case, and a path"
                     : "must be an absolute URI, such as https://app.example/callback";
  }
  if (parts->scheme != "https" && parts->scheme != "http") {
    return "must begin with https://, in lower case" +
           std::string(is_public ? ", or with a domain of yours in reverse order, such as "
                                   "com.example.app:/"
                                 : "") +
           "; it begins with " + std::string(parts->scheme.substr(0, kMaxShownScheme)) + "://";
  }
  if (parts->authority.find('@') != std::string_view::npos) {
    return "must not have a user name or password, the part up to @ before the host: it makes one "
           "host look like another";
  }
  if (!parts->port.empty() && !is_port(parts->port))
    return "must have a port from 1 to 65535 after the host, or none";
  if (!text::parse_http_uri(uri) || has_empty_label(parts->host))
    return "must have a plain host name or an IP address after " + std::string(parts->scheme) +
           "://";
  const bool is_local_name =
      parts->scheme == "http" && text::equal_ignoring_case(parts->host, "localhost");
  if (is_local_name && !(is_public && is_loopback(*parts))) {
    return "must not be http:// on localhost, a name that may resolve to another machine; register "
           "http://127.0.0.1" +
           std::string(uri.substr(std::string_view("http://localhost").size())) +
           " instead, and let your application use it too";
  }
  if (parts->scheme == "http" && !is_loopback(*parts)) {
    return "must begin with https://, because others on the network could read the response; "
           "http:// is allowed only on "
           "127.0.0.1 and [::1]";
  }
  if (parts->query && has_empty_piece(*parts->query))
    return "must not have a ? or & without a parameter after it";
  return std::nullopt;
}

std::optional<std::string> why_not_registered(std::string_view uri, ClientType type) {
  if (auto why = why_not_redirect_uri(uri, type)) return why;
  const std::size_t mark = std::min(uri.find('?'), uri.size() - 1);
  for (const std::string& name : names_of(uri.substr(mark + 1))) {
    if (const auto own = answer_name(name))
      return "must not have a parameter called " + *own + ", which is one of the answer";
  }
  return std::nullopt;
}

Mismatch mismatch_of(std::string_view registered, std::string_view requested,
                     ExtraParameters extra) {
  if (requested.size() > kMaxRedirectUri)
    return RedirectMismatch{RedirectPart::Form, "it is longer than 2048 bytes"};
  // These two first: with them, the rest of the URI looks like something else.
  if (requested.find('#') != std::string_view::npos)
    return RedirectMismatch{RedirectPart::Fragment, "it has a fragment, the part from # on"};
  // Without an authority, and always exact.
  if (const auto scheme = private_use_scheme(registered); !scheme.empty()) {
    if (requested == registered) return std::nullopt;
    if (requested.substr(0, requested.find(':')) != scheme)
      return differs(RedirectPart::Scheme, "the scheme");
    return differs(RedirectPart::Path, "the text after the scheme");
  }
  const auto theirs = text::split_uri(requested);
  if (!theirs) return RedirectMismatch{RedirectPart::Form, "it is not an absolute URI"};
  if (theirs->authority.find('@') != std::string_view::npos) {
    return RedirectMismatch{RedirectPart::UserInfo,
                            "it has a user name or password before the host"};
  }
  if (!text::has_only_uri_characters(requested)) {
    const auto ascii = in_ascii(requested);
    if (ascii && !mismatch_of(registered, *ascii, extra)) {
      return RedirectMismatch{RedirectPart::Form,
                              "it has characters that no URI has: it must be in ASCII, as the "
                              "registered one"};
    }
    return RedirectMismatch{RedirectPart::Form, "it has characters that no URI has"};
  }
  const auto ours = text::split_uri(registered);
  if (!ours) return RedirectMismatch{RedirectPart::Form, "the registered one is not a URI"};
  if (theirs->scheme != ours->scheme) return differs(RedirectPart::Scheme, "the scheme");
  if (theirs->host != ours->host) return differs(RedirectPart::Host, "the host");
  // RFC 8252 §7.3: an application on a user's computer uses any free port.
  const bool any_port = is_loopback(*ours) && (theirs->port.empty() || is_port(theirs->port));
  if (theirs->port != ours->port && !any_port) return differs(RedirectPart::Port, "the port");
  if (theirs->path != ours->path) return differs(RedirectPart::Path, "the path");
  return query_mismatch(*ours, *theirs, extra);
}

Mismatch mismatch_of(const std::vector<std::string>& registered, std::string_view requested,
                     ExtraParameters extra) {
  Mismatch last;
  for (const std::string& one : registered) {
    Mismatch mismatch = mismatch_of(one, requested, extra);
    if (!mismatch) return std::nullopt;
    if (!last || last->part < mismatch->part) last = std::move(mismatch);
  }
  if (!last) return RedirectMismatch{RedirectPart::Form, "none is registered"};
  if (registered.size() > 1)
    last->text += "; of the " + std::to_string(registered.size()) + " registered ones, the nearest";
  return last;
}

// No URI begins with #.
std::string to_stored_redirect(std::string_view requested) {
  if (requested.size() <= kMostStoredInFull) return std::string(requested);
  return "#" + base::to_hex(base::sha256(requested));
}

bool is_stored_redirect(std::string_view stored, std::string_view requested) {
  return stored == requested || stored == to_stored_redirect(requested);
}

RedirectTarget redirect_target(std::string_view uri) {
  if (!private_use_scheme(uri).empty()) return RedirectTarget::PrivateScheme;
  const auto parts = text::split_uri(uri);
  return parts && parts->scheme == "https" ? RedirectTarget::Server : RedirectTarget::Loopback;
}

std::string web_origin(std::string_view uri) {
  const auto parsed = text::parse_http_uri(uri);
  if (!parsed) return {};
  std::string origin = (parsed->secure ? "https://" : "http://") + text::host_header(uri);
  if (parsed->port != (parsed->secure ? 443 : 80)) origin += ":" + std::to_string(parsed->port);
  return origin;
}

std::vector<std::string> web_origins(const std::vector<std::string>& uris) {
  std::vector<std::string> origins;
  for (const std::string& uri : uris) {
    std::string origin = web_origin(uri);
    if (!origin.empty() && std::ranges::find(origins, origin) == origins.end())
      origins.push_back(std::move(origin));
  }
  return origins;
}

bool is_origin_of(std::string_view redirect_uri, std::string_view origin) {
  const std::string own = web_origin(redirect_uri);
  if (own.empty()) return false;
  if (own == origin) return true;
  const auto loopback = loopback_without_port(origin);
  return loopback && loopback == loopback_without_port(own);
}

std::optional<std::string> loopback_without_port(std::string_view origin) {
  const auto parts = text::split_uri(origin);
  if (!parts || !is_loopback(*parts)) return std::nullopt;
  return std::string(parts->scheme) + "://" + std::string(parts->host);
}

std::string redirect_host(std::string_view uri) {
  if (const auto scheme = private_use_scheme(uri); !scheme.empty())
    return std::string(scheme) + ":";
  const auto parts = text::split_uri(uri);
  return parts ? std::string(parts->authority) : std::string();
}

std::string redirect_origin(std::string_view uri) {
  if (const auto scheme = private_use_scheme(uri); !scheme.empty())
    return std::string(scheme) + ":";
  const auto parts = text::split_uri(uri);
  if (!parts) return {};
  return std::string(parts->scheme) + "://" + std::string(parts->authority);
}

}  // namespace svc::oauth
