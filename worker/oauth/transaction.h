// Transaction: one authorization on its way through pages. It travels sealed inside their forms, so
// that nothing of what was asked for can be edited, and nothing has to be kept meanwhile.
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
  // 64 hex digits, random; the authorization code is derived from it, so that however often its
  // form is sent, there is one answer.
  std::string secret;
  std::int64_t begun = 0;               // seconds since 1970
  media::AccountId account;             // that the page asked about; 0: it asked which
  std::int64_t permission_version = 0;  // of the client, when the page was shown
  std::string query;                    // of the authorization request, as it came

  static constexpr std::int64_t kLifetime = 600;  // seconds
  bool is_over(std::int64_t now) const { return now >= begun + kLifetime; }
};

std::string random_secret(base::Entropy& entropy);

// Bound to a browser by `binding`: sealed for one, it opens for no other.
std::string seal(const Transaction& transaction, std::string_view binding,
                 const base::KeyRing& keys, base::Entropy& entropy);
std::optional<Transaction> open_transaction(std::string_view sealed, std::string_view binding,
                                            const base::KeyRing& keys);

// The one code of this transaction for that grant.
Token code_of(const Transaction& transaction, const GrantId& grant, const Holder& holder,
              const base::KeyRing& keys);

}  // namespace svc::oauth
