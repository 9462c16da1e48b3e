#include "pages/login_page.h"

#include "text/form.h"

namespace svc::pages {
namespace {

constexpr std::string_view kLoginPath = "/login";
constexpr std::string_view kLoginPurpose = "login";
constexpr std::size_t kMaxEmailBytes = 254;

// People paste it with a space behind it.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// 5 seconds, 1 minute, 15 minutes: rounded up.
std::string in_words(std::int64_t seconds) {
  const auto counted = [](std::int64_t number, std::string_view unit) {
    return std::to_string(number) + " " + std::string(unit) + (number == 1 ? "" : "s");
  };
  return seconds <= 90 ? counted(seconds, "second") : counted((seconds + 59) / 60, "minute");
}

http::Response not_for(const http::Request& request, const login::Visitor& visitor,
                       std::string_view allowed, std::string_view product) {
  Problem problem;
  problem.status = 405;
  problem.title = "There is no page here";
  problem.text = "This address only takes what a form of ours sends to it.";
  problem.next = "Go back to the previous page, and use its button.";
  problem.link = "/login";
  problem.link_name = "Log in";
  problem.product = product;
  http::Response response = problem_page(problem, request, visitor);
  response.with("Allow", std::string(allowed));
  return response;
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
  if (!request.is_get_or_head())
    co_return not_for(request, visitor, "GET, HEAD, POST", site_.provider_name);
  co_return co_await status(request, visitor);
}

http::Response LoginPage::unavailable(const http::Request& request) const {
  return unavailable_page(request, site_.provider_name);
}

http::Response LoginPage::ask(const http::Request&, const login::Visitor& visitor,
                              const login::ReturnPath& to) {
  const bool ours = login::is_path_of_ours(to.path);
  return form(visitor, ours ? to : login::ReturnPath{std::string(kLoginPath), ""}, {});
}

// Who comes without a destination: logged in or not, and the way to the other.
loop::Task<http::Response> LoginPage::status(const http::Request&, const login::Visitor& visitor) {
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  if (!contact) co_return form(visitor, {std::string(kLoginPath), ""}, {});
  FlowPage page("You are logged in", site_.provider_name, "logged_in.tpl");
  page.body()
      .set("NAME", contact->name)
      .set("EMAIL", contact->email)
      .set("TOKEN", login::form_token(keys_, visitor, kLogoutPurpose));
  co_return flow_response(200, page.html(), visitor);
}

http::Response LoginPage::form(const login::Visitor& visitor, const login::ReturnPath& to,
                               const Shown& shown) {
  FlowPage page(shown.status == 200 ? "Log in" : "Not logged in", site_.provider_name, "login.tpl");
  Values& body = page.with_script("/assets/flow.js").body();
  body.set("TOKEN", login::form_token(keys_, visitor, kLoginPurpose)).set("EMAIL", shown.email);
  if (!to.application.empty()) body.show("SENT").set("APPLICATION", to.application);
  if (to.path != kLoginPath)
    body.show("HAS_RETURN").set("RETURN", login::seal(to, keys_, entropy_, visitor));
  if (!shown.problem.empty()) body.show("HAS_PROBLEM").set("PROBLEM", shown.problem);
  if (shown.wrong) body.show("WRONG");
  if (shown.no_email) body.show("NO_EMAIL");
  if (shown.no_password) body.show("NO_PASSWORD");
  body.show(shown.email.empty() || shown.no_email ? "FOCUS_EMAIL" : "FOCUS_PASSWORD");
  return flow_response(shown.status, page.html(), visitor, to.redirect_origin);
}

loop::Task<http::Response> LoginPage::log_in(const http::Request& request,
                                             const login::Visitor& visitor) {
  const text::Form fields = text::Form::parse(request.body);
  if (!may_send_forms(request.origin, site_.app_url) ||
      !login::is_form_token(keys_, visitor, kLoginPurpose, fields.find("csrf").value_or(""))) {
    co_return forged_form_page(request, visitor, site_.provider_name);
  }
  login::ReturnPath to{std::string(kLoginPath), ""};
  if (const auto sealed = fields.find("return"); sealed && !sealed->empty()) {
    auto opened = login::open_return_path(*sealed, keys_, visitor);
    if (!opened) co_return forged_form_page(request, visitor, site_.provider_name);
    to = std::move(*opened);
  }
  const std::string_view email = trimmed(fields.find("email").value_or(""));
  const std::string_view password = fields.find("password").value_or("");
  Shown shown;
  shown.email = email.substr(0, kMaxEmailBytes);
  shown.no_email = email.empty();
  shown.no_password = password.empty();
  if (shown.no_email || shown.no_password) {
    shown.status = 422;
    shown.problem = shown.no_email && shown.no_password
                        ? "Enter your email address and your password."
                    : shown.no_email ? "Enter your email address."
                                     : "Enter your password.";
    co_return form(visitor, to, shown);
  }
  const login::Caller caller{request.remote_address, request.peer};
  const base::Result<media::Contact, login::LoginRefusal> contact =
      co_await password_login_.check(email, password, caller);
  if (contact) {
    login::Visitor known = visitor;
    known.set_cookie = co_await visitors_.log_in(visitor, *contact, request.remote_address);
    co_return see_other(to.path, known);
  }
  switch (contact.error().why) {
    case login::LoginRefusal::Why::Wrong:
      shown.status = 403;
      shown.wrong = true;
      shown.problem = "The email address or the password is incorrect.";
      co_return form(visitor, to, shown);
    case login::LoginRefusal::Why::HeldUp:
      shown.problem = "There were too many failed attempts. Try again in " +
                      in_words(contact.error().retry_after) + ".";
      break;
    case login::LoginRefusal::Why::Busy:
      shown.problem = "Many people are logging in just now. Try again in a moment.";
      break;
  }
  shown.status = 429;
  http::Response response = form(visitor, to, shown);
  response.with("Retry-After", std::to_string(contact.error().retry_after));
  co_return response;
}

LogoutPage::LogoutPage(const embed::Site& site, login::Visitors& visitors,
                       const base::KeyRing& keys)
    : site_(site), visitors_(visitors), keys_(keys) {}

loop::Task<http::Response> LogoutPage::answer(const http::Request& request) {
  const login::Visitor visitor = co_await visitors_.of(request);
  if (request.method != "POST") co_return not_for(request, visitor, "POST", site_.provider_name);
  const text::Form fields = text::Form::parse(request.body);
  if (!may_send_forms(request.origin, site_.app_url) ||
      !login::is_form_token(keys_, visitor, kLogoutPurpose, fields.find("csrf").value_or(""))) {
    co_return forged_form_page(request, visitor, site_.provider_name);
  }
  const auto to = login::open_return_path(fields.find("return").value_or(""), keys_, visitor);
  login::Visitor nobody = visitor;
  nobody.set_cookie = co_await visitors_.log_out(visitor);
  co_return see_other(to ? to->path : std::string(kLoginPath), nobody);
}

http::Response LogoutPage::unavailable(const http::Request& request) const {
  return unavailable_page(request, site_.provider_name);
}

http::Response forged_form_page(const http::Request& request, const login::Visitor& visitor,
                                std::string_view product) {
  Problem problem;
  problem.status = 403;
  problem.title = "This page is too old";
  problem.text =
      "What you sent did not come from a page that we gave to this browser, or from one that has "
      "become too old in the meantime. Nothing was changed.";
  problem.next =
      "Go back, load the page again, and try once more. If that does not help, allow this site "
      "to keep cookies in your browser.";
  problem.product = product;
  return problem_page(problem, request, visitor);
}

http::Response unavailable_page(const http::Request& request, std::string_view product) {
  Problem problem;
  problem.status = 503;
  problem.title = "Not available just now";
  problem.text = "This is our doing, not yours. Nothing was changed.";
  problem.next = "Please try again in a moment.";
  problem.product = product;
  http::Response response = problem_page(problem, request, {});
  response.with("Retry-After", "1");
  return response;
}

}  // namespace svc::pages
