// PasswordLogin: whether somebody is who they say, by email and password. oauth.md L3, L4.
//
// An unknown email, a wrong password and a disabled contact get one response, after the same work.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/request.h"
#include "login/passwords.h"
#include "login/throttle.h"
#include "loop/task.h"
#include "media/people.h"
#include "oauth/stores.h"

namespace svc::login {

// Wrong: email or password. HeldUp: too many failures, come back. Busy: too many others hash.
struct LoginRefusal {
  enum class Why { Wrong, HeldUp, Busy } why;
  std::int64_t retry_after = 0;  // s, for HeldUp and Busy
};

// Where an attempt comes from.
struct Caller {
  std::string_view address;
  http::Peer* peer = nullptr;  // http::Request::peer
};

class PasswordLogin {
 public:
  // Everything outlives it.
  PasswordLogin(media::People& people, LoginAttempts& attempts, Passwords& passwords,
                HashingPermits& permits, oauth::Audit& audit, const base::WallClock& clock);

  // What these are given outlives the task. They throw base::Unavailable. A longer password is
  // Wrong.
  loop::Task<base::Result<media::Contact, LoginRefusal>> check(std::string_view email,
                                                               std::string_view password,
                                                               const Caller& caller) {
    return check(email, password, caller, "login");
  }

  // Whether the password of somebody who is logged in is right, held up and counted as above.
  loop::Task<base::Result<media::Contact, LoginRefusal>> confirm(const media::Contact& contact,
                                                                 std::string_view password,
                                                                 const Caller& caller) {
    return check(contact.email, password, caller, "password.given");
  }

  // Another password for somebody who is logged in and gives the present one. The new one is the
  // caller's to judge. Other sessions are the caller's to end, behind it. Wrong as well when
  // somebody changed it meanwhile.
  loop::Task<base::Result<media::Contact, LoginRefusal>> change(const media::Contact& contact,
                                                                std::string_view present,
                                                                std::string_view fresh,
                                                                const Caller& caller);

 private:
  class Permit;

  // `what` a success is called in the audit trail.
  loop::Task<base::Result<media::Contact, LoginRefusal>> check(std::string_view email,
                                                               std::string_view password,
                                                               const Caller& caller,
                                                               oauth::EventName what);
  // Behind it the permit is taken.
  loop::Task<base::Result<media::Contact, LoginRefusal>> check(std::string_view email,
                                                               std::string_view password,
                                                               const Caller& caller,
                                                               oauth::EventName what,
                                                               Permit& permit);

  media::People& people_;
  LoginAttempts& attempts_;
  Passwords& passwords_;
  HashingPermits& permits_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
};

}  // namespace svc::login
