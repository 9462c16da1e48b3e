// AccountTokens: the stored account tokens. Implemented in stores/.
//
// All functions throw base::Unavailable. Arguments that are references outlive the task.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "oauth/account_token.h"
#include "oauth/stores.h"

namespace svc::oauth {

inline constexpr std::string_view kUnreadableToken = "A token that cannot be read";

class AccountTokens {
 public:
  virtual ~AccountTokens() = default;

  // Returns nullopt if the token is unknown or has ended. Notes that it was used.
  virtual loop::Task<std::optional<Issued>> find(const AccountToken& token) = 0;
  // The same, with the whole record, and without a note of its use.
  virtual loop::Task<std::optional<AccountTokenRecord>> inspect(const AccountToken& token) = 0;
  virtual loop::Task<std::optional<AccountTokenRecord>> find(const AccountTokenId& id) = 0;

  // Returns false if the account would have more than `most`, also of several that are added at the
  // same time.
  virtual loop::Task<bool> add(const AccountToken& token, const AccountTokenRecord& record,
                               std::int64_t most) = 0;

  // Returns the tokens that have not ended, the newest first. One whose key has another type is
  // among them, as kUnreadableToken and without any other field; it opens nothing, and can be
  // ended.
  virtual loop::Task<std::vector<AccountTokenRecord>> of(media::AccountId account) = 0;
  virtual loop::Task<std::vector<AccountTokenRecord>> of(media::ContactId contact) = 0;

  // Returns false if it had ended.
  virtual loop::Task<bool> end(const AccountTokenId& id) = 0;
};

}  // namespace svc::oauth
