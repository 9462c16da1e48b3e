// SecondFactorPage: Settings → Second factor. oauth-F3.
//
//   /settings/second-factor          its state, and the form to set it up
//   /settings/second-factor/codes    new recovery codes; POST only
//   /settings/second-factor/remove   removes it; POST only
//   /settings/second-factor/passkey, …/remove-passkey
//                                    adds and removes a passkey; POST only
//
// Every form needs a recent password check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/response.h"
#include "login/passkeys.h"
#include "login/second_factor.h"
#include "loop/task.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class SecondFactorPage : public Settings {
 public:
  // Second factor and passkeys outlive the page.
  SecondFactorPage(const SettingsParts& parts, login::SecondFactor& second_factor,
                   login::Passkeys& passkeys)
      : Settings(parts), second_factor_(second_factor), passkeys_(passkeys) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Shown {
    int status = 200;
    std::string sealed;  // the secret that is being set up; empty: a new one
    std::string code_problem;
    std::string passkey_problem, name_problem;
    std::string passkey_name;  // as it was entered
    PasswordCheck password;
    std::vector<std::string> codes;  // recovery codes that were just made
    bool was_added = false;
  };
  loop::Task<http::Response> page(const SettingsContext& context, const Shown& shown);
  loop::Task<http::Response> enrol(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> renew(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> remove(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> add_passkey(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> remove_passkey(const SettingsContext& context, const text::Form& form);
  // Fills a form's fields for the password, if it is needed.
  void show_password(const SettingsContext& context, const Shown& shown, Values& form) const;
  void show_passkeys(const SettingsContext& context, const Shown& shown, SettingsPage& page,
                     const std::vector<login::Passkey>& passkeys) const;

  login::SecondFactor& second_factor_;
  login::Passkeys& passkeys_;
};

}  // namespace svc::pages
