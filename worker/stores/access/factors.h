// Second factors in Redis: a hash per contact, with a field per recovery code and those of its
// passkeys (stores/access/passkeys.h), and the number of attempts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "login/second_factor.h"
#include "redis/store.h"

namespace svc::stores {

class Factors : public login::Factors {
 public:
  explicit Factors(redis::Store& store) : store_(store) {}

  loop::Task<std::optional<login::StoredFactor>> find(media::ContactId contact) override;
  loop::Task<> write(media::ContactId contact, const login::StoredFactor& factor,
                     const std::vector<std::string>& codes) override;
  loop::Task<bool> write_codes(media::ContactId contact,
                               const std::vector<std::string>& codes) override;
  loop::Task<bool> spend_step(media::ContactId contact, std::string_view sealed,
                              std::int64_t step) override;
  loop::Task<bool> spend_code(media::ContactId contact,
                              const std::vector<std::string>& macs) override;
  loop::Task<bool> remove(media::ContactId contact) override;
  loop::Task<std::vector<media::AccountId>> requiring(
      const std::vector<media::AccountId>& accounts) override;
  loop::Task<std::optional<std::int64_t>> begin_attempt(media::ContactId contact) override;
  loop::Task<> succeeded(media::ContactId contact) override;

  // For svcctl: the contacts with a factor, by reading the whole store.
  loop::Task<std::vector<media::ContactId>> contacts();
  // Replaces the secret. Returns false if it is not `before`.
  loop::Task<bool> reseal(media::ContactId contact, std::string_view before,
                          std::string_view after);
  // For svcctl.
  loop::Task<> require(media::AccountId account, bool is_required);

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
