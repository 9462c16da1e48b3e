// Front: a router, and before it what is known already: the caches of one worker.
//
// An answer is served from here as long as it is known to be true: nothing it was made from has
// changed since, and what has changed was heard until a moment ago. Then it is made anew; and when
// the store is away, the old one goes on, marked so that nobody else keeps it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/flight.h"
#include "cache/hash.h"
#include "cache/kept.h"
#include "cache/link.h"
#include "cache/reads.h"
#include "cache/sketch.h"
#include "cache/table.h"
#include "http/router.h"

namespace svc::cache {

struct Settings {
  std::size_t memory = 16 << 20;  // bytes; 0: no answers in memory
  // How long an answer is served as true while nothing is heard of the store.
  base::Duration unheard = std::chrono::seconds(5);
  // How old one may be, counted from when it was known to be true, while the store is away.
  base::Duration stale = std::chrono::seconds(3600);
  std::size_t refusals = 1000;
  base::Duration refusal_lifetime = std::chrono::seconds(10);
};

// As many as ever, and as many as now.
struct Figures {
  std::uint64_t evicted = 0;        // had to go for others
  std::uint64_t rejected = 0;       // were not let in
  std::uint64_t invalidated = 0;    // went because something had changed
  std::uint64_t invalidations = 0;  // changes that were heard
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

// An answer to one request, ready to be sent. Its views live until the next call.
struct Answer {
  int status = 0;
  std::string_view head;
  std::string_view body;  // empty for a HEAD
  std::string_view about;
  std::int64_t counts_for = 0;  // the account for which it counts (M5), or 0
  http::CacheUse cache = http::CacheUse::None;
  std::uint32_t place = 0;  // not 0: no answer yet, http::Response::place
};

// Of one request, between find() and answer().
struct Ticket {
  bool shares = false;         // it may have the same answer as others
  bool ignores_query = false;  // it has the same answer whatever its query is
  std::uint64_t hash = 0;
  Flight::Claim claim = Flight::Claim::Apart;
  // Because of a change, a moment ago: others may not have heard of it yet.
  bool went_lately = false;
  // Whether it goes behind the others of its round, without having anything asked early.
  bool waits() const { return waits_for_other() || went_lately; }
  // And behind those too that others may be waiting for.
  bool waits_for_other() const {
    return claim == Flight::Claim::Theirs || claim == Flight::Claim::Landed ||
           claim == Flight::Claim::Ours;
  }
};

class Front : public Changes {
 public:
  // All outlive the front. Without a flight nothing is handed over between workers; `link` is told
  // by listen_to(), because it has to know whom to tell.
  Front(http::Router& router, Reads& reads, const Settings& settings, const Hasher& hasher,
        Flight* flight, const base::Clock& clock);

  void listen_to(Link& link) { link_ = &link; }
  Link* link() const { return link_; }
  // Told of every change beside the front.
  void pass_on_changes_to(Changes& changes) { others_ = &changes; }

  // A round: find() for each request that came; what is not found, prepare(), send_ahead() and
  // answer(), those last whose ticket waits, and last of all those that wait for others. Then
  // end_round().
  void begin_round() { now_ = clock_.now(); }
  bool find(const http::Request& request, Ticket& ticket, Answer& answer);
  void prepare(const http::Request& request, const Ticket& ticket);
  void send_ahead(const http::Request& request, const Ticket& ticket);
  // Never throws.
  Answer answer(const http::Request& request, const Ticket& ticket);
  void end_round();

  Figures figures() const;
  http::Router& router() { return router_; }

  void changed(std::string_view key) override;
  void everything_changed() override;
  void heard_from_now_on() override;

 private:
  // The request, without its query if that changes nothing.
  static http::Request named(const http::Request& request, const Ticket& ticket);
  // Sets the ticket's hash.
  bool find_in_memory(const http::Request& request, Ticket& ticket, Answer& answer);
  const Kept* find_kept(const http::Request& request, std::uint64_t hash);
  Answer to_answer(const Kept& kept, const http::Request& request, http::CacheUse use) const;
  // When it was last known to be true.
  base::TimePoint true_at(const Kept& kept) const;
  bool is_fresh(const Kept& kept) const;
  bool knows_of_no_change(const Kept& kept) const;
  std::optional<Kept> handed_over(std::uint64_t hash, const http::Request& request) const;
  std::optional<Kept> wait_for_other(const http::Request& request, std::uint64_t hash,
                                     Flight::Claim& claim) const;
  void keep_in_memory(Kept kept);
  base::TimePoint& changed_at(std::uint64_t key);
  base::TimePoint changed_at(std::uint64_t key) const;

  http::Router& router_;
  Reads& reads_;
  const Settings settings_;
  const Hasher hasher_;
  Flight* const flight_;
  const base::Clock& clock_;
  Link* link_ = nullptr;
  Changes* others_ = nullptr;
  Sketch asked_;
  Table table_;
  Table refusals_;
  base::TimePoint now_;            // of the round
  base::TimePoint heard_since_{};  // what began before may have missed a change
  // When a key was last heard to change, by its hash; two that meet here are both as late as the
  // later one.
  static constexpr std::size_t kChanges = 4096;
  std::vector<base::TimePoint> changes_;
  // Requests whose answers went because of a change, and when.
  struct Dropped {
    std::uint64_t hash = 0;
    std::uint64_t key = 0;
    base::TimePoint at{};
  };
  std::vector<Dropped> dropped_;
  // nullptr when it did not.
  const Dropped* went_lately(std::uint64_t hash) const;
  std::uint64_t invalidated_ = 0;
  std::uint64_t invalidations_ = 0;
  // What the views of the last answer look into.
  http::Response response_;
  std::optional<Kept> made_;
  std::string head_;
};

}  // namespace svc::cache
