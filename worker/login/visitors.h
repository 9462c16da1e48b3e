// Visitors: whose browser sent this request. Cookies start and stop here.
//
// The cookie is __Host-svc_session (Secure, HttpOnly, SameSite=Lax, Path=/) where app-url is https,
// svc_session without Secure where it is http.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "http/request.h"
#include "login/session.h"

namespace svc::login {

class Visitors {
 public:
  Visitors(Sessions& sessions, const base::KeyRing& keys, base::Entropy& entropy, bool secure);

  // Never refuses: a cookie that is unknown, ended or malformed is a visitor without a session, who
  // gets a fresh cookie.
  loop::Task<Visitor> of(const http::Request& request);

  // Ends the visitor's session if there is one and begins a new one for that contact, with the
  // password that was checked: the Set-Cookie value. RFC 6265 §4.1.
  loop::Task<std::string> log_in(const Visitor& visitor, const media::Contact& contact,
                                 std::string_view address);
  // Ends the session: the Set-Cookie value that makes the browser forget it.
  loop::Task<std::string> log_out(const Visitor& visitor);

 private:
  Sessions& sessions_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  bool secure_;
};

// The token against forged forms (CSRF), for the form of that purpose in that browser. Checked in
// constant time.
std::string form_token(const base::KeyRing& keys, const Visitor& visitor, std::string_view purpose);
bool is_form_token(const base::KeyRing& keys, const Visitor& visitor, std::string_view purpose,
                   std::string_view token);

}  // namespace svc::login
