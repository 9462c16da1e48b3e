// Account tokens in Redis. All keys of a token are in the slot of its account, and their list is:
// so one script adds a token and counts those of the account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/key_ring.h"
#include "oauth/account_tokens.h"
#include "redis/store.h"

namespace svc::stores {

class AccountTokens : public oauth::AccountTokens {
 public:
  AccountTokens(redis::Store& store, const base::KeyRing& keys, const base::WallClock& clock)
      : store_(store), keys_(keys), clock_(clock) {}

  loop::Task<std::optional<oauth::Issued>> find(const oauth::AccountToken& token) override;
  loop::Task<std::optional<oauth::AccountTokenRecord>> inspect(
      const oauth::AccountToken& token) override;
  loop::Task<std::optional<oauth::AccountTokenRecord>> find(
      const oauth::AccountTokenId& id) override;
  loop::Task<bool> add(const oauth::AccountToken& token, const oauth::AccountTokenRecord& record,
                       std::int64_t most) override;
  loop::Task<std::vector<oauth::AccountTokenRecord>> of(media::AccountId account) override;
  loop::Task<std::vector<oauth::AccountTokenRecord>> of(media::ContactId contact) override;
  loop::Task<bool> end(const oauth::AccountTokenId& id) override;
  // Ends all tokens of the contact, and leaves no key of it.
  loop::Task<> end_all(media::ContactId contact);

 private:
  loop::Task<std::vector<oauth::AccountTokenRecord>> listed(std::string list);
  loop::Task<std::optional<oauth::AccountTokenRecord>> listed_in(const oauth::AccountTokenId& id,
                                                                 redis::Store::Call& call,
                                                                 redis::Store::Call& used_call);
  bool is_of(std::string_view mac, const oauth::AccountToken& token) const;
  void note_use(const oauth::AccountToken& token, std::int64_t before, std::int64_t expires);

  redis::Store& store_;
  const base::KeyRing& keys_;
  const base::WallClock& clock_;
  std::unordered_map<std::string, std::int64_t> noted_;  // the last use, by id
};

}  // namespace svc::stores
