// redirect_uri: the URI to which an application's responses are sent. RFC 6749
// §3.1.2, RFC 9700 §2.1.
//
// The requested URI is compared byte by byte with the registered one, without
// normalisation: every rule by which two different texts are the same URI has
// been a vulnerability somewhere. There are two exceptions: query parameters
// may follow the registered URI, and on loopback the port may differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oauth/client_type.h"

namespace svc::oauth {

inline constexpr std::size_t kMaxRedirectUri = 2048;  // bytes
inline constexpr std::size_t kMostRedirectUris = 10;  // of an application

// Returns nullopt if the URI may be registered. Otherwise returns the error and
// its reason, to be printed after the field's name: "must not have a fragment,
// the part from # on: …". Quotes parts of `uri` only if they consist of URI
// characters.
std::optional<std::string> why_not_registered(std::string_view uri,
                                              ClientType type = ClientType::Confidential);

// The same without the rule on parameter names (oauth-U2), which a later release may
// make stricter. For the URI of a stored record.
std::optional<std::string> why_not_redirect_uri(std::string_view uri,
                                                ClientType type = ClientType::Confidential);

// The part of a redirect URI that differs from the registered one, or is not
// allowed at all.
enum class RedirectPart {
  Form,
  UserInfo,
  Fragment,
  Scheme,
  Host,
  Port,
  Path,
  Query,
  ExtraParameter
};

struct RedirectMismatch {
  RedirectPart part;
  std::string text;  // for developers; contains no text from the request
};

enum class ExtraParameters { Allowed, Refused };

// Returns nullopt if responses may be sent to `requested`. `registered` has
// passed why_not_redirect_uri().
std::optional<RedirectMismatch> mismatch_of(std::string_view registered, std::string_view requested,
                                            ExtraParameters extra);
// The same for several registered URIs, at least one of which must match. Otherwise returns the
// mismatch of the one that differs last.
std::optional<RedirectMismatch> mismatch_of(const std::vector<std::string>& registered,
                                            std::string_view requested, ExtraParameters extra);

// A requested URI, as the record of a code keeps it: a long one only as a
// digest, because a browser can make many records. Workers of earlier versions
// compare the URI itself, so a short URI is stored in full.
std::string to_stored_redirect(std::string_view requested);
// Returns true if `stored` is that of `requested`, in this form or in full.
bool is_stored_redirect(std::string_view stored, std::string_view requested);

// For a URI that matches: return the host with its port, for display, and the
// origin. Of a private-use scheme, both are the scheme with its colon.
std::string redirect_host(std::string_view uri);
std::string redirect_origin(std::string_view uri);

// Returns the origin of the pages at an absolute http(s) URI, as browsers write it (RFC 6454 §6.1):
// in lower case, without the default port. Returns "" for any other text, such as a URI with a
// private-use scheme.
std::string web_origin(std::string_view uri);
// Returns the different origins of these URIs.
std::vector<std::string> web_origins(const std::vector<std::string>& uris);
// Returns true if a page of this web_origin() may be one of an application with this redirect URI:
// as mismatch_of(), on loopback with any port.
bool is_origin_of(std::string_view redirect_uri, std::string_view origin);
// Returns an origin on loopback without its port: for each port, an application may have pages
// there. Returns nullopt for another origin.
std::optional<std::string> loopback_without_port(std::string_view origin);

// Where the response for a URI that matches goes: over TLS to a server, to whatever listens on a
// port of the user's device, or to whatever opens that scheme there.
enum class RedirectTarget { Server, Loopback, PrivateScheme };
RedirectTarget redirect_target(std::string_view uri);

}  // namespace svc::oauth
