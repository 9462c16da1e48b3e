// OverviewPage: `/settings`, with links to all settings pages that the contact
// may see.
#pragma once

#include <string_view>

#include "http/response.h"
#include "loop/task.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class OverviewPage : public Settings {
 public:
  using Settings::Settings;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
};

}  // namespace svc::pages
