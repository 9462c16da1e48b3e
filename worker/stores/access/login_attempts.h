// LoginAttempts in Redis: counters with a time to live, named by the HMAC of the email.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/key_ring.h"
#include "login/throttle.h"
#include "redis/store.h"

namespace svc::stores {

class LoginAttempts : public login::LoginAttempts {
 public:
  LoginAttempts(redis::Store& store, const base::KeyRing& keys, const base::WallClock& clock)
      : store_(store), keys_(keys), clock_(clock) {}

  loop::Task<login::AttemptHistory> history(std::string_view email,
                                            std::string_view address) override;
  loop::Task<> told_to_wait(std::string_view email, std::string_view address) override;
  loop::Task<bool> begin(std::string_view email, std::string_view address,
                         const login::AttemptHistory& seen) override;
  loop::Task<> was_busy(std::string_view address) override;
  loop::Task<> succeeded(std::string_view email, std::string_view address) override;

  // Returns the time of the last login within 30 days, in seconds since 1970; nullopt without such
  // a login.
  loop::Task<std::optional<std::int64_t>> last_login(std::string_view email);
  // Deletes the addresses from which that email has logged in. Failures stay counted.
  loop::Task<> forget_addresses(std::string_view email);

 private:
  // Uses only the first key: when keys are rotated, earlier failures and logins
  // are forgotten. That costs a user at most the few seconds that an unknown
  // address waits.
  std::string mac_of(std::string_view email) const;
  // The lists of addresses of that email, under all keys.
  std::vector<std::string> known_lists(std::string_view email) const;
  // Adds 1 to that counter, which ends 10 minutes after its first count.
  loop::Task<> count(std::string key);
  loop::Task<> count_for(std::string_view address);
  loop::Task<> take_back(std::string key);
  loop::Task<login::AttemptHistory::Counted> look(std::string key);

  redis::Store& store_;
  const base::KeyRing& keys_;
  const base::WallClock& clock_;
};

}  // namespace svc::stores
