// oauth_examples: values that several tests of OAuth use.
#pragma once

#include <initializer_list>
#include <string_view>

#include "oauth/scope_set.h"

namespace svc::fakes {

// RFC 7636 Appendix B.
inline constexpr std::string_view kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
inline constexpr std::string_view kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

inline oauth::ScopeSet scopes(std::initializer_list<std::string_view> names) {
  oauth::ScopeSet set;
  for (const std::string_view name : names) set.add(name);
  return set;
}

}  // namespace svc::fakes
