// LinksPage: Account → Settings → Media → one media → Links. pages-W128, pages-W160.
//
//   …/<id>/links              the links; POST: makes one, which is shown once
//   …/<id>/links/<link>/end   POST only: ends one
//   …/<id>/links/end          asks, and ends all links
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/response.h"
#include "library/link_service.h"
#include "loop/task.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class LinksPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // What a user sent, or the defaults.
  struct Entered {
    std::string name{};
    std::string lasts = "week";
    std::string days{};
    std::string site{};
    std::vector<FieldProblem> problems{};
    int status = 200;
  };

  // Reads the links again.
  loop::Task<http::Response> page(const SettingsContext& context, const Subject& subject,
                                  Entered entered, std::optional<library::MadeLink> made);
  loop::Task<http::Response> make(const SettingsContext& context, const Subject& subject,
                                  const text::Form& form);
  http::Response ask_end(const SettingsContext& context, const Subject& subject) const;
  loop::Task<http::Response> end(const SettingsContext& context, const Subject& subject);
  loop::Task<http::Response> end_one(const SettingsContext& context, const Subject& subject,
                                     std::int64_t link);
};

}  // namespace svc::pages
