// StatsPages: how often media were watched, with diagrams. pages-W130, pages-W131.
//
//   /settings/accounts/<account>/media/<id>/stats    of a media
//   /settings/accounts/<account>/stats               of the account
//
// With `days`, the last 7, 30 (if it is absent), 90 or 365 days (UTC), compared with as many days
// before them. With `format=csv`, these days as comma-separated values.
#pragma once

#include <vector>

#include "http/response.h"
#include "loop/task.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"
#include "viewing/by_media.h"

namespace svc::pages {

class MediaStatsPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
};

class AccountStatsPage : public Library {
 public:
  using Library::Library;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;

 private:
  static void show_most_played(Values& body, const Place& place,
                               const std::vector<viewing::WatchedMedia>& medias);
};

}  // namespace svc::pages
