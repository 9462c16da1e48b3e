// AccountChoicePage: `/settings/media` and `/settings/applications`: leads to those of the user's
// account. A user of several accounts chooses one.
#pragma once

#include <cstdint>

#include "http/response.h"
#include "loop/task.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class AccountChoicePage : public Settings {
 public:
  enum class Of : std::uint8_t { Media, Applications };

  AccountChoicePage(const SettingsParts& parts, Of of) : Settings(parts), of_(of) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;

 private:
  const Of of_;
};

}  // namespace svc::pages
