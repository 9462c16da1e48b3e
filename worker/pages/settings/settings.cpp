#include "pages/settings/settings.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/settings_paths.h"
#include "endpoints/body_fields.h"
#include "http/refusal.h"
#include "http/turn.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/refusal_text.h"
#include "text/ascii.h"
#include "text/csp_source.h"
#include "text/multipart.h"

namespace svc::pages {
namespace {

constexpr std::size_t kDoneDigits = 16;

// Bound to the contact, not to the session: changing the password begins a new
// session.
std::string done_mark(const SettingsParts& parts, const SettingsContext& context,
                      std::string_view word) {
  return parts.keys
      .mac("settings done", std::to_string(context.contact.id.value()) + " " + std::string(word))
      .substr(0, kDoneDigits);
}

// The fields of a form, with or without a file. If the body cannot be read, the token is missing.
text::Form form_in(const http::Request& request) {
  if (!text::multipart_boundary(request.content_type)) return text::Form::parse(request.body);
  const auto body = endpoints::BodyFields::read(request, request.body.size());
  return body ? text::Form(body->fields()) : text::Form();
}

}  // namespace

std::string form_purpose(std::string_view path) { return "settings " + std::string(path); }

SettingsPage::SettingsPage(const SettingsParts& parts, const SettingsContext& context,
                           std::string_view title, std::string_view body_template)
    : parts_(parts),
      turn_(context),
      frame_(parts.site, PageFrame::Shape::Settings, title, body_template),
      body_(frame_.body()) {
  const std::string_view path = context.request.path;
  frame_.unlisted()
      .with_script("/assets/show-password.js")
      .with_script("/assets/copy.js")
      .with_script("/assets/send-once.js")
      .answers(context.request, path)
      .for_user(spot_of(context.request), context.request,
                {clipped(context.contact.name, kMaxShownName), context.contact.email,
                 login::form_token(parts.keys, context.visitor, kLogoutPurpose)});
}

SettingsPage::SettingsPage(const SettingsParts& parts, const SettingsContext& context,
                           const Entered& entered, std::string_view title,
                           std::string_view body_template, std::string_view refused_title)
    : SettingsPage(parts, context,
                   entered.status() == 200 || refused_title.empty() ? entered.title(title)
                                                                    : std::string(refused_title),
                   body_template) {
  status_ = entered.status();
  retry_after_ = entered.retry_after();
  set_form(body_, context.request.path);
  show_done();
  show_problems(body_, entered);
}

void SettingsPage::set_form(Values& values, std::string_view path) const {
  values.set("ACTION", path)
      .set("TOKEN", login::form_token(parts_.keys, turn_.visitor, form_purpose(path)));
}

std::string SettingsPage::show_done() {
  const text::Form query = text::Form::parse(turn_.request.query);
  const std::string_view said = query.find("done").value_or("");
  const std::size_t dash = said.find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view word = said.substr(0, dash);
  if (said.substr(dash + 1) != done_mark(parts_, turn_, word)) return {};
  std::string section = "DONE_";
  for (const char c : word) section += text::to_upper(c);
  body_.show(section);
  return std::string(word);
}

SettingsPage& SettingsPage::with_script(std::string_view path, Requests requests) {
  frame_.with_script(path);
  requests_ = requests;
  return *this;
}

SettingsPage& SettingsPage::with_pictures() {
  foreign_.pictures = text::csp_source(parts_.site.embed_host);
  const std::string files = text::csp_source(parts_.site.asset_base);
  if (files != foreign_.pictures) foreign_.pictures += " " + files;
  return *this;
}

SettingsPage& SettingsPage::with_players() {
  foreign_.frames = text::csp_source(parts_.site.embed_host);
  return *this;
}

SettingsPage& SettingsPage::refresh_after(int seconds) {
  frame_.refresh_after(seconds);
  return *this;
}

http::Response SettingsPage::answer(int status) const {
  http::Response response =
      page_response(status, frame_.html(), turn_.visitor, "", requests_, foreign_);
  if (retry_after_ > 0) response.with("Retry-After", std::to_string(retry_after_));
  return response;
}

loop::Task<http::Response> Settings::answer(const http::Request& request) {
  const login::Visitor visitor = co_await parts_.visitors.of(request);
  const auto contact = co_await login::contact_of(visitor, parts_.people);
  if (!contact) {
    const std::string_view problem = request.method == "POST" ? kNotSaved : "";
    co_return parts_.login.ask(request, visitor, {std::string(request.path), "", ""}, problem);
  }
  SettingsContext context{request, visitor, *contact, parts_.clock.now()};
  if (request.is_get_or_head()) co_return co_await respond(context);
  const text::Form form = form_in(request);
  const std::string purpose = form_purpose(request.path);
  if (is_forged(request, form, visitor, purpose, parts_.site, parts_.keys))
    co_return forged_form_page(request, visitor, parts_.site, request.path);
  const std::optional<std::int64_t> wait = co_await parts_.form_limit.wait(contact->id);
  if (wait) co_return too_many_forms(context, *wait);
  context.sent = &form;
  co_return co_await respond(context);
}

loop::Task<base::Result<SettingsContext, Refused>> OwnPages::find(const SettingsContext& context) {
  co_return context;
}

loop::Task<base::Result<InAccount, Refused>> Settings::account_of(const SettingsContext& context) {
  const std::string_view number = context.request.part("account");
  const media::AccountId id{base::parse_number<std::int64_t>(number).value_or(0)};
  const auto& memberships = context.contact.memberships;
  const auto membership = std::ranges::find(memberships, id, &media::Membership::account);
  if (std::to_string(id.value()) != number || membership == memberships.end())
    co_return instead(nothing_here(context, "page"), "no such account");
  const std::vector<media::AccountId> one{id};
  const auto closed = co_await parts_.second_factor.closed_to(context.contact.id, one);
  if (!closed.empty()) {
    SettingsPage page(parts_, context, "Second factor needed", "second_factor_needed.tpl");
    co_return instead(page.answer(403), std::string(kLacksFactor));
  }
  // Never refused: the typed values would be lost.
  co_await http::have_turn(context.request, id.value(), loop::Shares::Use::May::Wait, parts_.loop);
  std::optional<media::Account> account = co_await parts_.people.find_account(id);
  if (!account) co_return instead(nothing_here(context, "account"), "no such account");
  co_return InAccount{context, *std::move(account), membership->role, std::string(number)};
}

std::string Settings::proof_of(const SettingsContext& context, std::string_view id) const {
  const std::string purpose = form_purpose(context.request.path) + " " + std::string(id);
  return login::form_token(parts_.keys, context.visitor, purpose);
}

bool Settings::is_proven(const SettingsContext& context, std::string_view id) const {
  const std::string purpose = form_purpose(context.request.path) + " " + std::string(id);
  const std::string_view proof = context.sent->find("proof").value_or("");
  return login::is_form_token(parts_.keys, context.visitor, purpose, proof);
}

bool Settings::needs_password(const SettingsContext& context) {
  return context.now - context.visitor.session->password_given >= kPasswordLasts;
}

loop::Task<bool> Settings::check_password(const SettingsContext& context, Entered& entered) {
  constexpr std::string_view kField = "password";
  if (!needs_password(context)) co_return true;
  const std::string_view password = context.sent->find(kField).value_or("");
  if (password.empty()) {
    entered.refuse(kField, "Enter your password.");
    co_return false;
  }
  const login::Caller caller{context.request.remote_address, context.request.peer};
  const login::LoginResult known =
      co_await parts_.password_login.confirm(context.contact, password, caller);
  if (known) {
    co_await parts_.sessions.password_was_given(*context.visitor.session);
    co_return true;
  }
  refuse_password(entered, kField, known.error());
  co_return false;
}

void Settings::show_password(const SettingsContext& context, Values& form) {
  if (needs_password(context)) form.show_with("PASSWORD").set("EMAIL", context.contact.email);
}

void refuse_password(Entered& entered, std::string_view field, const login::LoginRefusal& refusal) {
  const bool wrong = refusal.why == login::LoginRefusal::Why::Wrong;
  entered.refuse(field, refusal_text(refusal, kWrongPassword), wrong ? 403 : 429);
  if (!wrong) entered.wait(refusal.retry_after);
}

http::Response Settings::done(const SettingsContext& context, std::string path,
                              std::string_view word) const {
  path += "?done=" + std::string(word) + "-" + done_mark(parts_, context, word);
  return see_other(std::move(path), context.visitor);
}

http::Response Settings::nothing_here(const SettingsContext& context, std::string_view what) const {
  return nothing_here(context, what, base::paths::kSettings.pattern, "Settings");
}

http::Response Settings::nothing_here(const SettingsContext& context, std::string_view what,
                                      std::string_view link, std::string_view link_name) const {
  Problem problem;
  problem.status = 404;
  problem.title = "Page not found";
  problem.text = "There is no " + std::string(what) +
                 " at this address, or you may not see it. It may have been deleted.";
  problem.link = link;
  problem.link_name = link_name;
  problem.again = context.request.path;
  return problem_page(problem, parts_.site, context.request, context.visitor);
}

http::Response Settings::only_by_form(const SettingsContext& context) const {
  Problem problem;
  problem.status = http::kMethodNotAllowed;
  problem.title = "Page not found";
  problem.text = "This address only accepts forms of this site.";
  problem.next = "Go back to the previous page, and use its button.";
  problem.link = base::paths::kSettings.pattern;
  problem.link_name = "Settings";
  return problem_page(problem, parts_.site, context.request, context.visitor);
}

http::Response Settings::too_many_forms(const SettingsContext& context,
                                        std::int64_t retry_after) const {
  Problem problem;
  problem.status = 429;
  problem.title = "Too many requests";
  problem.text =
      "Many forms were sent with your login in the last minute. This form changed nothing.";
  problem.next = "Wait a minute, then try again.";
  problem.link = base::paths::kSettings.pattern;
  problem.link_name = "Settings";
  problem.again = context.request.path;
  http::Response response = problem_page(problem, parts_.site, context.request, context.visitor);
  response.with("Retry-After", std::to_string(retry_after));
  return response;
}

base::Refusal<Refused> Settings::barred(const InAccount& in, const Barred& page,
                                        oauth::Barrier barrier) const {
  const std::string why = why_barred(page, barrier);
  SettingsPage shown(parts_, in, page.title, "barred.tpl");
  shown.body().set("PAGE", page.title).set("ACCOUNT", in.account_name()).set("WHY", why);
  if (page.title == kApplicationsBarred.title) shown.body().show("CONNECTED");
  return instead(shown.answer(403), why);
}

std::string why_barred(const Barred& page, oauth::Barrier barrier) {
  if (barrier == oauth::Barrier::OnlyAUser)
    return "You are a user of this account. Only its owners and managers " +
           std::string(page.does) + ": ask one of them.";
  if (barrier == oauth::Barrier::ContactDisabled) return std::string(page.lacks) + ".";
  return std::string(page.lacks) + " here, because " +
         (page.needs_oauth ? "OAuth is not enabled for this account. Ask the operator of this "
                             "service to enable it."
                           : "uploads are not enabled for this account. Ask the operator of this "
                             "service to enable them.");
}

}  // namespace svc::pages
