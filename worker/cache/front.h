// Front: a router, and before it what is known already: the caches of one worker.
//
// An answer is served from here as long as it is known to be true: nothing it was made from has
// changed since, and what has changed was heard until a moment ago. Then it is made anew; and when
// the store is away, the old one goes on, marked so that nobody else keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "cache/hash.h"
#include "cache/kept.h"
#include "cache/link.h"
#include "cache/sketch.h"
#include "cache/table.h"
#include "http/router.h"
#include "loop/loop.h"
#include "loop/task.h"

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

// An answer to one request, ready to be sent.
struct Answer {
  int status = 0;
  std::string_view head;
  std::string_view body;  // empty for a HEAD
  std::string_view about;
  std::int64_t counts_for = 0;  // the account for which it counts (M5), or 0
  http::CacheUse cache = http::CacheUse::None;

  // What the views look into. If these are empty it is the front's memory, until its next call.
  std::shared_ptr<const Kept> kept{};
  http::Response response{};
  std::string own_head{};
};

class Front : public Changes {
 public:
  // Both outlive the front.
  Front(http::Router& router, const Settings& settings, const Hasher& hasher, loop::Loop& loop);

  // Of changes that are heard there; without it nothing is kept.
  void listen_to(const Link& link) { link_ = &link; }
  // Told of every change beside the front.
  void pass_on_changes_to(Changes& changes) { others_.push_back(&changes); }

  // Finds an answer that is known to be true. Never waits.
  bool find(const http::Request& request, Answer& answer);
  // Has it made, by the router or, if the same is being made already, by whom that is for. Never
  // throws. Request and answer outlive the task.
  loop::Task<> answer(const http::Request& request, Answer& answer);
  // What is answered in place of an answer that cannot be made now: what it was last, if that is
  // not too old, else a 503.
  void answer_unavailable(const http::Request& request, Answer& answer);

  Figures figures() const;
  http::Router& router() { return router_; }

  void changed(std::string_view key) override;
  void everything_changed() override;
  void heard_from_now_on() override;

 private:
  // An answer that is being made, and who waits for it.
  struct Making {
    std::string path;
    std::string query;
    std::shared_ptr<const Kept> made{};  // nothing: it could not be made
    std::vector<std::coroutine_handle<>> waiting{};
  };
  class Joined;

  bool shares(const http::Request& request) const;
  // The whole answer to a GET, whatever this request has of it already, and without its query if
  // that changes nothing.
  http::Request whole(const http::Request& request) const;
  loop::Task<std::shared_ptr<const Kept>> make(const http::Request& whole, std::uint64_t hash,
                                               http::Response& response);
  const Kept* find_kept(const http::Request& request, std::uint64_t hash);
  static void set(Answer& answer, const Kept& kept, const http::Request& request,
                  http::CacheUse use);
  static void set(Answer& answer, http::Response response, const http::Request& request);
  // When it was last known to be true.
  base::TimePoint true_at(const Kept& kept) const;
  bool is_fresh(const Kept& kept) const;
  bool knows_of_no_change(const Kept& kept) const;
  void keep_in_memory(Kept kept);
  base::TimePoint& changed_at(std::uint64_t key) { return changes_[key % kChanges]; }
  base::TimePoint changed_at(std::uint64_t key) const { return changes_[key % kChanges]; }

  http::Router& router_;
  const Settings settings_;
  const Hasher hasher_;
  loop::Loop& loop_;
  const base::Clock& clock_;
  const Link* link_ = nullptr;
  std::vector<Changes*> others_;
  Sketch asked_;
  Table table_;
  Table refusals_;
  base::TimePoint heard_since_{};  // what began before may have missed a change
  // When a key was last heard to change, by its hash; two that meet here are both as late as the
  // later one.
  static constexpr std::size_t kChanges = 4096;
  std::vector<base::TimePoint> changes_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Making>> making_;  // by the request's hash
  std::uint64_t invalidated_ = 0;
  std::uint64_t invalidations_ = 0;
};

}  // namespace svc::cache
