// LoginPage: `/login`, and the login form that other pages show to a visitor
// who is not logged in.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "login/passkeys.h"
#include "login/password_login.h"
#include "login/return_path.h"
#include "login/second_factor.h"
#include "login/session.h"
#include "login/visitors.h"
#include "loop/task.h"
#include "media/contact.h"
#include "media/people.h"
#include "pages/languages.h"
#include "pages/login_prompt.h"
#include "text/form.h"

namespace svc::pages {

class LoginPage : public http::Endpoint, public LoginPrompt {
 public:
  // All references must outlive it.
  LoginPage(const embed::Site& site, login::Visitors& visitors,
            login::PasswordLogin& password_login, login::SecondFactor& second_factor,
            login::Passkeys& passkeys, media::People& people, const base::KeyRing& keys,
            base::Entropy& entropy, const Languages& languages);

  loop::Task<http::Response> answer(const http::Request& request) override;

  http::Response ask(const http::Request& request, const login::Visitor& visitor,
                     const login::ReturnPath& to, std::string_view problem) override;

 private:
  // Contents of the form when it is shown again.
  struct Shown {
    int status = 200;
    std::string_view email;
    std::string problem;    // shown at the top, in the user's language
    std::string known;      // the email of the user who is logged in; empty: none
    bool wrong = false;     // the problem is about both fields
    bool no_email = false;  // the email is missing
    bool no_password = false;
  };
  const Language& language_of(const http::Request& request, const login::ReturnPath& to) const;
  http::Response form(const http::Request& request, const login::Visitor& visitor,
                      const login::ReturnPath& to, const Shown& shown);
  loop::Task<http::Response> status(const http::Request& request, const login::Visitor& visitor);
  loop::Task<http::Response> log_in(const http::Request& request, const login::Visitor& visitor);
  // Asks for the code, or a passkey, after the password. `step`: SecondFactor::seal_step().
  loop::Task<http::Response> code_form(const http::Request& request, const login::Visitor& visitor,
                                       const login::ReturnPath& to, const media::Contact& contact,
                                       std::string_view step, int status,
                                       const std::string& problem);
  // The fields `step`, and `code` or `credential`.
  loop::Task<http::Response> take_step(const http::Request& request, const login::Visitor& visitor,
                                       login::ReturnPath to, const text::Form& fields);
  // Returns the response to a login form that was made before this browser
  // logged in or out, in another tab for one: redirects to `to` if the user
  // with that email is logged in, otherwise the form again.
  loop::Task<http::Response> take_stale(const http::Request& request, const login::Visitor& visitor,
                                        login::ReturnPath to, std::string_view email);

  const embed::Site& site_;
  login::Visitors& visitors_;
  login::PasswordLogin& password_login_;
  login::SecondFactor& second_factor_;
  login::Passkeys& passkeys_;
  media::People& people_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  const Languages& languages_;
};

// `POST /logout`. Redirects to the sealed ReturnPath in the field `return`, or
// to /login without it, also if the visitor was logged out before.
class LogoutPage : public http::Endpoint {
 public:
  LogoutPage(const embed::Site& site, login::Visitors& visitors, const base::KeyRing& keys,
             const Languages& languages);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
  login::Visitors& visitors_;
  const base::KeyRing& keys_;
  const Languages& languages_;
};

}  // namespace svc::pages
