// SitesPage: Account → Settings → Where films may be shown. pages-W121.
//
//   /settings/accounts/<account>/sites       the list; POST: replace it
#pragma once

#include <string>

#include "http/response.h"
#include "loop/task.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class SitesPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Entered {
    std::string domains;  // a line each
    bool allows_no_referrer = false;
    std::string edition;
    std::string problem{};    // of the domains
    std::string overtaken{};  // what is saved now, if another user was faster
    int status = 200;
  };
  static Entered entered_of(const media::Account& account);
  http::Response page(const SettingsContext& context, const Place& place,
                      const Entered& entered) const;
};

}  // namespace svc::pages
