#include "pages/login_page.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/public_paths.h"
#include "base/settings_paths.h"
#include "media/email.h"
#include "pages/csrf.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/refusal_text.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/words.h"

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

// The languages that an application asked for are in the query of its request.
std::string_view query_of(const login::ReturnPath& to) {
  const std::size_t mark = to.path.find('?');
  return mark == std::string::npos ? "" : std::string_view(to.path).substr(mark + 1);
}

}  // namespace

LoginPage::LoginPage(const embed::Site& site, login::Visitors& visitors,
                     login::PasswordLogin& password_login, login::SecondFactor& second_factor,
                     login::Passkeys& passkeys, media::People& people, const base::KeyRing& keys,
                     base::Entropy& entropy, const Languages& languages)
    : site_(site),
      visitors_(visitors),
      password_login_(password_login),
      second_factor_(second_factor),
      passkeys_(passkeys),
      people_(people),
      keys_(keys),
      entropy_(entropy),
      languages_(languages) {}

loop::Task<http::Response> LoginPage::answer(const http::Request& request) {
  const login::Visitor visitor = co_await visitors_.of(request);
  if (request.method == "POST") co_return co_await log_in(request, visitor);
  co_return co_await status(request, visitor);
}

http::Response LoginPage::ask(const http::Request& request, const login::Visitor& visitor,
                              const login::ReturnPath& to, std::string_view problem) {
  const login::ReturnPath next =
      login::is_path_of_ours(to.path) ? to : login::ReturnPath{std::string(kStart), ""};
  Shown shown;
  if (!problem.empty()) shown.problem = language_of(request, next).translate(problem);
  return form(request, visitor, next, shown);
}

// The language of a form that continues at `to`.
const Language& LoginPage::language_of(const http::Request& request,
                                       const login::ReturnPath& to) const {
  const std::string_view query = query_of(to);
  return languages_.choose(request, query.empty() ? request.query : query);
}

loop::Task<http::Response> LoginPage::status(const http::Request& request,
                                             const login::Visitor& visitor) {
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  if (contact) co_return see_other(std::string(kStart), visitor);
  co_return form(request, visitor, {std::string(kStart), ""}, {});
}

http::Response LoginPage::form(const http::Request& request, const login::Visitor& visitor,
                               const login::ReturnPath& to, const Shown& shown) {
  using text::translatable;
  const Language& language = language_of(request, to);
  const std::string_view title = shown.status == 200   ? translatable("Log in")
                                 : shown.known.empty() ? translatable("Not logged in")
                                                       : translatable("Logged in already");
  PageFrame page(site_, PageFrame::Shape::Narrow, language.translate(title), "login.tpl", language);
  Values& body =
      page.unlisted().answers(request, to.path).with_script("/assets/show-password.js").body();
  body.set("TOKEN", login::form_token(keys_, visitor, kLoginPurpose)).set("EMAIL", shown.email);
  body.set("SHOW", language.translate("Show"))
      .set("HIDE", language.translate("Hide"))
      .set("SHOW_PASSWORD", language.translate("Show password"))
      .set("HIDE_PASSWORD", language.translate("Hide password"));
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
  return page.respond(shown.status, visitor, to.redirect_origin);
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
  const Language& language = language_of(request, to);
  if (refused) co_return forged_form_page(request, visitor, site_, kLoginPath, language);
  const std::string_view email = text::trimmed(fields.find("email").value_or(""));
  if (stale) {
    co_return co_await take_stale(request, visitor, std::move(to), email);
  }
  if (fields.find("step")) {
    co_return co_await take_step(request, visitor, std::move(to), fields);
  }
  const std::string_view password = fields.find("password").value_or("");
  Shown shown;
  shown.email = email.substr(0, media::kMaxEmailBytes);
  shown.no_email = email.empty();
  shown.no_password = password.empty();
  if (shown.no_email || shown.no_password) {
    shown.status = 422;
    shown.problem = shown.no_email && shown.no_password
                        ? language.translate("Enter your email address and your password.")
                    : shown.no_email ? language.translate("Enter your email address.")
                                     : language.translate("Enter your password.");
    co_return form(request, visitor, to, shown);
  }
  const login::Caller caller{request.remote_address, request.peer};
  const login::LoginResult contact = co_await password_login_.check(email, password, caller);
  if (contact) {
    if (contact->has_factor) {
      const std::string step = second_factor_.seal_step(visitor, *contact);
      const std::string no_problem;
      co_return co_await code_form(request, visitor, to, *contact, step, 200, no_problem);
    }
    login::Visitor known = visitor;
    known.set_cookie = co_await visitors_.log_in(visitor, *contact, request);
    // Setting up a factor stores it, then ends the other sessions. A session that began in between
    // is found there, or its factor here.
    const auto added = co_await second_factor_.of(contact->id);
    if (!added) co_return see_other(to.path, known, window_for(to.redirect_origin));
    co_await visitors_.take_back(known.set_cookie);
    shown.status = 403;
    shown.problem = language.translate("This page was too old. Enter your password again.");
    co_return form(request, visitor, to, shown);
  }
  shown.wrong = contact.error().why == login::LoginRefusal::Why::Wrong;
  shown.problem =
      refusal_text(contact.error(),
                   text::translatable("The email address or the password is incorrect."), language);
  if (shown.wrong) {
    shown.status = 403;
    co_return form(request, visitor, to, shown);
  }
  shown.status = 429;
  http::Response response = form(request, visitor, to, shown);
  response.with("Retry-After", std::to_string(contact.error().retry_after));
  co_return response;
}

loop::Task<http::Response> LoginPage::code_form(
    const http::Request& request, const login::Visitor& visitor, const login::ReturnPath& to,
    const media::Contact& contact, std::string_view step, int status, const std::string& problem) {
  const Language& language = language_of(request, to);
  std::vector<login::Passkey> passkeys;
  if (passkeys_.is_possible()) passkeys = co_await passkeys_.of(contact.id);
  const std::string_view title =
      status == 200 ? text::translatable("Enter your code") : text::translatable("Not logged in");
  PageFrame page(site_, PageFrame::Shape::Narrow, language.translate(title), "login_code.tpl",
                 language);
  Values& body = page.unlisted().answers(request, to.path).body();
  body.set("TOKEN", login::form_token(keys_, visitor, kLoginPurpose)).set("STEP", step);
  if (!to.application.empty()) body.show("SENT").set("APPLICATION", to.application);
  if (site_.help_url.empty()) {
    body.show("ASK_OPERATOR");
  } else {
    body.show_with("HELP").set("URL", site_.help_url);
  }
  const std::string next = login::seal(to, keys_, entropy_, visitor);
  body.show_with("HAS_RETURN").set("RETURN", next);
  if (!passkeys.empty()) {
    page.with_script("/assets/passkey.js");
    body.show_with("PASSKEY")
        .set("OPTIONS", passkeys_.request_options(visitor, contact, passkeys))
        .set("RETURN", next);
  }
  if (!problem.empty()) {
    body.show_with("HAS_PROBLEM").set("PROBLEM", problem);
    body.show("WRONG");
  }
  co_return page.respond(status, visitor, to.redirect_origin);
}

loop::Task<http::Response> LoginPage::take_step(const http::Request& request,
                                                const login::Visitor& visitor, login::ReturnPath to,
                                                const text::Form& fields) {
  const Language& language = language_of(request, to);
  const std::string_view step = fields.find("step").value_or("");
  const std::string_view code = text::trimmed(fields.find("code").value_or(""));
  const std::string_view credential = fields.find("credential").value_or("");
  std::optional<media::Contact> contact;
  const auto opened = second_factor_.open_step(visitor, step);
  if (opened) contact = co_await people_.find_contact(opened->contact);
  // As login::contact_of() decides about a session.
  if (!contact || contact->disabled || login::password_tag(*contact) != opened->password) {
    Shown shown;
    shown.status = 403;
    shown.problem = language.translate("This page was too old. Enter your password again.");
    co_return form(request, visitor, to, shown);
  }
  std::string problem;
  std::optional<login::FactorRefusal> refusal;
  if (!credential.empty()) {
    const bool is_right =
        co_await passkeys_.check(visitor, *contact, credential, request.remote_address);
    if (!is_right) {
      problem = language.translate("This passkey was not accepted. Try again, or enter a code.");
      co_return co_await code_form(request, visitor, to, *contact, step, 403, problem);
    }
  } else if (code.empty()) {
    problem = language.translate("Enter a code.");
    co_return co_await code_form(request, visitor, to, *contact, step, 422, problem);
  } else {
    refusal = co_await second_factor_.check(contact->id, code, request.remote_address);
  }
  if (!refusal) {
    login::Visitor known = visitor;
    known.set_cookie = co_await visitors_.log_in(visitor, *contact, request);
    co_return see_other(std::move(to.path), known, window_for(to.redirect_origin));
  }
  if (refusal->why == login::FactorRefusal::Why::Wrong) {
    problem = language.translate("This code is wrong, or was used before.");
    co_return co_await code_form(request, visitor, to, *contact, step, 403, problem);
  }
  problem = language.translate("Too many wrong codes. Wait a minute, then try again.");
  http::Response response = co_await code_form(request, visitor, to, *contact, step, 429, problem);
  response.with("Retry-After", std::to_string(refusal->retry_after));
  co_return response;
}

// The password is not looked at: the form may come from elsewhere.
loop::Task<http::Response> LoginPage::take_stale(const http::Request& request,
                                                 const login::Visitor& visitor,
                                                 login::ReturnPath to, std::string_view email) {
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  if (contact && (email.empty() || is_email_of(email, *contact)))
    co_return see_other(std::move(to.path), visitor, window_for(to.redirect_origin));
  const Language& language = language_of(request, to);
  Shown shown;
  shown.status = 403;
  shown.email = email.substr(0, media::kMaxEmailBytes);
  if (contact) {
    shown.problem = language.translate(
        "You are logged in as {email} already. To log in with another email address, enter its "
        "password again.",
        {{"email", contact->email}});
    shown.known = contact->email;
  } else {
    shown.problem = language.translate(
        "This page was too old, so you are not logged in. Enter your password again. If that does "
        "not help, allow cookies for this site in your browser.");
  }
  co_return form(request, visitor, to, shown);
}

LogoutPage::LogoutPage(const embed::Site& site, login::Visitors& visitors,
                       const base::KeyRing& keys, const Languages& languages)
    : site_(site), visitors_(visitors), keys_(keys), languages_(languages) {}

loop::Task<http::Response> LogoutPage::answer(const http::Request& request) {
  const login::Visitor visitor = co_await visitors_.of(request);
  const text::Form fields = text::Form::parse(request.body);
  const std::string_view sealed = fields.find("return").value_or("");
  if (is_forged(request, fields, visitor, kLogoutPurpose, site_, keys_)) {
    // The user has logged out in another tab. No cookie: if another site sent
    // the form, it would replace that of a session.
    if (!visitor.session && is_allowed_origin(request.origin, site_.app_url)) {
      auto to = login::open_return_path_of_any(sealed, keys_);
      co_return see_other(to ? to->path : std::string(kLoginPath), {},
                          window_for(to ? to->redirect_origin : ""));
    }
    co_return forged_form_page(request, visitor, site_, kLoginPath, languages_.choose(request));
  }
  const auto to = login::open_return_path(sealed, keys_, visitor);
  login::Visitor nobody = visitor;
  nobody.set_cookie = co_await visitors_.log_out(visitor);
  co_return see_other(to ? to->path : std::string(kLoginPath), nobody,
                      window_for(to ? to->redirect_origin : ""));
}

}  // namespace svc::pages
