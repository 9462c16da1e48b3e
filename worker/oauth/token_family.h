// token_family: the tokens that follow from one exchange by a public application. oauth-P5
//
// A family has a secret, the first half of its refresh tokens' secrets. The second half is a MAC of
// it and of the position, so each refresh token proves itself, and the successors of a token follow
// from it and the server's key. The store needs only the position that was presented last:
//
//   exchange → refresh 1 → refresh 2 → refresh 3 …
//            ↘ access 1  ↘ access 2  ↘ access 3
#pragma once

#include <optional>
#include <string>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "oauth/grant.h"
#include "oauth/token.h"

namespace svc::oauth {

struct FamilyTokens {
  Token access;
  Token refresh;
};

// Begins a family with the first key.
FamilyTokens begin_family(const GrantId& grant, const Holder& holder, const base::KeyRing& keys,
                          base::Entropy& entropy);

// Returns nullopt if the refresh token was not made by a key of the ring.
std::optional<TokenFamily> family_of(const Token& refresh, const base::KeyRing& keys);

// Returns the tokens that follow when `refresh`, a token of that family, is presented.
FamilyTokens successors_of(const Token& refresh, const TokenFamily& family,
                           const base::KeyRing& keys);

}  // namespace svc::oauth
