// StatsPages: how often media were watched, with diagrams. pages-W130, pages-W131.
//
//   /settings/accounts/<account>/media/<id>/stats    of a media
//   /settings/accounts/<account>/stats               of the account
//
// With `days`, the last 7, 30 (if it is absent), 90 or 365 days (UTC). With `format=csv`, these
// days as comma-separated values.
#pragma once

#include "http/response.h"
#include "loop/task.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"
#include "viewing/statistics.h"

namespace svc::pages {

class MediaStatsPage : public Library {
 public:
  MediaStatsPage(const SettingsParts& parts, const LibraryParts& library,
                 viewing::Statistics& statistics)
      : Library(parts, library), statistics_(statistics) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;

 private:
  viewing::Statistics& statistics_;
};

class AccountStatsPage : public Library {
 public:
  AccountStatsPage(const SettingsParts& parts, const LibraryParts& library,
                   viewing::Statistics& statistics)
      : Library(parts, library), statistics_(statistics) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;

 private:
  // Shows the media that were played most, as far as they exist.
  loop::Task<> show_most_played(Values& body, const Place& place);

  viewing::Statistics& statistics_;
};

}  // namespace svc::pages
