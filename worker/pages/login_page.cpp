#include "pages/login_page.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/paths.h"
#include "media/email.h"
#include "pages/csrf.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/refusal_text.h"
#include "text/ascii.h"
#include "text/form.h"

namespace svc::pages {
namespace {

constexpr std::string_view kLoginPath = base::paths::kLogin.pattern;
// Where a login leads that began without a destination.
constexpr std::string_view kStart = base::paths::kSettings.pattern;
constexpr std::string_view kLoginPurpose = "login";

bool is_email_of(std::string_view email, const media::Contact& contact) {
  return text::equal_ignoring_case(media::canonical_email(email),
                                   media::canonical_email(contact.email));
}

}  // namespace

LoginPage::LoginPage(const embed::Site& site, login::Visitors& visitors,
                     login::PasswordLogin& password_login, media::People& people,
                     const base::KeyRing& keys, base::Entropy& entropy)
    : site_(site),
      visitors_(visitors),
      password_login_(password_login),
      people_(people),
      keys_(keys),
      entropy_(entropy) {}

loop::Task<http::Response> LoginPage::answer(const http::Request& request) {
  const login::Visitor visitor = co_await visitors_.of(request);
  if (request.method == "POST") co_return co_await log_in(request, visitor);
  co_return co_await status(request, visitor);
}

http::Response LoginPage::ask(const http::Request& request, const login::Visitor& visitor,
                              const login::ReturnPath& to, std::string_view problem) {
  const bool ours = login::is_path_of_ours(to.path);
  Shown shown;
  shown.problem = problem;
  return form(request, visitor, ours ? to : login::ReturnPath{std::string(kStart), ""}, shown);
}

loop::Task<http::Response> LoginPage::status(const http::Request& request,
                                             const login::Visitor& visitor) {
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  if (contact) co_return see_other(std::string(kStart), visitor);
  co_return form(request, visitor, {std::string(kStart), ""}, {});
}

http::Response LoginPage::form(const http::Request& request, const login::Visitor& visitor,
                               const login::ReturnPath& to, const Shown& shown) {
  const std::string_view title = shown.status == 200   ? "Log in"
                                 : shown.known.empty() ? "Not logged in"
                                                       : "Logged in already";
  PageFrame page(site_, PageFrame::Shape::Narrow, title, "login.tpl");
  Values& body =
      page.unlisted().answers(request, to.path).with_script("/assets/show-password.js").body();
  body.set("TOKEN", login::form_token(keys_, visitor, kLoginPurpose)).set("EMAIL", shown.email);
  if (!to.application.empty()) body.show("SENT").set("APPLICATION", to.application);
  if (site_.help_url.empty()) {
    body.show("ASK_OPERATOR");
  } else {
    body.show_with("HELP").set("URL", site_.help_url);
  }
  if (request.path != kLoginPath || to.path != kStart)
    body.show("HAS_RETURN").set("RETURN", login::seal(to, keys_, entropy_, visitor));
  const bool missing = shown.no_email || shown.no_password;
  if (!shown.problem.empty()) {
    Values problem = body.show_with("HAS_PROBLEM");
    problem.show_with(missing ? "MISSING" : "REFUSED")
        .set("PROBLEM", shown.problem)
        .set("FIELD", shown.no_email ? "email" : "password");
  }
  if (!shown.known.empty()) body.show_with("KNOWN").set("EMAIL", shown.known).set("PATH", to.path);
  if (shown.wrong) body.show("WRONG");
  if (shown.no_email) body.show("NO_EMAIL");
  if (shown.no_password) body.show("NO_PASSWORD");
  if (!missing) body.show(shown.email.empty() ? "FOCUS_EMAIL" : "FOCUS_PASSWORD");
  return page_response(shown.status, page.html(), visitor, to.redirect_origin);
}

loop::Task<http::Response> LoginPage::log_in(const http::Request& request,
                                             const login::Visitor& visitor) {
  const text::Form fields = text::Form::parse(request.body);
  const bool stale = is_forged(request, fields, visitor, kLoginPurpose, site_, keys_);
  login::ReturnPath to{std::string(kStart), ""};
  bool refused = stale && !is_allowed_origin(request.origin, site_.app_url);
  if (const auto sealed = fields.find("return"); sealed && !sealed->empty()) {
    auto opened = stale ? login::open_return_path_of_any(*sealed, keys_)
                        : login::open_return_path(*sealed, keys_, visitor);
    refused |= !opened;
    if (opened) to = std::move(*opened);
  }
  if (refused) co_return forged_form_page(request, visitor, site_, kLoginPath);
  const std::string_view email = text::trimmed(fields.find("email").value_or(""));
  if (stale) {
    loop::Task<http::Response> taking = take_stale(request, visitor, std::move(to), email);
    co_return co_await taking;
  }
  const std::string_view password = fields.find("password").value_or("");
  Shown shown;
  shown.email = email.substr(0, media::kMaxEmailBytes);
  shown.no_email = email.empty();
  shown.no_password = password.empty();
  if (shown.no_email || shown.no_password) {
    shown.status = 422;
    shown.problem = shown.no_email && shown.no_password
                        ? "Enter your email address and your password."
                    : shown.no_email ? "Enter your email address."
                                     : "Enter your password.";
    co_return form(request, visitor, to, shown);
  }
  const login::Caller caller{request.remote_address, request.peer};
  const base::Result<media::Contact, login::LoginRefusal> contact =
      co_await password_login_.check(email, password, caller);
  if (contact) {
    login::Visitor known = visitor;
    known.set_cookie = co_await visitors_.log_in(visitor, *contact, request);
    co_return see_other(to.path, known);
  }
  shown.wrong = contact.error().why == login::LoginRefusal::Why::Wrong;
  shown.problem = refusal_text(contact.error(), "The email address or the password is incorrect.");
  if (shown.wrong) {
    shown.status = 403;
    co_return form(request, visitor, to, shown);
  }
  shown.status = 429;
  http::Response response = form(request, visitor, to, shown);
  response.with("Retry-After", std::to_string(contact.error().retry_after));
  co_return response;
}

// The password is not looked at: the form may come from elsewhere.
loop::Task<http::Response> LoginPage::take_stale(const http::Request& request,
                                                 const login::Visitor& visitor,
                                                 login::ReturnPath to, std::string_view email) {
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  if (contact && (email.empty() || is_email_of(email, *contact)))
    co_return see_other(std::move(to.path), visitor);
  Shown shown;
  shown.status = 403;
  shown.email = email.substr(0, media::kMaxEmailBytes);
  if (contact) {
    shown.problem = "You are logged in as " + contact->email +
                    " already. To log in with another email address, enter its password again.";
    shown.known = contact->email;
  } else {
    shown.problem =
        "This page was too old, so you are not logged in. Enter your password again. If that does "
        "not help, allow cookies for this site in your browser.";
  }
  co_return form(request, visitor, to, shown);
}

LogoutPage::LogoutPage(const embed::Site& site, login::Visitors& visitors,
                       const base::KeyRing& keys)
    : site_(site), visitors_(visitors), keys_(keys) {}

loop::Task<http::Response> LogoutPage::answer(const http::Request& request) {
  const login::Visitor visitor = co_await visitors_.of(request);
  const text::Form fields = text::Form::parse(request.body);
  const std::string_view sealed = fields.find("return").value_or("");
  if (is_forged(request, fields, visitor, kLogoutPurpose, site_, keys_)) {
    // The user has logged out in another tab. No cookie: if another site sent
    // the form, it would replace that of a session.
    if (!visitor.session && is_allowed_origin(request.origin, site_.app_url)) {
      auto to = login::open_return_path_of_any(sealed, keys_);
      co_return see_other(to ? std::move(to->path) : std::string(kLoginPath), {});
    }
    co_return forged_form_page(request, visitor, site_, kLoginPath);
  }
  const auto to = login::open_return_path(sealed, keys_, visitor);
  login::Visitor nobody = visitor;
  nobody.set_cookie = co_await visitors_.log_out(visitor);
  co_return see_other(to ? to->path : std::string(kLoginPath), nobody);
}

}  // namespace svc::pages
