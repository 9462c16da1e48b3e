// Passkeys in Redis: fields of the hash of the second factor, and the challenges that were used.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "login/passkeys.h"
#include "redis/store.h"

namespace svc::stores {

class Passkeys : public login::PasskeyStore {
 public:
  explicit Passkeys(redis::Store& store) : store_(store) {}

  loop::Task<std::vector<login::Passkey>> of(media::ContactId contact) override;
  loop::Task<Added> add(media::ContactId contact, const login::Passkey& passkey,
                        std::uint32_t count) override;
  loop::Task<bool> remove(media::ContactId contact, std::string_view id) override;
  loop::Task<Used> use(media::ContactId contact, std::string_view id,
                       const login::Assertion& assertion, std::int64_t now,
                       std::string_view turn) override;
  loop::Task<bool> spend(std::string_view challenge_digest, std::string_view turn) override;

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
