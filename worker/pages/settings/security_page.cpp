#include "pages/settings/security_page.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/paths.h"
#include "login/browser.h"
#include "login/new_password.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/refusal_text.h"

namespace svc::pages {
namespace {

// The forms, by the end of their paths.
constexpr std::string_view kFormsFolder = base::paths::kSecurityForms.before();
constexpr std::string_view kFresh = base::paths::kPassword.pattern.substr(kFormsFolder.size());
constexpr std::string_view kSession = "session";
constexpr std::string_view kOthers = "others";
std::string_view form_in(std::string_view path) {
  return path.starts_with(kFormsFolder) ? path.substr(kFormsFolder.size()) : std::string_view();
}

std::string problem_of(std::string_view password, const media::Contact& contact) {
  if (password.empty()) return "Enter a new password.";
  const std::string why = login::why_not_password(password, contact.email);
  return why.empty() ? "" : "The new password " + why + ".";
}

}  // namespace

loop::Task<http::Response> SecurityPage::show(const SettingsContext& context) {
  const Problems none;
  if (context.request.path == base::paths::kSecurity.pattern)
    co_return co_await page(context, 200, none);
  for (const std::string_view form : {kFresh, kSession, kOthers}) {
    // A login between form and submission redirects here with GET.
    if (form_in(context.request.path) == form)
      co_return see_other(std::string(base::paths::kSecurity.pattern), context.visitor);
  }
  co_return nothing_here(context, "page");
}

loop::Task<http::Response> SecurityPage::take(const SettingsContext& context,
                                              const text::Form& form) {
  const std::string_view sent = form_in(context.request.path);
  if (sent == kFresh) co_return co_await change_password(context, form);
  if (sent == kSession) co_return co_await end_session(context, form);
  if (sent == kOthers) co_return co_await end_others(context);
  co_return only_by_form(context);
}

loop::Task<http::Response> SecurityPage::page(const SettingsContext& context, int status,
                                              const Problems& problems) {
  SettingsPage page(parts_, context, status == 200 ? "Sessions and password" : "Not changed",
                    "security.tpl");
  page.show_done();
  Values& body = page.body();
  body.set("EMAIL", context.contact.email);
  page.set_form(body, base::paths::kPassword.pattern);
  const auto show_problem = [&](std::string_view field, std::string_view id,
                                const std::string& problem) {
    if (problem.empty()) return;
    body.show_with(std::string(field) + "_PROBLEM").set("PROBLEM", problem);
    body.show(std::string(field) + "_WRONG");
    body.show_with("SUMMARY").set("PROBLEM", problem).set("FIELD", id);
  };
  if (status != 200) body.show("HAS_PROBLEMS");
  show_problem("PRESENT", "present", problems.present);
  show_problem("FRESH", "fresh", problems.fresh);
  show_problem("AGAIN", "again", problems.again);

  std::vector<login::Session> sessions = co_await parts_.sessions.of(context.contact.id);
  std::stable_partition(sessions.begin(), sessions.end(), [&](const login::Session& session) {
    return session.id == context.visitor.session->id;
  });
  for (const login::Session& session : sessions) {
    const std::string browser = session.browser.empty() ? login::browser_of("") : session.browser;
    Values one = body.show_with("SESSION");
    one.set("ADDRESS", session.address).set("BROWSER", browser);
    set_time(one, "SINCE", session.created, context.now);
    set_time(one, "SEEN", session.last_seen, context.now);
    if (session.id == context.visitor.session->id) {
      one.show("THIS");
    } else {
      Values other = one.show_with("OTHER");
      page.set_form(other, base::paths::kSecurityForms.with(kSession));
      other.set("ID", session.id).set("ADDRESS", session.address).set("BROWSER", browser);
    }
  }
  if (sessions.size() > 1) {
    Values others = body.show_with("OTHERS");
    page.set_form(others, base::paths::kSecurityForms.with(kOthers));
  } else {
    body.show("ALONE");
  }
  co_return page.answer(status);
}

loop::Task<http::Response> SecurityPage::change_password(const SettingsContext& context,
                                                         const text::Form& form) {
  const std::string_view present = form.find("present").value_or("");
  const std::string_view fresh = form.find("fresh").value_or("");
  const std::string_view again = form.find("again").value_or("");
  Problems problems;
  if (present.empty()) problems.present = "Enter your current password.";
  problems.fresh = problem_of(fresh, context.contact);
  if (problems.fresh.empty() && fresh == present)
    problems.fresh = "The new password must not be the current one.";
  if (problems.fresh.empty() && again != fresh)
    problems.again = "The two new passwords differ. Enter the same one twice.";
  if (!problems.present.empty() || !problems.fresh.empty() || !problems.again.empty())
    co_return co_await page(context, 422, problems);
  const login::Caller caller{context.request.remote_address, context.request.peer};
  const login::LoginResult changed =
      co_await parts_.password_login.change(context.contact, present, fresh, caller);
  if (!changed) {
    const login::LoginRefusal& refusal = changed.error();
    const bool wrong = refusal.why == login::LoginRefusal::Why::Wrong;
    problems.present = refusal_text(refusal, kWrongPassword);
    http::Response response = co_await page(context, wrong ? 403 : 429, problems);
    if (!wrong) response.with("Retry-After", std::to_string(refusal.retry_after));
    co_return response;
  }
  // Sessions of the old password are invalid already, by password_tag(); delete
  // them too. The user gets a new session, whose secret is known to no other
  // client.
  co_await parts_.sessions.end_others(*context.visitor.session);
  SettingsContext renewed = context;
  renewed.visitor.set_cookie =
      co_await parts_.visitors.log_in(context.visitor, *changed, context.request);
  co_return done(renewed, std::string(base::paths::kSecurity.pattern), "password");
}

loop::Task<http::Response> SecurityPage::end_session(const SettingsContext& context,
                                                     const text::Form& form) {
  const std::string_view id = form.find("session").value_or("");
  const std::vector<login::Session> sessions = co_await parts_.sessions.of(context.contact.id);
  for (const login::Session& session : sessions) {
    if (session.id != id || session.id == context.visitor.session->id) continue;
    const std::string detail = "of " + session.address;
    const oauth::AuditEvent event{oauth::event_named<"session.ended">(),
                                  context.contact.id,
                                  std::nullopt,
                                  "",
                                  context.request.remote_address,
                                  detail};
    co_await parts_.audit.record(event);
    co_await parts_.sessions.end(session);
  }
  // Also if the session had ended already.
  co_return done(context, std::string(base::paths::kSecurity.pattern), "ended");
}

loop::Task<http::Response> SecurityPage::end_others(const SettingsContext& context) {
  // Record an event only if a session ends: the form may be sent repeatedly.
  const std::vector<login::Session> sessions = co_await parts_.sessions.of(context.contact.id);
  if (sessions.size() > 1) {
    const oauth::AuditEvent event{
        oauth::event_named<"session.ended">(), context.contact.id, std::nullopt, "",
        context.request.remote_address,        "all others"};
    co_await parts_.audit.record(event);
    co_await parts_.sessions.end_others(*context.visitor.session);
  }
  co_return done(context, std::string(base::paths::kSecurity.pattern), "ended");
}

}  // namespace svc::pages
