// Statistics in Redis (api-B4).
//
// Each table of a pool (viewing/table.h) writes what it has counted as whole values under names of
// its own, its pieces: so a write may be repeated. The reader adds them up. Once a day is over for
// more than a day, clean_up() adds its pieces to the rows, which are kept, and to the total. Later
// pieces of that day are added too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"
#include "viewing/statistics.h"

namespace svc::stores {

// The day in keys: yyyymmdd.
std::string stats_date(std::chrono::sys_days day);

class Statistics : public viewing::Statistics {
 public:
  explicit Statistics(redis::Store& store) : store_(store) {}

  loop::Task<viewing::Counts> total(viewing::Subject subject) override;
  loop::Task<std::vector<viewing::Counts>> totals(std::vector<media::HashedId> medias) override;
  loop::Task<std::vector<viewing::Day>> days(viewing::Subject subject, std::chrono::sys_days first,
                                             std::chrono::sys_days last) override;
  loop::Task<std::vector<std::vector<viewing::Day>>> days_of(std::vector<media::HashedId> medias,
                                                             std::chrono::sys_days first,
                                                             std::chrono::sys_days last) override;
  loop::Task<std::vector<viewing::Day>> kept_days(viewing::Subject subject) override;
  loop::Task<std::vector<media::HashedId>> most_played(media::AccountId account,
                                                       std::size_t count) override;
  loop::Task<viewing::Openings> openings(media::HashedId media) override;
  loop::Task<> keep_openings(media::HashedId media, std::vector<std::int64_t> links) override;

  // Returns the keys of a media or account, which end with it (media_end.cpp, account_end.cpp).
  loop::Task<std::vector<std::string>> keys_of(media::HashedId media);
  loop::Task<std::vector<std::string>> keys_of(media::AccountId account);

  // Counts that a link was opened. Sent at the end of this turn of the loop. Lost if Redis is
  // unavailable.
  void count_opening(std::string_view media, std::int64_t link);

  // What a table has counted of one subject on one day.
  struct Piece {
    viewing::Subject subject;
    std::chrono::sys_days day;
    std::string name;                     // of the table, and of nothing else of that day
    std::string counts;                   // viewing::to_bytes()
    std::vector<std::string> visitors{};  // digests of new ones
    // For the order of most_played(): plays since the last piece of this name. nullopt: an account.
    std::optional<media::AccountId> account{};
    media::HashedId media{};
    std::uint64_t plays = 0;
  };
  // Added: the store had none of that name. Unknown: it may be stored now, later or never.
  enum class Stored : std::uint8_t { Unknown, Added, Replaced };
  // Returns it for each piece. Never throws.
  loop::Task<std::vector<Stored>> write(std::vector<Piece> pieces);

  // Adds pieces of days that are over to the rows, and deletes rows of days before `oldest`; both
  // of some subjects. Returns whether there may be more of them. Throws base::Unavailable.
  loop::Task<bool> clean_up(std::chrono::sys_days today, std::chrono::sys_days oldest);

 private:
  using Pieces = std::map<std::chrono::sys_days, viewing::Counts>;

  loop::Task<Pieces> pieces(viewing::Subject subject);
  loop::Task<std::vector<std::string>> keys_of_subject(viewing::Subject subject);
  // Returns false if another worker changed them meanwhile.
  loop::Task<bool> add_up(std::string day, std::string subject);
  loop::Task<> trim(std::string subject, std::string oldest);

  redis::Store& store_;
  bool said_refused_ = false;
};

}  // namespace svc::stores
