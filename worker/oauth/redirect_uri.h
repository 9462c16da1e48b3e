// redirect_uri: where an application has its answers sent. RFC 6749 §3.1.2, RFC 9700 §2.1.
//
// What is asked for is compared byte by byte with what is registered, and nothing is normalised:
// every rule by which two different texts are the same URI has been a hole somewhere. Only query
// parameters may come behind the registered URI, and on loopback the port may be another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::oauth {

inline constexpr std::size_t kMaxRedirectUri = 2048;  // bytes

// Nothing when this may be registered. Else what is wrong with it and why, as it stands behind the
// name of the field: "must not have a fragment, the part from # on: …". Has parts of `uri` only
// where that is of the characters of a URI.
std::optional<std::string> why_not_registered(std::string_view uri);

// The same without the rule on parameter names (U2), which a later release may tighten: the rules
// for the URI of a stored record.
std::optional<std::string> why_not_redirect_uri(std::string_view uri);

// The part of a redirect URI that differs from the registered one, or may not be there at all.
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
  std::string text;  // says it to a developer; nothing of it comes from the request
};

enum class ExtraParameters { Allowed, Refused };

// Nothing when answers may be sent to `requested`. `registered` is one that may be registered.
std::optional<RedirectMismatch> mismatch_of(std::string_view registered, std::string_view requested,
                                            ExtraParameters extra);

// Both of a URI that matches: the host as people read it, with its port, and the origin.
std::string redirect_host(std::string_view uri);
std::string redirect_origin(std::string_view uri);

}  // namespace svc::oauth
