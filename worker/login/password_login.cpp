#include "login/password_login.h"

#include "base/address_group.h"
#include "base/password_hash.h"
#include "login/new_password.h"

namespace svc::login {
namespace {

using Why = LoginRefusal::Why;

constexpr std::int64_t kBusyFor = 1;  // s; a hash takes less

class Permit {
 public:
  Permit(HashingPermits& permits, std::string_view address)
      : permits_(permits), address_(address) {}
  ~Permit() {
    if (taken_) permits_.give_back();
  }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

  bool take() { return taken_ = taken_ || permits_.take(address_); }

 private:
  HashingPermits& permits_;
  const std::string_view address_;
  bool taken_ = false;
};

}  // namespace

PasswordLogin::PasswordLogin(media::People& people, LoginAttempts& attempts, Passwords& passwords,
                             HashingPermits& permits, oauth::Audit& audit,
                             const base::WallClock& clock)
    : people_(people),
      attempts_(attempts),
      passwords_(passwords),
      permits_(permits),
      audit_(audit),
      clock_(clock) {}

base::Result<media::Contact, LoginRefusal> PasswordLogin::check(std::string_view email,
                                                                std::string_view password,
                                                                std::string_view remote_address,
                                                                std::string_view what) {
  const std::string address = base::address_group(remote_address);
  Permit permit(permits_, address);
  for (int tries = 1; true; ++tries) {
    const AttemptHistory history = attempts_.history(email, address);
    // Not counted: who waits as told gets in.
    if (const auto wait = hold_up(history, clock_.now())) {
      if (wait->remember) attempts_.told_to_wait(email, address);
      return base::Refusal{LoginRefusal{Why::HeldUp, wait->seconds}};
    }
    if (!permit.take()) return base::Refusal{LoginRefusal{Why::Busy, kBusyFor}};
    if (attempts_.begin(email, address, history)) break;
    // Another attempt was counted between the two: most likely a form that was sent twice.
    if (tries == 3) return base::Refusal{LoginRefusal{Why::HeldUp, 1}};
  }

  auto contact = people_.find_contact(email);
  const bool can_log_in =
      contact && !contact->password_hash.empty() && password.size() <= kMaxPasswordBytes;
  const std::string stored =
      can_log_in ? contact->password_hash : std::string(base::kHashOfNoPassword);
  if (!passwords_.matches(password.substr(0, kMaxPasswordBytes), stored) || !can_log_in) {
    // The email is not among it: people type their passwords there.
    audit_.record({"login.failed", contact ? std::optional(contact->id) : std::nullopt,
                   std::nullopt, "", remote_address, contact ? "wrong password" : "unknown email"});
    return base::Refusal{LoginRefusal{Why::Wrong}};
  }
  attempts_.succeeded(email, address);
  if (!base::has_current_parameters(stored)) {
    // Refused when another login was faster, and nothing is lost then.
    const std::string fresh = passwords_.hash(password);
    if (people_.set_password_hash(contact->id, stored, fresh)) contact->password_hash = fresh;
  }
  audit_.record({what, contact->id, std::nullopt, "", remote_address, ""});
  return std::move(*contact);
}

base::Result<media::Contact, LoginRefusal> PasswordLogin::change(const media::Contact& contact,
                                                                 std::string_view present,
                                                                 std::string_view fresh,
                                                                 std::string_view remote_address) {
  auto known = confirm(contact, present, remote_address);
  if (!known) return known;
  const std::string address = base::address_group(remote_address);
  Permit permit(permits_, address);
  if (!permit.take()) return base::Refusal{LoginRefusal{Why::Busy, kBusyFor}};
  const std::string hash = passwords_.hash(fresh);
  // Before it is so: what cannot be written down does not happen.
  audit_.record({"password.changed", known->id, std::nullopt, "", remote_address, ""});
  if (!people_.set_password_hash(known->id, known->password_hash, hash))
    return base::Refusal{LoginRefusal{Why::Wrong}};
  known->password_hash = hash;
  return known;
}

}  // namespace svc::login
