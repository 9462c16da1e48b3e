// GuardJobs: marks the folders that ingest:guards names (stores/catalog/guard_queue.h), in a
// process that does nothing else: a film that becomes private waits for no copy, deletion or
// conversion.
//
// What closes comes before all else, first that for which a request waits. After kClosingsInTurn of
// these one other step is done, so all goes on. Within each turn of the queue, accounts take turns:
// each has one media, or its rule, which is one file however many media it has. So an account with
// many jobs delays another by one. The state of a record is read when its turn comes.
//
// Other steps, one after the other:
//
//   what opens      a media or a rule
//   again           a walk over all media of an account, one at a time
//   due             what was announced a minute ago
//   failed          what the disk refused
//   without a mark  each folder once, for those of versions before folders had a link to their
//                   account's; then .accounts/.linked says that all have
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/surroundings.h"
#include "keeper/guards.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "stores/catalog/guard_queue.h"

namespace svc::keeper {

class GuardJobs {
 public:
  static constexpr int kClosingsInTurn = 16;

  // All references outlive it. `folder`: that of all media.
  GuardJobs(redis::Store& store, loop::Loop& loop, std::string folder, const base::WallClock& clock,
            base::Surroundings surroundings);

  // Works until it should stop.
  void run();

  // What an earlier process has begun is done again. Throws base::Unavailable.
  void begin();
  // One step. Returns false if nothing was to do. Throws base::Unavailable.
  bool run_one();

 private:
  using Turn = media::Guarded::Turn;
  // Over the media of an account.
  struct Walk {
    std::vector<media::HashedId> next{};
    std::string after{};  // in the index; read in pieces
    bool is_read = false;
    bool has_failed = false;
    std::string due{};  // the time to forget at the end
  };

  template <class T>
  T wait(loop::Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }
  // These return false if there was nothing to do.
  bool take_turn(Turn turn);
  bool take_other() { return take_turn(Turn::Other); }
  bool take_again() { return take_turn(Turn::Again); }
  bool walk_on();
  bool take_due();
  bool try_again();
  bool link_on();

  void say_that_it_runs();
  // Return false if the disk refuses.
  bool mark(const media::Guarded& job);
  bool mark_or_try_again(const media::Guarded& job);
  void begin_walk(media::AccountId account, std::string due);
  // Marks the next media. Returns true if it was the last.
  bool go_on(media::AccountId account, Walk& walk);
  std::string all_are_linked() const;                          // the path of the file
  std::int64_t now() const { return clock_.now_ms() * 1000; }  // µs since 1970

  redis::Store& store_;
  loop::Loop& loop_;
  const std::string folder_;
  const base::WallClock& clock_;
  const base::Surroundings surroundings_;
  stores::CatalogRegistry registry_;
  stores::GuardQueue queue_;
  Guards guards_;
  base::TimePoint says_{};
  int closings_ = 0;                                                 // since the last other step
  std::size_t step_ = 0;                                             // the next of the other ones
  std::array<media::AccountId, stores::GuardQueue::kTurns> last_{};  // that had a turn
  std::map<std::int64_t, Walk> walks_;                               // by account
  std::int64_t last_walk_ = 0;
  struct Failed {
    media::Guarded job;
    base::TimePoint again;
  };
  std::map<std::pair<std::int64_t, std::string>, Failed> failed_;  // by account and media
  // The folders that may lack a link.
  std::optional<std::filesystem::directory_iterator> folders_;
  bool has_linked_all_ = true;
  base::TimePoint link_at_{};
};

}  // namespace svc::keeper
