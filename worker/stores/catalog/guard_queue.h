// GuardQueue: media and accounts whose folders svc-keeper is to mark (media/guard.h), once each.
//
//   ingest:guards        members that are to be marked. All have the score 0, so they stand in the
//                        order of their text: <turn> <account> <media>
//   ingest:guards_again  members that are to be marked at a time, whatever was done before
//   ingest:guarding      set while a process takes members
//
// The turn is a letter: all that closes comes before all that opens, whoever added it first. Within
// a turn the caller goes from account to account.
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

// Microseconds since 1970.
std::int64_t guard_time();

class GuardQueue {
 public:
  using Turn = media::Guarded::Turn;
  static constexpr std::size_t kTurns = 4;
  // After this time a writer has written its record, or has failed.
  static constexpr std::chrono::seconds kAgain{60};
  // After this time without run() no request waits.
  static constexpr std::chrono::seconds kRuns{10};

  explicit GuardQueue(redis::Store& store) : store_(store) {}

  // All throw base::Unavailable, but for await_closed(). All may be repeated.

  loop::Task<> announce(std::vector<media::Guarded> all);
  loop::Task<> add(std::vector<media::Guarded> all);
  // Returns once end() was called for all of these that were added, or take() found that another
  // process did; at most after media::Uploads::kAnswerWaits. Does not wait while no process runs,
  // or Redis does not answer.
  loop::Task<> await_closed(std::vector<media::Guarded> all);

  // A process takes members. To be called every second.
  loop::Task<> run();
  // Returns the first turn of which a member waits; nullopt: nothing waits.
  loop::Task<std::optional<Turn>> first();
  // Returns the first member of the first account after this one that has any of that turn; nullopt
  // if there is no such account.
  loop::Task<std::optional<media::Guarded>> after(media::AccountId account, Turn turn);
  // Returns false if another process has taken it.
  loop::Task<bool> take(media::Guarded job);
  // It is marked: the request that waits is answered.
  loop::Task<> end(media::Guarded job);
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
  // Adds all that are announced, and what the version before wrote in another form. Requests of an
  // earlier process are answered.
  loop::Task<> add_announced();

 private:
  loop::Task<bool> are_closed(const std::vector<media::Guarded>& all);
  // Returns members of ingest:guards in that range of their texts.
  loop::Task<std::vector<std::string>> range(std::string from, std::string to, std::size_t most);
  loop::Task<> remove(std::string member);

  redis::Store& store_;
};

}  // namespace svc::stores
