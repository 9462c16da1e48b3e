// by_media: how often an account was watched on each day, and its media (api-N40, pages-W131).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/catalog.h"
#include "media/id.h"
#include "viewing/csv.h"
#include "viewing/statistics.h"

namespace svc::viewing {

// Media that are listed: those that were played most since counting began.
inline constexpr std::size_t kMostByMedia = 1000;

// Counts without curves, of which many fit into memory.
struct Sums {
  std::uint64_t loads = 0;
  std::uint64_t plays = 0;
  std::uint64_t watched = 0;  // ms

  Sums& operator+=(const Counts& counts);
  Counts counts() const;
};

struct MediaDay {
  std::chrono::sys_days day;
  Sums sums;
};

struct WatchedMedia {
  media::HashedId id;
  std::string name;
  Sums sums;
  std::vector<MediaDay> days;  // those with views, oldest first
};

// Returns the existing media of the account that have views on these days; those with most plays
// first, and equal ones in the order of their ids. Throws base::Unavailable. All parameters outlive
// the task.
loop::Task<std::vector<WatchedMedia>> watched_medias(Statistics& statistics,
                                                     media::Catalog& catalog,
                                                     media::AccountId account,
                                                     std::chrono::sys_days first,
                                                     std::chrono::sys_days last);

// The media of one day, in the order of `medias`.
struct OfDay {
  const WatchedMedia* media;
  Sums sums;
};
std::vector<OfDay> medias_on(const std::vector<WatchedMedia>& medias, std::chrono::sys_days day);

// media,name,date,loads,plays,hours_watched: a line per day and media. The account's other counts,
// as of deleted media, are a line without a media; a day without views has only that line. So the
// lines add up to the account.
std::string to_csv(const std::vector<Day>& account, const std::vector<WatchedMedia>& medias,
                   LineEnd end);

}  // namespace svc::viewing
