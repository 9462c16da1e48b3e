// Throttle: how long a client that guesses passwords must wait. oauth-L4.
//
// Failures are counted per email and address together, per address and network,
// and per email over all addresses. Only the first count also delays an address
// from which the email has logged in within 30 days. The third delays an
// attempt by a few seconds only. So an attacker cannot lock out a user at
// another address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"

namespace svc::login {

// The history of an email and an address before an attempt. Times in seconds
// since 1970.
struct AttemptHistory {
  std::int64_t pair_failures = 0;  // for this email from this address
  std::int64_t pair_last = 0;      // time of the last of these
  // When an attempt of this pair was last told to wait because of the email's
  // failures; 0: never, or the pair has tried again since.
  std::int64_t pair_told = 0;
  std::int64_t address_failures = 0;  // in the current 10 minutes
  std::int64_t address_ends_in = 0;   // s until these end
  std::int64_t email_failures = 0;    // in the current hour
  bool email_knows_address = false;   // it has logged in from this address within 30 days
  struct Counted {
    std::int64_t failures = 0;  // in the current 10 minutes
    std::int64_t ends_in = 0;   // s until these end
  };
  std::vector<Counted> networks = {};  // base::wider_networks() of the address
};

struct HoldUp {
  std::int64_t seconds = 0;
  // The caller must call told_to_wait(), see AttemptHistory::pair_told.
  bool remember = false;
};

// Returns how long the attempt must wait, or nullopt if it may proceed.
std::optional<HoldUp> hold_up(const AttemptHistory& history, std::int64_t now);

// Implemented in redis/. All throw base::Unavailable if the store does not
// reply. Emails are compared without case. An address counts as its
// base::address_group().
class LoginAttempts {
 public:
  virtual ~LoginAttempts() = default;
  virtual loop::Task<AttemptHistory> history(std::string_view email, std::string_view address) = 0;
  virtual loop::Task<> told_to_wait(std::string_view email, std::string_view address) = 0;
  // Counts a failure before the password is checked, so that simultaneous
  // attempts cannot bypass the limit. Returns false, and counts nothing, if the
  // history of this email and address has changed since `seen`.
  virtual loop::Task<bool> begin(std::string_view email, std::string_view address,
                                 const AttemptHistory& seen) = 0;
  // The attempt was refused because too many requests hash. Counts a failure
  // for the address and its networks, but not for the email: otherwise an
  // attacker could have that email refused.
  virtual loop::Task<> was_busy(std::string_view address) = 0;
  // The password was right: takes the failure back, and remembers the address
  // for 30 days.
  virtual loop::Task<> succeeded(std::string_view email, std::string_view address) = 0;
};

}  // namespace svc::login
