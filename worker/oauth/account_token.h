// AccountToken: a bearer token that a contact made for scripts of an account, without an
// application. oauth-C2.
//
//   svcp_ <account, 14 hex digits> <name, 16> <contact, 14> <secret, 64>
//
// Account and name are its id. It contains account and contact, so that the store can read the
// standing of the contact in the same round trip as the token; decisions use the stored record,
// which has only the HMAC of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/id.h"
#include "media/id.h"
#include "oauth/scope_set.h"
#include "oauth/token.h"

namespace svc::oauth {

// 30 lower-case hex digits. Not secret.
struct AccountTokenId : base::Id<AccountTokenId, std::string> {
  static constexpr std::size_t kLength = 30;
  static std::optional<AccountTokenId> parse(std::string_view text);

  media::AccountId account() const;
  // The digits after the account.
  std::string_view name() const;
};

struct AccountToken {
  static constexpr std::string_view kPrefix = "svcp_";
  // The label of the HMAC under which the store finds it.
  static constexpr std::string_view kLabel = "account token";

  AccountTokenId id;
  Holder holder;
  std::string text;

  // Makes a token with a secret of 256 random bits.
  static AccountToken mint(const Holder& holder, base::Entropy& entropy);
  // Returns nullopt if the text does not have the form.
  static std::optional<AccountToken> parse(std::string_view text);
};

// A token without its text, as it is stored.
struct AccountTokenRecord {
  AccountTokenId id;
  std::string name;
  media::ContactId contact;
  ScopeSet scopes;
  std::int64_t created = 0;    // seconds since 1970
  std::int64_t expires = 0;    // the same; 0: never
  std::int64_t last_used = 0;  // the same; up to 60 s late; 0: never

  media::AccountId account() const { return id.account(); }
};

// Stands for the application in the audit trail, and where the uses of a grant are named. No
// application has such an id.
ClientId client_of(const AccountTokenId& id);

}  // namespace svc::oauth
