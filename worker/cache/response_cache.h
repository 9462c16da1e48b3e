// ResponseCache: one worker's cache of complete responses, in front of its
// router.
//
// A cached response is fresh if all of this holds: no key that it depends on
// was invalidated; its build began after the current invalidation connection
// was established; its build, or the time up to which all invalidations were
// received, is at most `max_silence` old. Otherwise it is built again. While the
// invalidation connection is up, equal requests share one build. While the
// store is unavailable, a stale response is served instead, with Cache-Control:
// no-cache.
#pragma once

#include <chrono>
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
#include "cache/invalidation_feed.h"
#include "cache/response_table.h"
#include "cache/sketch.h"
#include "http/router.h"
#include "loop/loop.h"
#include "loop/task.h"

namespace svc::cache {

struct Settings {
  std::size_t memory = 16 << 20;  // bytes; 0: nothing is cached
  // How long a response stays fresh without contact to the state Redis.
  base::Duration max_silence = kMaxSilence;
  // The maximum age of a stale response while the store is unavailable, since
  // it was last fresh. If the invalidation connection was re-established since
  // its build: since the start of that build.
  base::Duration stale = std::chrono::seconds(3600);
  std::size_t refusals = 1000;
  base::Duration refusal_lifetime = std::chrono::seconds(10);
};

struct Figures {
  std::uint64_t evicted = 0;        // since the worker's start, like the next three
  std::uint64_t rejected = 0;       // not admitted
  std::uint64_t invalidated = 0;    // entries deleted by invalidations
  std::uint64_t invalidations = 0;  // received
  std::uint64_t entries = 0;        // current, like the next
  std::uint64_t bytes = 0;
};

// A response to one request, ready to be sent.
struct Answer {
  int status = 0;
  std::string_view head;
  std::string_view body;  // empty for a HEAD
  std::string_view about;
  std::int64_t counts_for = 0;   // the account whose count increases (oembed-M5); 0: none
  std::int64_t opened_link = 0;  // of the media in `about`; 0: none
  http::CacheUse cache = http::CacheUse::None;
  http::WatchRefusal refused_for = http::WatchRefusal::None;
  http::Viewing viewing = http::Viewing::None;

  // The views refer to these. If these are empty, the views refer to the
  // cache's memory and are valid until its next call.
  std::shared_ptr<const CachedResponse> cached{};
  http::Response response{};
  std::string own_head{};
  // The number of other requests that wait for the response that answer()
  // builds here. If there are any, its task should not be cancelled.
  std::size_t followers = 0;
};

class ResponseCache : public InvalidationListener {
 public:
  // All references must outlive the cache.
  ResponseCache(http::Router& router, const Settings& settings, const Hasher& hasher,
                loop::Loop& loop);

  // Uses the state of `feed`, which outlives the cache. Before this call the cache stores nothing.
  void use_feed(const InvalidationFeed& feed) { feed_ = &feed; }
  // Forwards every invalidation to `changes`, which outlives the cache.
  void forward_to(InvalidationListener& changes) { others_.push_back(&changes); }

  // Returns true and sets `answer` if there is a fresh response. Never waits.
  bool find(const http::Request& request, Answer& answer);
  // Sets `answer`: builds the response, or waits for a running build of the
  // same response. Catches base::Unavailable. Request and answer outlive the
  // task, which may be cancelled. Then requests that wait for its build build
  // the response themselves.
  loop::Task<> answer(const http::Request& request, Answer& answer);
  // Sets `answer` for a request that cannot be answered now: the cached
  // response if it is at most `stale` old (a refusal never), otherwise a 503.
  void answer_unavailable(const http::Request& request, Answer& answer);

  Figures figures() const;
  http::Router& router() { return router_; }

  void invalidated(std::string_view key) override;
  void all_invalidated() override;
  void feed_began() override;

 private:
  // A response that is being built, and the requests that wait for it.
  struct Build {
    std::string path;
    std::string query;
    Answer* leader;                                // nullptr: the build is over
    std::shared_ptr<const CachedResponse> made{};  // nullptr: the store is unavailable
    std::vector<loop::Wait*> waiting{};
  };
  class BuildWaiter;
  class BuildLead;

  // What finds the response to a request: path and query, and site and language if it varies by
  // these.
  class CacheKey {
   public:
    CacheKey(const Hasher& hasher, const http::Request& request)
        : hash(hasher.of(request.path, request.query)),
          path(request.path),
          plain_query_(request.query) {}
    // Adds what a response varies by.
    void vary(const Hasher& hasher, const CachedResponse& by, const http::Request& request,
              std::string_view language);
    std::string_view query() const { return varied_.empty() ? plain_query_ : varied_; }

    std::uint64_t hash;
    std::string_view path;

   private:
    std::string_view plain_query_;
    std::string varied_;
  };

  bool shares(const http::Request& request) const;
  std::string_view language_for(const http::Request& request) const;
  void vary(CacheKey& cache_key, const CachedResponse& by, const http::Request& request) const;
  // Returns the request for the whole response: a GET without If-None-Match,
  // and without the query if the response does not depend on it.
  http::Request whole(const http::Request& request) const;
  loop::Task<std::shared_ptr<const CachedResponse>> make(const http::Request& whole,
                                                         CacheKey cache_key, Answer& answer,
                                                         http::Response& response);
  // Adds to the key what the response found by it varies by.
  const CachedResponse* find_fresh(CacheKey& cache_key, const http::Request& request);
  static void set(Answer& answer, const CachedResponse& cached, const http::Request& request,
                  http::CacheUse use);
  static void set(Answer& answer, http::Response response, const http::Request& request);
  // Returns when it was last fresh.
  base::TimePoint fresh_at(const CachedResponse& cached) const;
  bool is_fresh(const CachedResponse& cached) const;
  bool knows_of_no_change(const CachedResponse& cached) const;
  void store(CachedResponse cached);
  // That a response varies: where refusals are, if it is one, so that those of made-up paths take
  // no room of responses.
  void store_mark(const CachedResponse& made);
  base::TimePoint& changed_at(std::uint64_t key) { return changes_[key % kChanges]; }
  base::TimePoint changed_at(std::uint64_t key) const { return changes_[key % kChanges]; }

  http::Router& router_;
  const Settings settings_;
  const Hasher hasher_;
  loop::Loop& loop_;
  const base::Clock& clock_;
  const InvalidationFeed* feed_ = nullptr;
  std::vector<InvalidationListener*> others_;
  Sketch asked_;
  ResponseTable table_;
  ResponseTable refusals_;
  base::TimePoint feed_began_{};  // a build begun earlier may have missed an invalidation
  // When a key was last invalidated, by its hash modulo kChanges. Keys that
  // share an element share the latest time.
  static constexpr std::size_t kChanges = 4096;
  std::vector<base::TimePoint> changes_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Build>> builds_;  // by the hash of the request
  std::uint64_t invalidated_ = 0;
  std::uint64_t invalidations_ = 0;
};

}  // namespace svc::cache
