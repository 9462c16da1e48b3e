// ResponseCache: one worker's cache of finished responses, in front of its router.
//
// A cached response is fresh if all of this holds: no key that it depends on was invalidated; its
// build began after the current invalidation connection was up; its build, or the last moment up to
// which all invalidations were received, is at most `unheard` old. Otherwise it is built again,
// once for all equal requests. While the store is unavailable a stale response is served instead,
// with Cache-Control: no-cache.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "cache/cached_response.h"
#include "cache/hash.h"
#include "cache/link.h"
#include "cache/sketch.h"
#include "cache/table.h"
#include "http/router.h"
#include "loop/loop.h"
#include "loop/task.h"

namespace svc::cache {

struct Settings {
  std::size_t memory = 16 << 20;  // bytes; 0: no answers in memory
  // How long a response stays fresh without contact to the state Redis.
  base::Duration unheard = kUnheard;
  // How old a stale response may be while the store is unavailable, counted from when it was last
  // fresh.
  base::Duration stale = std::chrono::seconds(3600);
  std::size_t refusals = 1000;
  base::Duration refusal_lifetime = std::chrono::seconds(10);
};

struct Figures {
  std::uint64_t evicted = 0;        // since the worker's start, as the next three
  std::uint64_t rejected = 0;       // not admitted
  std::uint64_t invalidated = 0;    // entries deleted by an invalidation
  std::uint64_t invalidations = 0;  // received
  std::uint64_t entries = 0;        // now
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

  // What the views look into. If these are empty it is the cache's memory, until its next call.
  std::shared_ptr<const CachedResponse> cached{};
  http::Response response{};
  std::string own_head{};
};

class ResponseCache : public Changes {
 public:
  // Both outlive the cache.
  ResponseCache(http::Router& router, const Settings& settings, const Hasher& hasher,
                loop::Loop& loop);

  // Receives invalidations from `link`, which outlives the cache; without it nothing is cached.
  void listen_to(const Link& link) { link_ = &link; }
  // Forwards every invalidation to `changes`, which outlives the cache.
  void pass_on_changes_to(Changes& changes) { others_.push_back(&changes); }

  // Returns true, and sets `answer`, if there is a fresh response. Never waits.
  bool find(const http::Request& request, Answer& answer);
  // Has the router build the response, or waits for a build of the same response that is running.
  // Never throws. Request and answer outlive the task.
  loop::Task<> answer(const http::Request& request, Answer& answer);
  // Sets the answer for a request that cannot be answered now: the cached response if it is at most
  // `stale` old, else a 503.
  void answer_unavailable(const http::Request& request, Answer& answer);

  Figures figures() const;
  http::Router& router() { return router_; }

  void changed(std::string_view key) override;
  void everything_changed() override;
  void heard_from_now_on() override;

 private:
  // A response that is being built, and the requests that wait for it.
  struct Build {
    std::string path;
    std::string query;
    std::shared_ptr<const CachedResponse> made{};  // nothing: the store is unavailable
    std::vector<std::coroutine_handle<>> waiting{};
  };
  class BuildWaiter;

  bool shares(const http::Request& request) const;
  // The whole answer to a GET, whatever this request has of it already, and without its query if
  // that changes nothing.
  http::Request whole(const http::Request& request) const;
  loop::Task<std::shared_ptr<const CachedResponse>> make(const http::Request& whole,
                                                         std::uint64_t hash,
                                                         http::Response& response);
  const CachedResponse* find_cached(const http::Request& request, std::uint64_t hash);
  static void set(Answer& answer, const CachedResponse& cached, const http::Request& request,
                  http::CacheUse use);
  static void set(Answer& answer, http::Response response, const http::Request& request);
  // When it was last fresh.
  base::TimePoint fresh_at(const CachedResponse& cached) const;
  bool is_fresh(const CachedResponse& cached) const;
  bool knows_of_no_change(const CachedResponse& cached) const;
  void store(CachedResponse cached);
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
  base::TimePoint heard_since_{};  // a build begun earlier may have missed an invalidation
  // When a key was last invalidated, by its hash. Keys that share a place share the later moment.
  static constexpr std::size_t kChanges = 4096;
  std::vector<base::TimePoint> changes_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Build>> builds_;  // by the request's hash
  std::uint64_t invalidated_ = 0;
  std::uint64_t invalidations_ = 0;
};

}  // namespace svc::cache
