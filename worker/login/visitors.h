// Visitors: finds the browser that sent a request. Cookies stop here.
//
// The cookie is __Host-svc_session (Secure, HttpOnly, SameSite=Lax, Path=/) if
// app-url is https, and svc_session without Secure if it is http.
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

  // If the cookie is absent, unknown, ended or malformed, returns a visitor
  // without a session. Its set_cookie is set unless the browser already has a
  // cookie for visitors without a session.
  loop::Task<Visitor> of(const http::Request& request);

  // Ends the visitor's session, if any, and begins a new one for the contact,
  // whose password was checked. Returns the Set-Cookie value. RFC 6265 §4.1.
  loop::Task<std::string> log_in(const Visitor& visitor, const media::Contact& contact,
                                 const http::Request& request);
  // Ends the session that log_in() has just begun with that Set-Cookie value, which no browser has.
  loop::Task<> take_back(std::string set_cookie);
  // Ends the session. Returns the Set-Cookie value that deletes the cookie.
  loop::Task<std::string> log_out(const Visitor& visitor);

 private:
  Sessions& sessions_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  bool secure_;
};

// The CSRF token of the form with that purpose in that browser. Compared in
// constant time.
std::string form_token(const base::KeyRing& keys, const Visitor& visitor, std::string_view purpose);
bool is_form_token(const base::KeyRing& keys, const Visitor& visitor, std::string_view purpose,
                   std::string_view token);

}  // namespace svc::login
