#include "login/password_login.h"

#include "base/log.h"
#include "base/password_hash.h"
#include "login/new_password.h"

namespace svc::login {
namespace {

using Why = LoginRefusal::Why;

constexpr std::int64_t kBusyFor = 1;  // s; a hash takes less

}  // namespace

class PasswordLogin::Permit {
 public:
  explicit Permit(HashingPermits& permits) : permits_(permits) {}
  ~Permit() {
    if (taken_) permits_.give_back();
  }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

  Turn take(const Asker& asker) {
    if (taken_) return {Turn::When::Now};
    const Turn turn = permits_.take(asker);
    taken_ = turn.when == Turn::When::Now;
    return turn;
  }

 private:
  HashingPermits& permits_;
  bool taken_ = false;
};

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
                                                                const Caller& caller,
                                                                oauth::EventName what) {
  Permit permit(permits_);
  return check(email, password, caller, what, permit);
}

// Up to where the permit is taken this may be called again and again for one attempt, which must
// count once.
base::Result<media::Contact, LoginRefusal> PasswordLogin::check(std::string_view email,
                                                                std::string_view password,
                                                                const Caller& caller,
                                                                oauth::EventName what,
                                                                Permit& permit) {
  const std::string_view address = caller.address;
  for (int tries = 1; true; ++tries) {
    const AttemptHistory history = attempts_.history(email, address);
    // Not counted: who waits as told gets in.
    if (const auto wait = hold_up(history, clock_.now())) {
      if (wait->remember) attempts_.told_to_wait(email, address);
      return base::Refusal{LoginRefusal{Why::HeldUp, wait->seconds}};
    }
    const Turn turn = permit.take({email, address, history.email_knows_address, caller.place});
    if (turn.when == Turn::When::Wait)
      return base::Refusal{LoginRefusal{Why::Waits, 0, turn.place}};
    if (turn.when == Turn::When::Busy) {
      attempts_.was_busy(address);
      return base::Refusal{LoginRefusal{Why::Busy, kBusyFor}};
    }
    if (attempts_.begin(email, address, history)) break;
    // Another attempt was counted between the two: most likely a form that was sent twice.
    if (tries == 3) return base::Refusal{LoginRefusal{Why::HeldUp, 1}};
  }

  auto contact = people_.find_contact(email);
  const bool can_log_in =
      contact && !contact->password_hash.empty() && password.size() <= kMaxPasswordBytes;
  const std::string stored =
      can_log_in ? contact->password_hash : std::string(base::kHashOfNoPassword);
  // An earlier version imported it. Only a new password helps: svcctl user passwd.
  if (base::is_too_expensive_password_hash(stored))
    base::log::warn("password hash too expensive", {{"contact", contact->id.number}});
  if (!passwords_.matches(password.substr(0, kMaxPasswordBytes), stored) || !can_log_in) {
    // The email is not among it: people type their passwords there.
    audit_.record({"login.failed", contact ? std::optional(contact->id) : std::nullopt,
                   std::nullopt, "", address, contact ? "wrong password" : "unknown email"});
    return base::Refusal{LoginRefusal{Why::Wrong}};
  }
  attempts_.succeeded(email, address);
  if (!base::has_current_parameters(stored)) {
    // Refused when another login was faster, and nothing is lost then.
    const std::string fresh = passwords_.hash(password);
    if (people_.set_password_hash(contact->id, stored, fresh)) contact->password_hash = fresh;
  }
  audit_.record({what, contact->id, std::nullopt, "", address, ""});
  return std::move(*contact);
}

base::Result<media::Contact, LoginRefusal> PasswordLogin::change(const media::Contact& contact,
                                                                 std::string_view present,
                                                                 std::string_view fresh,
                                                                 const Caller& caller) {
  Permit permit(permits_);
  auto known = check(contact.email, present, caller, "password.given", permit);
  if (!known) return known;
  const std::string hash = passwords_.hash(fresh);
  // Before it is so: what cannot be written down does not happen.
  audit_.record({"password.changed", known->id, std::nullopt, "", caller.address, ""});
  if (!people_.set_password_hash(known->id, known->password_hash, hash))
    return base::Refusal{LoginRefusal{Why::Wrong}};
  known->password_hash = hash;
  return known;
}

}  // namespace svc::login
