// LookPage: Account → Settings → Media → one media → Player: options that the player has for this
// media in every embed code. pages-W56.
//
//   /settings/accounts/<account>/media/<id>/look     the form with a preview; POST: save, or with
//                                                    the field `preview` only show
//
// A GET with options shows these in form and preview: the page's script asks so.
#pragma once

#include <string>

#include "http/response.h"
#include "loop/task.h"
#include "media/customizations.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class LookPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Entered {
    text::Form form;
    std::string edition;
    bool was_overtaken = false;
    bool is_preview = false;
    int status = 200;
  };
  http::Response form(const SettingsContext& context, const Subject& subject,
                      const Entered& entered) const;
};

}  // namespace svc::pages
