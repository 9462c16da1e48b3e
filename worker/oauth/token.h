// Token: an authorization code, access token or refresh token, in the form that
// its client has.
//
//   svcc_ <grant, 32 hex digits> <secret, 64 hex digits> _<contact> _<account>
//                                                           authorization code
//   svcr_ the same                                               refresh token
//   svca_ the same _<place>                                       access token
//
// Those of a family (oauth/token_family.h), whose secret is derived:
//
//   svcr_ the same _<position in the family>                     refresh token
//   svca_ the same _<place>_<family>                              access token
//
// The contact is 0 if an application has the access token for itself (oauth-C1).
//
// It contains its grant, so that everything about it is in one slot of the
// store. The store finds it only by the HMAC of its text, so a token with a
// changed grant, kind or holder is not found. It contains contact and account
// (hex), so that the store can read both in the same round trip; decisions use
// those of the stored record. Old tokens end after the secret, and an old
// access token has its place there without the "_". The place is the position
// of an access token among those of its grant or family. Place and family are
// only hints and not authenticated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "media/id.h"
#include "oauth/grant.h"

namespace svc::oauth {

enum class TokenKind { Code, Access, Refresh };

// The contact of a token, and the account that it is for.
struct Holder {
  media::ContactId contact;
  media::AccountId account;
  // False if an application acts for itself.
  bool has_contact() const { return contact.value() != 0; }
  bool operator==(const Holder&) const = default;
};

// A family of tokens, as the store knows it.
struct TokenFamily {
  std::string name;     // 16 hex digits. Not secret
  std::size_t key = 0;  // index of the key that began it
};

struct Token {
  TokenKind kind;
  GrantId grant;
  std::string text;                // without the place
  std::uint64_t place = 0;         // a stored access token's, or the position in a family; 0: none
  std::optional<Holder> holder{};  // nullopt: an old token without it
  std::string family{};            // an access token's; empty: none

  // Makes a token with a secret of 256 random bits.
  static Token mint(TokenKind kind, const GrantId& grant, base::Entropy& entropy,
                    const std::optional<Holder>& holder = {});
  // Makes a token with a given secret of 64 hex digits, for a derived secret.
  static Token of(TokenKind kind, const GrantId& grant, std::string_view secret,
                  const std::optional<Holder>& holder = {});
  // Returns nullopt if the text does not have the form of that kind.
  static std::optional<Token> parse(TokenKind kind, std::string_view text);
  // Parses an access or refresh token, the two that a client may revoke or
  // introspect.
  static std::optional<Token> parse_any(std::string_view text);

  bool is_of_family() const { return kind == TokenKind::Refresh ? place != 0 : !family.empty(); }
  // Returns the 64 hex digits.
  std::string_view secret() const;

  // Returns the text for the client, with place and family.
  std::string to_text() const;

  // The label of the HMAC under which the store finds this kind.
  std::string_view label() const;
};

}  // namespace svc::oauth
