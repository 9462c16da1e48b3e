// MediaPage: Account → Settings → Media → one media. pages-W13, pages-W34.
//
//   /settings/accounts/<account>/media/<id>          the media; POST: delete it, unless it is ready
//   /settings/accounts/<account>/media/<id>.json     its state for the script of the pages
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/media.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class MediaPage : public Library {
 public:
  MediaPage(const SettingsParts& parts, const LibraryParts& library) : Library(parts, library) {}

  std::optional<http::Response> unavailable(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // A media and what is done with it.
  struct Subject {
    Place place;
    std::string path;         // of its page
    std::string_view action;  // the rest of the path; "": the page
    media::Media media;
  };
  loop::Task<base::Result<Subject, Refused>> subject_of(const SettingsContext& context);
  loop::Task<http::Response> view(const SettingsContext& context, const Subject& subject);
  loop::Task<http::Response> state(const Subject& subject);
  loop::Task<http::Response> remove_pending(const SettingsContext& context, const Subject& subject);
};

}  // namespace svc::pages
