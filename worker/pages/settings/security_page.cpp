// SecurityPage: Settings → Sessions and password. oauth-L2, oauth-L3.
//
//   /settings/security             the page
//   /settings/security/password    changes it, ends all other sessions
//   /settings/security/session     ends one session
//   /settings/security/others      ends all other sessions
#include <algorithm>

#include "base/settings_paths.h"
#include "login/browser.h"
#include "login/new_password.h"
#include "pages/settings/settings.h"

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

class SecurityPage : public OwnPages {
  using OwnPages::OwnPages;

  loop::Task<http::Response> page(const SettingsContext& context) override {
    const bool is_sent = context.sent != nullptr;
    const bool is_page = context.request.path == base::paths::kSecurity.pattern;
    const std::string_view name = form_in(context.request.path);
    if (is_sent ? name == kFresh : is_page)
      return form(context, &SecurityPage::show, &SecurityPage::change_password);
    if (is_sent && name == kSession) return end_session(context);
    if (is_sent && name == kOthers) return end_others(context);
    // A login between form and submission redirects here with GET.
    if (!is_sent && (name == kFresh || name == kSession || name == kOthers))
      return at_once(go_to(context, std::string(base::paths::kSecurity.pattern)));
    if (!is_sent) return at_once(nothing_here(context, "page"));
    return at_once(only_by_form(context));
  }

  loop::Task<http::Response> show(const SettingsContext& context, const Entered& entered) {
    SettingsPage page(parts_, context, entered, "Sessions and password", "security.tpl",
                      "Not changed");
    Values& body = page.body();
    body.set("EMAIL", context.contact.email);
    page.set_form(body, base::paths::kPassword.pattern);

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
    co_return page.answer();
  }

  loop::Task<Applied> change_password(const SettingsContext& context, Entered& entered) {
    // As typed: spaces at the ends are part of a password.
    const std::string_view present = context.sent->find("present").value_or("");
    const std::string_view fresh = context.sent->find("fresh").value_or("");
    const std::string_view again = context.sent->find("again").value_or("");
    if (present.empty()) entered.refuse("present", "Enter your current password.");
    std::string problem = problem_of(fresh, context.contact);
    if (problem.empty() && fresh == present)
      problem = "The new password must not be the current one.";
    if (!problem.empty()) entered.refuse("fresh", problem);
    if (problem.empty() && again != fresh)
      entered.refuse("again", "The two new passwords differ. Enter the same one twice.");
    if (entered.has_problems()) co_return entered.refused();
    const login::Caller caller{context.request.remote_address, context.request.peer};
    const login::LoginResult changed =
        co_await parts_.password_login.change(context.contact, present, fresh, caller);
    if (!changed) {
      refuse_password(entered, "present", changed.error());
      co_return entered.refused();
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

  loop::Task<http::Response> end_session(const SettingsContext& context) {
    const std::string_view id = context.sent->find("session").value_or("");
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

  loop::Task<http::Response> end_others(const SettingsContext& context) {
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
};

}  // namespace

OwnedPage security_page(const SettingsParts& parts) {
  return std::make_unique<SecurityPage>(parts);
}

}  // namespace svc::pages
