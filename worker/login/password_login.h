// PasswordLogin: authenticates a user by email and password. oauth-L3, oauth-L4.
//
// An unknown email, a wrong password and a disabled contact get the same
// response and take the same work.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/request.h"
#include "login/passwords.h"
#include "login/second_factor.h"
#include "login/throttle.h"
#include "loop/task.h"
#include "media/people.h"
#include "oauth/stores.h"

namespace svc::login {

// Wrong: email or password. HeldUp: throttled, after too many failures. Busy:
// too many other requests hash passwords.
struct LoginRefusal {
  enum class Why { Wrong, HeldUp, Busy } why;
  std::int64_t retry_after = 0;  // s, for HeldUp and Busy
};

// A contact whose password was right.
struct KnownContact : media::Contact {
  bool has_factor = false;  // a second factor, after the password was checked
};
using LoginResult = base::Result<KnownContact, LoginRefusal>;

// The origin of an attempt.
struct Caller {
  std::string_view address;
  http::Peer* peer = nullptr;  // http::Request::peer
};

class PasswordLogin {
 public:
  // All references outlive it.
  PasswordLogin(media::People& people, LoginAttempts& attempts, Passwords& passwords,
                Factors& factors, oauth::Audit& audit, const base::WallClock& clock);

  // Arguments outlive the task. All throw base::Unavailable. A password over
  // kMaxPasswordBytes is Wrong.
  loop::Task<LoginResult> check(std::string_view email, std::string_view password,
                                const Caller& caller) {
    return check(email, password, caller, oauth::event_named<"login">());
  }

  // Checks the password of a user who is logged in. Throttles and counts like a
  // login.
  loop::Task<LoginResult> confirm(const media::Contact& contact, std::string_view password,
                                  const Caller& caller) {
    return check(contact.email, password, caller, oauth::event_named<"password.given">());
  }

  // Changes the password of a user who is logged in and enters the present one.
  // The caller checks `fresh` against the rules, and afterwards ends the other
  // sessions. Also Wrong if the password was changed in the meantime.
  loop::Task<LoginResult> change(const media::Contact& contact, std::string_view present,
                                 std::string_view fresh, const Caller& caller);

 private:
  class Turn;

  // `what`: the audit event of a success.
  loop::Task<LoginResult> check(std::string_view email, std::string_view password,
                                const Caller& caller, oauth::EventName what);
  // Takes the turn; the caller ends it.
  loop::Task<LoginResult> check(std::string_view email, std::string_view password,
                                const Caller& caller, oauth::EventName what, Turn& turn);

  media::People& people_;
  LoginAttempts& attempts_;
  Passwords& passwords_;
  Factors& factors_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
};

}  // namespace svc::login
