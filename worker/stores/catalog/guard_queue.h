// GuardQueue: media and accounts whose folders svc-ingest is to mark (media/guard.h), once each.
//
//   ingest:guards        members that are to be marked. All have the score 0, so they stand in the
//                        order of their text: <account> <rank> <media>
//   ingest:guards_again  members that are to be marked at a time, whatever was done before
//
// The writer of a record announces the member: it is due a minute later, if the writer dies. Then
// it writes the record and adds the member. Who takes a member announces it, too. So after kill -9
// between any two steps each folder is marked as its record says, in the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/uploads.h"
#include "redis/store.h"

namespace svc::stores {

class GuardQueue {
 public:
  // The order within an account. A member of each rank may wait for the same media.
  enum class Rank : std::uint8_t { Closing, Account, Other };
  static constexpr std::size_t kRanks = 3;
  // After this time a writer has written its record, or has failed.
  static constexpr std::chrono::seconds kAgain{60};

  explicit GuardQueue(redis::Store& store) : store_(store) {}

  // All throw base::Unavailable. All may be repeated.

  loop::Task<> announce(std::vector<media::Guarded> all);
  loop::Task<> add(std::vector<media::Guarded> all);

  // Returns the first account after this one in the order of the members, whose last is before the
  // first; nullopt if nothing waits.
  loop::Task<std::optional<media::AccountId>> account_after(media::AccountId account);
  loop::Task<std::optional<media::Guarded>> first_of(media::AccountId account, Rank rank);
  // Returns false if another process has taken it.
  loop::Task<bool> take(media::Guarded job);
  // Returns all that waits, at most `most`.
  loop::Task<std::vector<media::Guarded>> waiting(std::size_t most);

  // Announced members with the same time. forget() removes those that were not announced since.
  struct Due {
    std::string time;
    std::vector<media::Guarded> all{};
  };
  // Returns those of the earliest time, if that is not after `now`, in µs since 1970.
  loop::Task<std::optional<Due>> due(std::int64_t now);
  loop::Task<> forget(std::string time);
  // It is due at that time, unless it was announced for a later one. Returns the time for forget().
  loop::Task<std::string> postpone(media::Guarded job, std::int64_t until);
  // Adds all that are announced.
  loop::Task<> add_announced();

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
