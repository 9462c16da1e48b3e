// Transaction: one authorization on its way through the pages. It travels
// sealed in their forms, so that a client cannot edit the request, and the
// server need not store it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "media/id.h"
#include "oauth/grant.h"
#include "oauth/token.h"

namespace svc::oauth {

struct Transaction {
  // 64 random hex digits. The authorization code is derived from it, so a form
  // that is submitted several times has one result.
  std::string secret;
  std::int64_t begun = 0;               // seconds since 1970
  media::AccountId account;             // that the page asked about; 0: the page asks which account
  std::int64_t permission_version = 0;  // the client's when the page was shown
  std::string query;                    // the authorization request's, unchanged

  static constexpr std::int64_t kLifetime = 600;  // seconds
  bool is_over(std::int64_t now) const { return now >= begun + kLifetime; }
};

std::string random_secret(base::Entropy& entropy);

// `binding` identifies a browser: a transaction sealed for one browser cannot
// be opened for another. Then, or if the text was changed, open_transaction()
// returns nullopt.
std::string seal(const Transaction& transaction, std::string_view binding,
                 const base::KeyRing& keys, base::Entropy& entropy);
std::optional<Transaction> open_transaction(std::string_view sealed, std::string_view binding,
                                            const base::KeyRing& keys);
// Returns the query of a transaction, also if it was sealed for another browser
// or is over. It is then no more to be trusted than a link on another site.
std::optional<std::string> query_of_any_transaction(std::string_view sealed,
                                                    const base::KeyRing& keys);

// Returns the only code of this transaction for that grant.
Token code_of(const Transaction& transaction, const GrantId& grant, const Holder& holder,
              const base::KeyRing& keys);

}  // namespace svc::oauth
