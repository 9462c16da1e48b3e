#include "oauth/pkce.h"

#include <algorithm>

#include "base/base64.h"
#include "base/digest.h"
#include "text/uri.h"

namespace svc::oauth::pkce {

bool is_well_formed(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && std::ranges::all_of(text, text::is_unreserved);
}

bool proves(std::string_view verifier, std::string_view challenge) {
  if (challenge.empty() || verifier.empty()) return challenge.empty() && verifier.empty();
  return is_well_formed(verifier) &&
         base::equal_in_constant_time(base::base64url_encode(base::sha256(verifier)), challenge);
}

}  // namespace svc::oauth::pkce
