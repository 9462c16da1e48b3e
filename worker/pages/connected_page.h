// ConnectedPage: My Settings → Connected applications. oauth.md §5.
//
//   /settings/connected            what was granted to whom, for which account
//   /settings/connected/<grant>    ends it, asks first
#pragma once

#include <string_view>

#include "pages/settings.h"

namespace svc::pages {

class ConnectedPage : public Settings {
 public:
  static constexpr std::string_view kPath = "/settings/connected";
  static constexpr std::string_view kFolder = "/settings/connected/";

  using Settings::Settings;

 protected:
  http::Response show(const SettingsTurn& turn) override;
  http::Response take(const SettingsTurn& turn, const text::Form& form) override;

 private:
  http::Response list(const SettingsTurn& turn);
  // Nothing when there is none, or it is somebody else's.
  std::optional<oauth::Grant> grant_of(const SettingsTurn& turn);
  void describe(Values& values, const oauth::Grant& grant, std::int64_t now);
};

}  // namespace svc::pages
