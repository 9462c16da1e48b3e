// ReplacePage: Account → Settings → Media → one media → Replace the file: this media gets the files
// of another media, which is deleted. pages-W62.
//
//   /settings/accounts/<account>/media/<id>/replace
#pragma once

#include <string>
#include <vector>

#include "http/response.h"
#include "loop/task.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class ReplacePage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Entered {
    std::string chosen{};
    std::string typed{};  // takes precedence
    std::string edition{};
    std::vector<FieldProblem> problems{};
    bool was_overtaken = false;
    int status = 200;
  };
  loop::Task<http::Response> form(const SettingsContext& context, const Subject& subject,
                                  Entered entered);
  loop::Task<http::Response> refused(const SettingsContext& context, const Subject& subject,
                                     Entered entered, library::SwapRefusal refusal);
};

}  // namespace svc::pages
