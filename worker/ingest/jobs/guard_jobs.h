// GuardJobs: marks the folders that ingest:guards names (stores/catalog/guard_queue.h), in a
// process that does nothing else: a film that becomes private waits for no copy, deletion or
// conversion.
//
// Accounts take turns. In a turn, an account has one media of each rank and a step of the walk over
// all of its media, which is one media too. So an account with many jobs delays another by one
// turn. The state of a record is read when its turn comes.
//
// An account is walked over when its record was written, and a minute later again: for media whose
// writer read the account before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ingest/jobs/guards.h"
#include "ingest/jobs/surroundings.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "stores/catalog/guard_queue.h"

namespace svc::ingest {

class GuardJobs {
 public:
  // All references outlive it. `folder`: that of all media.
  GuardJobs(redis::Store& store, loop::Loop& loop, std::string folder, const base::WallClock& clock,
            Surroundings surroundings);

  // Works until it should stop.
  void run();

  // What an earlier process has begun is done again. Throws base::Unavailable.
  void begin();
  // A turn of one account and some of what else is due. Returns false if nothing was to do. Throws
  // base::Unavailable.
  bool run_one();

 private:
  // Over the media of an account.
  struct Walk {
    std::vector<media::HashedId> next{};
    std::string after{};  // in the index; read in pieces
    bool is_read = false;
    bool has_failed = false;
    std::string due{};  // the time to forget at the end; "": none
  };

  template <class T>
  T wait(loop::Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }
  bool take_turn();
  bool walk_on();
  bool take_due();
  bool try_again();
  // Returns false if the disk refuses.
  bool mark(const media::HashedId& media);
  bool mark_or_try_again(const media::Guarded& job);
  void begin_walk(media::AccountId account, std::string due);
  // Marks the next media. Returns true if it was the last.
  bool go_on(media::AccountId account, Walk& walk);
  std::int64_t now() const { return clock_.now_ms() * 1000; }  // µs since 1970

  redis::Store& store_;
  loop::Loop& loop_;
  const base::WallClock& clock_;
  const Surroundings surroundings_;
  stores::CatalogRegistry registry_;
  stores::GuardQueue queue_;
  Guards guards_;
  media::AccountId last_{};             // that had a turn
  std::map<std::int64_t, Walk> walks_;  // by account
  std::int64_t last_walk_ = 0;
  struct Failed {
    media::Guarded job;
    base::TimePoint again;
  };
  std::map<std::string, Failed> failed_;  // by id of the media
};

}  // namespace svc::ingest
