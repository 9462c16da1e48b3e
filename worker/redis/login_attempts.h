// LoginAttempts in Redis: counters with a time to live, named by the HMAC of the email.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/key_ring.h"
#include "login/throttle.h"
#include "redis/connection.h"

namespace svc::redis {

class LoginAttempts : public login::LoginAttempts {
 public:
  LoginAttempts(Connection& connection, const base::KeyRing& keys, const base::WallClock& clock)
      : connection_(connection), keys_(keys), clock_(clock) {}

  login::AttemptHistory history(std::string_view email, std::string_view address) override;
  void told_to_wait(std::string_view email, std::string_view address) override;
  bool begin(std::string_view email, std::string_view address,
             const login::AttemptHistory& seen) override;
  void was_busy(std::string_view address) override;
  void succeeded(std::string_view email, std::string_view address) override;

 private:
  // Under the first key only: what was counted under an older one is forgotten when keys are
  // rotated, which costs nobody more than the few seconds of an address that is not known.
  std::string mac_of(std::string_view email) const;
  // One of that counter, which lives for 10 minutes.
  void count(const std::string& key);
  void count_for(std::string_view address);
  void take_back(const std::string& key);

  Connection& connection_;
  const base::KeyRing& keys_;
  const base::WallClock& clock_;
};

}  // namespace svc::redis
