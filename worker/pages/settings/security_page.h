// SecurityPage: Settings → Sessions and password. oauth-L2, oauth-L3.
//
//   /settings/security             the page
//   /settings/security/password    changes it, ends all other sessions
//   /settings/security/session     ends one session
//   /settings/security/others      ends all other sessions
#pragma once

#include <string>
#include <string_view>

#include "pages/settings/settings.h"

namespace svc::pages {

class SecurityPage : public Settings {
 public:
  using Settings::Settings;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Problems {
    std::string present;
    std::string fresh;
    std::string again;
  };
  loop::Task<http::Response> page(const SettingsContext& context, int status,
                                  const Problems& problems);
  loop::Task<http::Response> change_password(const SettingsContext& context,
                                             const text::Form& form);
  loop::Task<http::Response> end_session(const SettingsContext& context, const text::Form& form);
  loop::Task<http::Response> end_others(const SettingsContext& context);
};

}  // namespace svc::pages
