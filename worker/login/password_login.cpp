#include "login/password_login.h"

#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/password_hash.h"
#include "login/new_password.h"
#include "loop/all.h"

namespace svc::login {
namespace {

using Why = LoginRefusal::Why;

constexpr std::int64_t kBusyFor = 1;  // s; long enough for a hash
// Many may wait, on a busy machine. nginx/svc-fastcgi-pages.conf has as much.
constexpr base::Duration kForAHash = std::chrono::seconds(10);

}  // namespace

// The turn of one attempt. Ends with it.
class PasswordLogin::Turn {
 public:
  Turn(Passwords& passwords, const Caller& caller)
      : passwords_(passwords), peer_(caller.peer), asker_{caller.address, false, caller.peer} {}
  ~Turn() { end(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool is_taken() const { return taken_; }
  loop::Task<Permission> take(bool known) {
    if (peer_ != nullptr) peer_->takes_longer(kForAHash);
    asker_.known = known;
    const Permission permission = co_await passwords_.take_turn(asker_);
    taken_ = permission != Permission::Refused;
    co_return permission;
  }
  loop::Task<> refuse() {
    end();
    co_await passwords_.hold_back(asker_);
  }

 private:
  void end() {
    if (std::exchange(taken_, false)) passwords_.end_turn();
  }

  Passwords& passwords_;
  http::Peer* const peer_;
  Asker asker_;
  bool taken_ = false;
};

PasswordLogin::PasswordLogin(media::People& people, LoginAttempts& attempts, Passwords& passwords,
                             Factors& factors, oauth::Audit& audit, const base::WallClock& clock)
    : people_(people),
      attempts_(attempts),
      passwords_(passwords),
      factors_(factors),
      audit_(audit),
      clock_(clock) {}

loop::Task<LoginResult> PasswordLogin::check(std::string_view email, std::string_view password,
                                             const Caller& caller, oauth::EventName what) {
  Turn turn(passwords_, caller);
  co_return co_await check(email, password, caller, what, turn);
}

loop::Task<LoginResult> PasswordLogin::check(std::string_view email, std::string_view password,
                                             const Caller& caller, oauth::EventName what,
                                             Turn& turn) {
  const std::string_view address = caller.address;
  for (int tries = 0; true;) {
    const AttemptHistory history = co_await attempts_.history(email, address);
    // Not counted, so a client that waits as told can log in.
    if (const auto wait = hold_up(history, clock_.now())) {
      if (wait->remember) co_await attempts_.told_to_wait(email, address);
      co_return base::Refusal{LoginRefusal{Why::HeldUp, wait->seconds}};
    }
    if (!turn.is_taken()) {
      const Permission permission = co_await turn.take(history.email_knows_address);
      if (permission == Permission::Refused) {
        co_await attempts_.was_busy(address);
        co_return base::Refusal{LoginRefusal{Why::Busy, kBusyFor}};
      }
      // Failures that were counted during the wait may throttle the attempt.
      if (permission == Permission::AfterWaiting) continue;
    }
    if (co_await attempts_.begin(email, address, history)) break;
    // Another attempt was counted in between, most likely a form that was sent
    // twice.
    if (++tries == 3) co_return base::Refusal{LoginRefusal{Why::HeldUp, 1}};
  }

  std::optional<media::Contact> contact = co_await people_.find_contact(email);
  const std::string canonical = canonical_password(password);
  const bool can_log_in = contact && !contact->disabled && canonical.size() <= kMaxPasswordBytes;
  // Nothing matches "".
  const std::string stored = can_log_in ? contact->password_hash : "";
  // An earlier version imported this hash. Only a new password helps: svcctl
  // user passwd.
  if (base::is_too_expensive_password_hash(stored))
    base::log::warn("password.too-expensive", {{"contact", contact->id.value()}});
  std::string tried = canonical.substr(0, kMaxPasswordBytes);
  bool matches = co_await passwords_.matches(std::move(tried), stored);
  // Earlier versions hashed the password as typed.
  bool as_typed = false;
  if (!matches && canonical != password) {
    std::string typed(password.substr(0, kMaxPasswordBytes));
    as_typed = co_await passwords_.matches(std::move(typed), stored);
    matches = as_typed && password.size() <= kMaxPasswordBytes;
  }
  if (!matches) {
    // The event omits the email: users type their passwords into that field.
    const std::string_view why = !contact            ? "unknown email"
                                 : contact->disabled ? "disabled"
                                                     : "wrong password";
    const oauth::AuditEvent event{oauth::event_named<"login.failed">(),
                                  contact ? std::optional(contact->id) : std::nullopt,
                                  std::nullopt,
                                  "",
                                  address,
                                  why};
    co_await audit_.record(event);
    co_await turn.refuse();
    co_return base::Refusal{LoginRefusal{Why::Wrong}};
  }
  auto both = loop::all(attempts_.succeeded(email, address), factors_.find(contact->id));
  const auto noted = co_await both;
  // With a second factor, the code is the login.
  const bool has_factor = std::get<1>(noted).has_value();
  if (as_typed || !base::has_cost(stored, passwords_.cost)) {
    const std::string fresh = co_await passwords_.hash(canonical);
    // Refused if another login was faster; then nothing is lost.
    if (co_await people_.set_password_hash(contact->id, stored, fresh))
      contact->password_hash = fresh;
  }
  const oauth::AuditEvent event{has_factor ? oauth::event_named<"password.given">() : what,
                                contact->id,
                                std::nullopt,
                                "",
                                address,
                                ""};
  co_await audit_.record(event);
  co_return KnownContact{std::move(*contact), has_factor};
}

loop::Task<LoginResult> PasswordLogin::change(const media::Contact& contact,
                                              std::string_view present, std::string_view fresh,
                                              const Caller& caller) {
  Turn turn(passwords_, caller);
  LoginResult known =
      co_await check(contact.email, present, caller, oauth::event_named<"password.given">(), turn);
  if (!known) co_return known;
  std::string password = canonical_password(fresh);
  const std::string hash = co_await passwords_.hash(std::move(password));
  // Record the event before the change: every change must be in the audit trail.
  const oauth::AuditEvent event{
      oauth::event_named<"password.changed">(), known->id, std::nullopt, "", caller.address, ""};
  co_await audit_.record(event);
  if (!co_await people_.set_password_hash(known->id, known->password_hash, hash))
    co_return base::Refusal{LoginRefusal{Why::Wrong}};
  known->password_hash = hash;
  co_return known;
}

}  // namespace svc::login
