// SecondFactorPage: Settings → Second factor. oauth-F3.
//
//   /settings/second-factor          its state, and the form to set it up
//   /settings/second-factor/codes    new recovery codes; POST only
//   /settings/second-factor/remove   removes it; POST only
//   /settings/second-factor/passkey, …/remove-passkey
//                                    adds and removes a passkey; POST only
//
// Every form needs a recent password check.

#include "base/qr_code.h"
#include "base/settings_paths.h"
#include "login/one_time_code.h"
#include "pages/settings/settings.h"

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

// The form that a path is of; "" of the page itself.
std::string_view factor_form_in(std::string_view path) {
  constexpr std::string_view kFolder = base::paths::kSecondFactorForms.before();
  return path.starts_with(kFolder) ? path.substr(kFolder.size()) : std::string_view();
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

class SecondFactorPage : public OwnPages {
  using OwnPages::OwnPages;

  loop::Task<http::Response> page(const SettingsContext& context) override {
    using This = SecondFactorPage;
    const std::string_view name = factor_form_in(context.request.path);
    if (context.request.path == kFactorPath) return form(context, &This::show, &This::enrol);
    // A login between form and submission redirects here with GET.
    if (context.sent == nullptr)
      return at_once(is_factor_form(name) ? back(context) : nothing_here(context, "page"));
    if (name == kCodes) return form(context, &This::show, &This::renew);
    if (name == kRemove) return form(context, &This::show, &This::remove);
    if (name == kPasskey) return form(context, &This::show, &This::add_passkey);
    if (name == kRemovePasskey) return form(context, &This::show, &This::remove_passkey);
    return at_once(only_by_form(context));
  }

  static http::Response back(const SettingsContext& context) {
    return go_to(context, std::string(kFactorPath));
  }

  void show_passkeys(const SettingsContext& context, const Entered& entered, SettingsPage& page,
                     const std::vector<login::Passkey>& passkeys) const {
    Values section = page.body().show_with("PASSKEYS");
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
    }
    if (!parts_.passkeys.is_possible()) {
      section.show("NO_NAME");
      return;
    }
    if (passkeys.size() >= login::kMostPasskeys) {
      section.show_with("FULL").set("MOST", static_cast<long>(login::kMostPasskeys));
      return;
    }
    page.with_script("/assets/passkey.js", Requests::No);
    const std::string typed = entered.text("name");
    Values adding = section.show_with("ADD");
    page.set_form(adding, base::paths::kSecondFactorForms.with(kPasskey));
    adding
        .set("OPTIONS",
             parts_.passkeys.creation_options(context.visitor, context.contact, passkeys))
        .set("NAME", typed.empty() ? context.visitor.session->browser : typed)
        .set("MOST", static_cast<long>(login::kMostPasskeyName));
  }

  loop::Task<http::Response> show(const SettingsContext& context, const Entered& entered) {
    return show_all(context, entered, {});
  }

  struct Made {
    std::vector<std::string> codes{};  // recovery codes that were just made
    bool is_first = false;             // the second factor was added with them
  };
  loop::Task<http::Response> show_all(const SettingsContext& context, const Entered& entered,
                                      Made made) {
    const std::optional<login::StoredFactor> factor =
        co_await parts_.second_factor.of(context.contact.id);
    SettingsPage page(parts_, context, entered, "Second factor", "second_factor.tpl",
                      "Not changed");
    Values& body = page.body();
    if (made.is_first) body.show("ADDED");
    if (made.codes.empty()) {
      show_password(context, body);
    } else {
      Values list = body.show_with("MADE");
      for (const std::string& code : made.codes) list.show_with("CODE").set("CODE", code);
    }
    if (factor) {
      Values on = body.show_with("ON");
      set_time(on, "SINCE", factor->created, context.now);
      on.set("LEFT", counted(factor->recovery_left, "recovery code", "recovery codes"));
      Values renewing = body.show_with("RENEW");
      page.set_form(renewing, base::paths::kSecondFactorForms.with(kCodes));
      Values removing = body.show_with("REMOVE");
      page.set_form(removing, base::paths::kSecondFactorForms.with(kRemove));
      const std::vector<login::Passkey> passkeys = co_await parts_.passkeys.of(context.contact.id);
      show_passkeys(context, entered, page, passkeys);
    } else {
      std::string sealed = entered.text("secret");
      auto secret = parts_.second_factor.secret_of_enrolment(context.contact.id, sealed);
      if (!secret) {
        sealed = parts_.second_factor.begin_enrolment(context.contact.id);
        secret = parts_.second_factor.secret_of_enrolment(context.contact.id, sealed);
      }
      const std::string uri = login::one_time_uri(secret.value_or(""), parts_.site.provider_name,
                                                  context.contact.email);
      Values off = body.show_with("OFF");
      page.set_form(off, kFactorPath);
      off.set("SEALED", sealed)
          .set("SECRET", in_groups(login::base32(secret.value_or(""))))
          .set("URI", uri);
      if (auto picture = base::qr_code_svg(uri, "QR code of the key"))
        off.show_with("PICTURE").set("SVG", Html(std::move(*picture)));
    }
    co_return page.answer();
  }

  // Without a redirect: recovery codes are only shown in the response to a form.
  loop::Task<Applied> enrol(const SettingsContext& context, Entered& entered) {
    const auto present = co_await parts_.second_factor.of(context.contact.id);
    // The form was sent twice, or in another tab before.
    if (present) co_return back(context);
    const std::string sealed = entered.text("secret");
    if (!parts_.second_factor.secret_of_enrolment(context.contact.id, sealed))
      co_return entered.refuse(
          "code", "This page was too old. Set up your authenticator with the new secret.");
    const bool is_confirmed = co_await check_password(context, entered);
    if (!is_confirmed) co_return entered.refused();
    const std::string_view code = context.sent->find("code").value_or("");
    auto codes = co_await parts_.second_factor.enrol(context.contact.id, sealed, code,
                                                     context.request.remote_address);
    if (!codes)
      co_return entered.refuse("code",
                               "This is not the present code. Check the clock of your device, and "
                               "enter the next code.");
    // They began without it.
    co_await parts_.sessions.end_others(*context.visitor.session);
    Made made{.codes = std::move(*codes), .is_first = true};
    co_return co_await show_all(context, entered, std::move(made));
  }

  loop::Task<Applied> renew(const SettingsContext& context, Entered& entered) {
    const bool is_confirmed = co_await check_password(context, entered);
    if (!is_confirmed) co_return entered.refused();
    auto codes = co_await parts_.second_factor.renew_recovery_codes(context.contact.id,
                                                                    context.request.remote_address);
    if (!codes) co_return back(context);
    Made made{.codes = std::move(*codes)};
    co_return co_await show_all(context, entered, std::move(made));
  }

  loop::Task<Applied> remove(const SettingsContext& context, Entered& entered) {
    const bool is_confirmed = co_await check_password(context, entered);
    if (!is_confirmed) co_return entered.refused();
    co_await parts_.second_factor.remove(context.contact.id, context.request.remote_address);
    co_return done(context, std::string(kFactorPath), "removed");
  }

  loop::Task<Applied> add_passkey(const SettingsContext& context, Entered& entered) {
    const auto factor = co_await parts_.second_factor.of(context.contact.id);
    // It was removed in another tab.
    if (!factor) co_return back(context);
    const bool is_confirmed = co_await check_password(context, entered);
    if (!is_confirmed) co_return entered.refused();
    const std::string name = entered.text("name");
    refuse_name(entered, name, login::kMostPasskeyName);
    if (entered.has_problems()) co_return entered.refused();
    const std::string_view credential = context.sent->find("credential").value_or("");
    const login::Passkeys::Added added = co_await parts_.passkeys.add(
        context.visitor, context.contact, name, credential, context.request.remote_address);
    switch (added) {
      case login::Passkeys::Added::Yes: break;
      case login::Passkeys::Added::NoFactor: co_return back(context);
      case login::Passkeys::Added::Exists:
        co_return entered.refuse("passkey", "You have this passkey already.");
      case login::Passkeys::Added::TooMany:
        co_return entered.refuse("passkey",
                                 "You have as many passkeys as a user may have. Remove one first.");
      case login::Passkeys::Added::Refused:
        co_return entered.refuse(
            "passkey", "This passkey was not accepted. Try again, or use another device.");
    }
    co_return done(context, std::string(kFactorPath), "passkey");
  }

  loop::Task<Applied> remove_passkey(const SettingsContext& context, Entered& entered) {
    const bool is_confirmed = co_await check_password(context, entered);
    if (!is_confirmed) co_return entered.refused();
    const std::string_view id = context.sent->find("passkey").value_or("");
    co_await parts_.passkeys.remove(context.contact.id, id, context.request.remote_address);
    co_return done(context, std::string(kFactorPath), "unkeyed");
  }
};

}  // namespace

OwnedPage second_factor_page(const SettingsParts& parts) {
  return std::make_unique<SecondFactorPage>(parts);
}

}  // namespace svc::pages
