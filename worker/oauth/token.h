// Token: an authorization code, access token or refresh token, as a client holds it.
//
//   svca_ <grant, 32 hex digits> <secret, 64 hex digits>     svcc_ code, svca_ access, svcr_
//   refresh
//
// It names its grant, so that everything about it lies in one slot of the store, and is found there
// only by the HMAC of the whole text: a changed grant or kind leads to nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "oauth/grant.h"

namespace svc::oauth {

enum class TokenKind { Code, Access, Refresh };

struct Token {
  TokenKind kind;
  GrantId grant;
  std::string text;

  // 256 random bits.
  static Token mint(TokenKind kind, const GrantId& grant, base::Entropy& entropy);
  // A token whose secret is given, 64 hex digits: for who derives it.
  static Token of(TokenKind kind, const GrantId& grant, std::string_view secret);
  // Nothing when the text does not have the form of that kind.
  static std::optional<Token> parse(TokenKind kind, std::string_view text);
  // An access or refresh token, what a client may ask to be revoked or looked into.
  static std::optional<Token> parse_any(std::string_view text);

  // The label under which the store makes the HMAC of this kind.
  std::string_view label() const;
};

}  // namespace svc::oauth
