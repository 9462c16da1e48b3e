// Throttle: how long somebody who guesses passwords has to wait. oauth.md L4.
//
// Failures are counted by email and address together, by address and the networks around it, and by
// email over all addresses.
// Only the first grows without regard to who asks, and it holds up nobody at another address; the
// third costs a few seconds at most, so that a stranger can never lock anybody out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"

namespace svc::login {

// What is known of an attempt before it is made. Times in seconds since 1970.
struct AttemptHistory {
  std::int64_t pair_failures = 0;  // of this email from this address
  std::int64_t pair_last = 0;      // the time of the last of them
  // When an attempt was last told to come back in a moment, because of the email; 0: it was not,
  // or has come since.
  std::int64_t pair_told = 0;
  std::int64_t address_failures = 0;  // within its 10 minutes
  std::int64_t address_ends_in = 0;   // s until those are over
  std::int64_t email_failures = 0;    // within its hour
  bool email_knows_address = false;   // it has logged in from there within 30 days
  struct Counted {
    std::int64_t failures = 0;  // within its 10 minutes
    std::int64_t ends_in = 0;   // s until those are over
  };
  std::vector<Counted> networks = {};  // base::wider_networks() of the address
};

struct HoldUp {
  std::int64_t seconds = 0;
  // The store has to remember that it was told so: AttemptHistory::pair_told.
  bool remember = false;
};

// How long until the next attempt is looked at; nothing: now.
std::optional<HoldUp> hold_up(const AttemptHistory& history, std::int64_t now);

// Implemented in redis/. All throw base::Unavailable when the store cannot say; emails are compared
// without case; an address counts as its base::address_group().
class LoginAttempts {
 public:
  virtual ~LoginAttempts() = default;
  virtual loop::Task<AttemptHistory> history(std::string_view email, std::string_view address) = 0;
  virtual loop::Task<> told_to_wait(std::string_view email, std::string_view address) = 0;
  // Counts a failure before it is known to be one, so that attempts side by side cannot all slip
  // through. False when another of this email from this address was counted since `seen`.
  virtual loop::Task<bool> begin(std::string_view email, std::string_view address,
                                 const AttemptHistory& seen) = 0;
  // It was refused, because others hash. Counts for the address and its networks, not for the
  // email: else an attacker could have it refused.
  virtual loop::Task<> was_busy(std::string_view address) = 0;
  // It was none: takes it back, and knows the address from now on.
  virtual loop::Task<> succeeded(std::string_view email, std::string_view address) = 0;
};

}  // namespace svc::login
