// Token: an authorization code, access token or refresh token, as a client holds it.
//
//   svcc_ <grant, 32 hex digits> <secret, 64 hex digits> _<contact> _<account>          code
//   svcr_ the same                                                             refresh token
//   svca_ the same _<place>                                                     access token
//
// It names its grant, so that everything about it lies in one slot of the store, and is found there
// only by the HMAC of its text: a changed grant, kind or holder leads to nothing. Contact and
// account (hex) are there so that the store can be asked for them in the same round trip; the
// decision uses those of the stored record. Tokens from before that end after the secret, and an
// access token's place follows it without the "_". The place is where an access token stands among
// those of its grant: a hint, which is not authenticated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "media/id.h"
#include "oauth/grant.h"

namespace svc::oauth {

enum class TokenKind { Code, Access, Refresh };

// Whose a token is, and for which account.
struct Holder {
  media::ContactId contact;
  media::AccountId account;
  bool operator==(const Holder&) const = default;
};

struct Token {
  TokenKind kind;
  GrantId grant;
  std::string text;                // without the place
  std::uint64_t place = 0;         // of an access token that is kept; 0: nowhere
  std::optional<Holder> holder{};  // nothing: a token from before it was in the text

  // 256 random bits.
  static Token mint(TokenKind kind, const GrantId& grant, base::Entropy& entropy,
                    const std::optional<Holder>& holder = {});
  // A token whose secret is given, 64 hex digits: for who derives it.
  static Token of(TokenKind kind, const GrantId& grant, std::string_view secret,
                  const std::optional<Holder>& holder = {});
  // Nothing when the text does not have the form of that kind.
  static std::optional<Token> parse(TokenKind kind, std::string_view text);
  // An access or refresh token, what a client may ask to be revoked or looked into.
  static std::optional<Token> parse_any(std::string_view text);

  // As its client gets it.
  std::string to_text() const;

  // The label under which the store makes the HMAC of this kind.
  std::string_view label() const;
};

}  // namespace svc::oauth
