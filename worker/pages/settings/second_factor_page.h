// SecondFactorPage: Settings → Second factor. oauth-F3.
//
//   /settings/second-factor          its state, and the form to set it up
//   /settings/second-factor/codes    new recovery codes; POST only
//   /settings/second-factor/remove   removes it; POST only
//
// Every form needs a recent password check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/response.h"
#include "login/second_factor.h"
#include "loop/task.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class SecondFactorPage : public Settings {
 public:
  // The second factor outlives the page.
  SecondFactorPage(const SettingsParts& parts, login::SecondFactor& second_factor)
      : Settings(parts), second_factor_(second_factor) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Shown {
    int status = 200;
    std::string sealed;  // the secret that is being set up; empty: a new one
    std::string code_problem;
    PasswordCheck password;
    std::vector<std::string> codes;  // recovery codes that were just made
    bool was_added = false;
  };
  loop::Task<http::Response> page(const SettingsContext& context, const Shown& shown);
  loop::Task<http::Response> enrol(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> renew(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> remove(const SettingsContext& context, const text::Form& form);

  login::SecondFactor& second_factor_;
};

}  // namespace svc::pages
