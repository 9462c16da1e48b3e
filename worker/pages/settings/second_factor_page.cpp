#include "pages/settings/second_factor_page.h"

#include <optional>
#include <utility>

#include "base/paths.h"
#include "base/qr_code.h"
#include "login/one_time_code.h"
#include "oauth/application_settings.h"
#include "pages/formatting.h"
#include "pages/page_response.h"

namespace svc::pages {
namespace {

constexpr std::string_view kFactorPath = base::paths::kSecondFactor.pattern;
constexpr std::string_view kCodes = "codes";
constexpr std::string_view kRemove = "remove";
constexpr std::string_view kPasskey = "passkey";
constexpr std::string_view kRemovePasskey = "remove-passkey";

bool is_factor_form(std::string_view form) {
  return form == kCodes || form == kRemove || form == kPasskey || form == kRemovePasskey;
}

// In groups of four, which are easier to type.
std::string in_groups(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && i % 4 == 0) out += ' ';
    out += text[i];
  }
  return out;
}

}  // namespace

loop::Task<http::Response> SecondFactorPage::show(const SettingsContext& context) {
  const std::string_view form = context.request.rest();
  // A login between form and submission redirects here with GET.
  if (is_factor_form(form)) co_return see_other(std::string(kFactorPath), context.visitor);
  if (context.request.path != kFactorPath) co_return nothing_here(context, "page");
  const Shown fresh;
  co_return co_await page(context, fresh);
}

loop::Task<http::Response> SecondFactorPage::take(const SettingsContext& context,
                                                  const text::Form& form) {
  const std::string_view sent = context.request.rest();
  if (context.request.path == kFactorPath) co_return co_await enrol(context, form);
  if (sent == kCodes) co_return co_await renew(context, form);
  if (sent == kRemove) co_return co_await remove(context, form);
  if (sent == kPasskey) co_return co_await add_passkey(context, form);
  if (sent == kRemovePasskey) co_return co_await remove_passkey(context, form);
  co_return only_by_form(context);
}

void SecondFactorPage::show_password(const SettingsContext& context, const Shown& shown,
                                     Values& form) const {
  if (!needs_password(context) || !shown.codes.empty()) return;
  Values password = form.show_with("PASSWORD");
  password.set("EMAIL", context.contact.email);
  if (shown.password.problem.empty()) return;
  password.show("WRONG");
  password.show_with("PASSWORD_PROBLEM").set("PROBLEM", shown.password.problem);
}

void SecondFactorPage::show_passkeys(const SettingsContext& context, const Shown& shown,
                                     SettingsPage& page,
                                     const std::vector<login::Passkey>& passkeys) const {
  Values section = page.body().show_with("PASSKEYS");
  if (!shown.passkey_problem.empty())
    section.show_with("PASSKEY_PROBLEM").set("PROBLEM", shown.passkey_problem);
  if (!passkeys.empty()) {
    Values list = section.show_with("LIST");
    page.set_form(list, base::paths::kSecondFactorForms.with(kRemovePasskey));
    for (const login::Passkey& passkey : passkeys) {
      Values one = list.show_with("ONE");
      one.set("ID", passkey.id).set("NAME", passkey.name);
      set_time(one, "CREATED", passkey.created, context.now);
      if (passkey.used == 0) {
        one.show("UNUSED");
      } else {
        set_time(one, "USED", passkey.used, context.now);
        one.show("HAS_USE");
      }
    }
    show_password(context, shown, list);
  }
  if (!passkeys_.is_possible()) {
    section.show("NO_NAME");
    return;
  }
  if (passkeys.size() >= login::kMostPasskeys) {
    section.show_with("FULL").set("MOST", static_cast<long>(login::kMostPasskeys));
    return;
  }
  page.with_script("/assets/passkey.js", Requests::No);
  Values adding = section.show_with("ADD");
  page.set_form(adding, base::paths::kSecondFactorForms.with(kPasskey));
  adding.set("OPTIONS", passkeys_.creation_options(context.visitor, context.contact, passkeys))
      .set("NAME",
           shown.passkey_name.empty() ? context.visitor.session->browser : shown.passkey_name)
      .set("MOST", static_cast<long>(login::kMostPasskeyName));
  if (!shown.name_problem.empty()) {
    adding.show("NAME_WRONG");
    adding.show_with("NAME_PROBLEM").set("PROBLEM", shown.name_problem);
  }
  show_password(context, shown, adding);
}

loop::Task<http::Response> SecondFactorPage::page(const SettingsContext& context,
                                                  const Shown& shown) {
  const std::optional<login::StoredFactor> factor = co_await second_factor_.of(context.contact.id);
  SettingsPage page(parts_, context, shown.status == 200 ? "Second factor" : "Not changed",
                    "second_factor.tpl");
  page.show_done();
  Values& body = page.body();
  if (shown.was_added) body.show("ADDED");
  if (!shown.codes.empty()) {
    Values made = body.show_with("MADE");
    for (const std::string& code : shown.codes) made.show_with("CODE").set("CODE", code);
  }
  if (factor) {
    Values on = body.show_with("ON");
    set_time(on, "SINCE", factor->created, context.now);
    on.set("LEFT", counted(factor->recovery_left, "recovery code", "recovery codes"));
    Values renewing = body.show_with("RENEW");
    page.set_form(renewing, base::paths::kSecondFactorForms.with(kCodes));
    show_password(context, shown, renewing);
    Values removing = body.show_with("REMOVE");
    page.set_form(removing, base::paths::kSecondFactorForms.with(kRemove));
    show_password(context, shown, removing);
    const std::vector<login::Passkey> passkeys = co_await passkeys_.of(context.contact.id);
    show_passkeys(context, shown, page, passkeys);
  } else {
    const std::string sealed =
        shown.sealed.empty() ? second_factor_.begin_enrolment(context.contact.id) : shown.sealed;
    const auto secret = second_factor_.secret_of_enrolment(context.contact.id, sealed);
    const std::string uri =
        login::one_time_uri(secret.value_or(""), parts_.site.provider_name, context.contact.email);
    Values off = body.show_with("OFF");
    page.set_form(off, kFactorPath);
    off.set("SEALED", sealed)
        .set("SECRET", in_groups(login::base32(secret.value_or(""))))
        .set("URI", uri);
    if (auto picture = base::qr_code_svg(uri, "QR code of the key"))
      off.show_with("PICTURE").set("SVG", Html(std::move(*picture)));
    if (!shown.code_problem.empty()) {
      off.show("CODE_WRONG");
      off.show_with("CODE_PROBLEM").set("PROBLEM", shown.code_problem);
    }
    show_password(context, shown, off);
  }
  http::Response response = page.answer(shown.status);
  if (shown.password.retry_after > 0)
    response.with("Retry-After", std::to_string(shown.password.retry_after));
  co_return response;
}

// Without a redirect: recovery codes are only shown in the response to a form.
loop::Task<http::Response> SecondFactorPage::enrol(const SettingsContext& context,
                                                   const text::Form& form) {
  const auto present = co_await second_factor_.of(context.contact.id);
  // The form was sent twice, or in another tab before.
  if (present) co_return see_other(std::string(kFactorPath), context.visitor);
  Shown shown;
  const std::string_view sealed = form.find("secret").value_or("");
  if (!second_factor_.secret_of_enrolment(context.contact.id, sealed)) {
    shown.status = kNotSavedStatus;
    shown.code_problem = "This page was too old. Set up your authenticator with the new secret.";
    co_return co_await page(context, shown);
  }
  shown.sealed = sealed;
  shown.password = co_await check_password(context, form);
  if (!shown.password.problem.empty()) {
    shown.status = shown.password.status;
    co_return co_await page(context, shown);
  }
  auto codes = co_await second_factor_.enrol(
      context.contact.id, sealed, form.find("code").value_or(""), context.request.remote_address);
  if (!codes) {
    shown.status = kNotSavedStatus;
    shown.code_problem =
        "This is not the present code. Check the clock of your device, and enter the next code.";
    co_return co_await page(context, shown);
  }
  // They began without it.
  co_await parts_.sessions.end_others(*context.visitor.session);
  Shown added;
  added.was_added = true;
  added.codes = std::move(*codes);
  co_return co_await page(context, added);
}

loop::Task<http::Response> SecondFactorPage::renew(const SettingsContext& context,
                                                   const text::Form& form) {
  Shown shown;
  shown.password = co_await check_password(context, form);
  shown.status = shown.password.status;
  if (!shown.password.problem.empty()) co_return co_await page(context, shown);
  auto codes = co_await second_factor_.renew_recovery_codes(context.contact.id,
                                                            context.request.remote_address);
  if (!codes) co_return see_other(std::string(kFactorPath), context.visitor);
  shown.codes = std::move(*codes);
  co_return co_await page(context, shown);
}

loop::Task<http::Response> SecondFactorPage::remove(const SettingsContext& context,
                                                    const text::Form& form) {
  Shown shown;
  shown.password = co_await check_password(context, form);
  shown.status = shown.password.status;
  if (!shown.password.problem.empty()) co_return co_await page(context, shown);
  co_await second_factor_.remove(context.contact.id, context.request.remote_address);
  co_return done(context, std::string(kFactorPath), "removed");
}

loop::Task<http::Response> SecondFactorPage::add_passkey(const SettingsContext& context,
                                                         const text::Form& form) {
  const auto factor = co_await second_factor_.of(context.contact.id);
  // It was removed in another tab.
  if (!factor) co_return see_other(std::string(kFactorPath), context.visitor);
  Shown shown;
  shown.passkey_name = tidy(form.find("name").value_or(""));
  shown.password = co_await check_password(context, form);
  shown.status = shown.password.status;
  if (!shown.password.problem.empty()) co_return co_await page(context, shown);
  shown.status = kNotSavedStatus;
  const std::string why = oauth::why_not_name(shown.passkey_name, login::kMostPasskeyName);
  if (!why.empty()) {
    shown.name_problem = shown.passkey_name.empty() ? "Enter a name." : "The name " + why + ".";
    co_return co_await page(context, shown);
  }
  const std::string_view credential = form.find("credential").value_or("");
  const login::Passkeys::Added added =
      co_await passkeys_.add(context.visitor, context.contact, shown.passkey_name, credential,
                             context.request.remote_address);
  switch (added) {
    case login::Passkeys::Added::Yes: co_return done(context, std::string(kFactorPath), "passkey");
    case login::Passkeys::Added::NoFactor:
      co_return see_other(std::string(kFactorPath), context.visitor);
    case login::Passkeys::Added::Exists:
      shown.passkey_problem = "You have this passkey already.";
      break;
    case login::Passkeys::Added::TooMany:
      shown.passkey_problem = "You have as many passkeys as a user may have. Remove one first.";
      break;
    case login::Passkeys::Added::Refused:
      shown.passkey_problem = "This passkey was not accepted. Try again, or use another device.";
      break;
  }
  co_return co_await page(context, shown);
}

loop::Task<http::Response> SecondFactorPage::remove_passkey(const SettingsContext& context,
                                                            const text::Form& form) {
  Shown shown;
  shown.password = co_await check_password(context, form);
  shown.status = shown.password.status;
  if (!shown.password.problem.empty()) co_return co_await page(context, shown);
  const std::string_view id = form.find("passkey").value_or("");
  co_await passkeys_.remove(context.contact.id, id, context.request.remote_address);
  co_return done(context, std::string(kFactorPath), "unkeyed");
}

}  // namespace svc::pages
