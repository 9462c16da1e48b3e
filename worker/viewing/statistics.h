// Statistics: the counts of media and accounts, per day (UTC) and in all.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "viewing/counts.h"

namespace svc::viewing {

// The subject of counts: a media, or an account with the sums of its media, without curves and
// visitors.
class Subject {
 public:
  explicit Subject(const media::HashedId& media) : key_("media:" + media.value()) {}
  explicit Subject(media::AccountId account) : key_("account:" + std::to_string(account.value())) {}

  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

// A day is added up, and its pieces deleted, kSettled after it began. Until then a table whose
// clock is late, or that could not reach the store, may still write its counts of that day.
inline constexpr std::chrono::days kSettled{2};

struct Day {
  std::chrono::sys_days day;
  Counts counts;
};

using Openings = std::map<std::int64_t, std::int64_t>;

class Statistics {
 public:
  virtual ~Statistics() = default;

  // All throw base::Unavailable. Counts of the last second may be missing.
  //
  // Returns the sums of all days, also of those that are no longer kept.
  virtual loop::Task<Counts> total(Subject subject) = 0;
  // The same, in the order of `medias`.
  virtual loop::Task<std::vector<Counts>> totals(std::vector<media::HashedId> medias) = 0;
  // Returns one per day from `first` to `last`, also for days without views.
  virtual loop::Task<std::vector<Day>> days(Subject subject, std::chrono::sys_days first,
                                            std::chrono::sys_days last) = 0;
  // Returns for each media its days with views from `first` to `last`, without visitors, in one
  // round trip.
  virtual loop::Task<std::vector<std::vector<Day>>> days_of(std::vector<media::HashedId> medias,
                                                            std::chrono::sys_days first,
                                                            std::chrono::sys_days last) = 0;
  // Returns the days with views, oldest first, as far as they are kept.
  virtual loop::Task<std::vector<Day>> kept_days(Subject subject) = 0;
  // Returns up to `count` media of the account that were played most, those first; some may have
  // been deleted.
  virtual loop::Task<std::vector<media::HashedId>> most_played(media::AccountId account,
                                                               std::size_t count) = 0;

  // Returns how often each link to the media was opened, by its id. They are kept for 400 days
  // after the last.
  virtual loop::Task<Openings> openings(media::HashedId media) = 0;
  // Deletes those of all other links.
  virtual loop::Task<> keep_openings(media::HashedId media, std::vector<std::int64_t> links) = 0;
};

}  // namespace svc::viewing
