#include "cache/response_cache.h"

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <string_view>
#include <utility>

namespace svc::cache {
namespace {

// Typical bytes per entry, for the size of the sketch.
constexpr std::size_t kUsualBytes = 2048;

// The end of the query of a page that asks for new addresses of a film that it shows already
// (nginx/player/src/player/facts.js).
constexpr std::string_view kRenewed = "&renewed";

// The link that the request opens, of a response that names one (pages-W160); 0: none.
std::int64_t opened(std::int64_t link, const http::Request& request) {
  const bool opens = link != 0 && request.method == "GET" && !request.query.ends_with(kRenewed);
  return opens ? link : 0;
}

}  // namespace

// Waits for the end of a build.
class ResponseCache::BuildWaiter {
 public:
  BuildWaiter(Build& making, const loop::Loop& loop) : making_(making), loop_(loop) {}
  ~BuildWaiter() {
    if (making_.leader == nullptr) return;
    std::erase(making_.waiting, &wait_);
    --making_.leader->followers;
  }
  BuildWaiter(const BuildWaiter&) = delete;
  BuildWaiter& operator=(const BuildWaiter&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    wait_.begin(waiting, loop_);
    making_.waiting.push_back(&wait_);
    ++making_.leader->followers;
  }
  void await_resume() noexcept { wait_.end(); }

 private:
  Build& making_;
  const loop::Loop& loop_;
  loop::Wait wait_;
};

// The build of a response for others too. Its end resumes them, also if the
// build is cancelled.
class ResponseCache::BuildLead {
 public:
  BuildLead(ResponseCache& owner, std::uint64_t hash, std::shared_ptr<Build> making)
      : owner_(owner), hash_(hash), making_(std::move(making)) {
    leads_ = owner_.builds_.try_emplace(hash_, making_).second;
  }
  ~BuildLead() {
    if (!leads_) return;
    owner_.builds_.erase(hash_);
    making_->leader->followers = 0;
    making_->leader = nullptr;
    for (loop::Wait* const waiting : making_->waiting) waiting->resume_soon(owner_.loop_);
  }
  BuildLead(const BuildLead&) = delete;
  BuildLead& operator=(const BuildLead&) = delete;

  void made(std::shared_ptr<const CachedResponse> response) { making_->made = std::move(response); }

 private:
  ResponseCache& owner_;
  const std::uint64_t hash_;
  const std::shared_ptr<Build> making_;
  bool leads_ = false;
};

ResponseCache::ResponseCache(http::Router& router, const Settings& settings, const Hasher& hasher,
                             loop::Loop& loop)
    : router_(router),
      settings_(settings),
      hasher_(hasher),
      loop_(loop),
      clock_(loop.clock()),
      asked_(settings.memory / kUsualBytes),
      table_(settings.memory, settings.memory / sizeof(CachedResponse), &asked_),
      // A refusal is small, unless its query is long.
      refusals_(settings.memory / 16, settings.memory > 0 ? settings.refusals : 0, nullptr),
      changes_(kChanges) {}

base::TimePoint ResponseCache::fresh_at(const CachedResponse& cached) const {
  if (feed_ == nullptr || cached.began < feed_began_) return cached.began;
  return std::max(cached.began, feed_->received_until());
}

bool ResponseCache::is_fresh(const CachedResponse& cached) const {
  const base::TimePoint now = clock_.now();
  if (now >= cached.until) return false;
  // Invalidations between its build and the new connection were missed.
  if (cached.began < feed_began_) return false;
  return now - fresh_at(cached) <= settings_.max_silence;
}

// Returns true if no invalidation of a key that it depends on was received
// since the build began.
bool ResponseCache::knows_of_no_change(const CachedResponse& cached) const {
  if (cached.began < feed_began_) return false;
  return std::all_of(cached.made_from.begin(), cached.made_from.end(),
                     [&](std::uint64_t key) { return cached.began > changed_at(key); });
}

// A query has neither line ends nor tabs.
void ResponseCache::CacheKey::vary(const Hasher& hasher, const CachedResponse& by,
                                   const http::Request& request, std::string_view language) {
  varied_.assign(plain_query_);
  if (by.varies_by_site) varied_.append("\n").append(request.site);
  if (by.varies_by_language) varied_.append("\t").append(language);
  hash = hasher.of(path, varied_);
}

std::string_view ResponseCache::language_for(const http::Request& request) const {
  if (!request.language.empty()) return request.language;
  const http::Endpoint* const endpoint = router_.find(request.path);
  return endpoint != nullptr ? endpoint->language_for(request) : std::string_view();
}

void ResponseCache::vary(CacheKey& cache_key, const CachedResponse& by,
                         const http::Request& request) const {
  cache_key.vary(hasher_, by, request, by.varies_by_language ? language_for(request) : "");
}

const CachedResponse* ResponseCache::find_fresh(CacheKey& cache_key, const http::Request& request) {
  const auto find = [&]() -> const CachedResponse* {
    const CachedResponse* cached = table_.find(cache_key.hash, cache_key.path, cache_key.query());
    if (cached == nullptr)
      cached = refusals_.find(cache_key.hash, cache_key.path, cache_key.query());
    return cached != nullptr && is_fresh(*cached) ? cached : nullptr;
  };
  const CachedResponse* const cached = find();
  if (cached == nullptr || !cached->varies()) return cached;
  vary(cache_key, *cached, request);
  return find();
}

void ResponseCache::set(Answer& answer, const CachedResponse& cached, const http::Request& request,
                        http::CacheUse use) {
  answer.about = cached.about;
  answer.counts_for = request.method == "GET" ? cached.counts_for : 0;
  answer.opened_link = opened(cached.opened_link, request);
  answer.cache = use;
  answer.refused_for = cached.refused_for;
  answer.viewing = http::Viewing::None;
  if (!cached.bare.empty() && http::names_tag(request.if_none_match, cached.tag)) {
    answer.status = 304;
    answer.head = cached.bare;
    answer.body = {};
    return;
  }
  answer.status = cached.status;
  answer.head = cached.head;
  answer.body = request.method == "HEAD" ? std::string_view() : std::string_view(cached.body);
}

void ResponseCache::set(Answer& answer, http::Response response, const http::Request& request) {
  answer.response = std::move(response);
  const http::Response& own = answer.response;
  answer.own_head.clear();
  http::append_head(answer.own_head, own);
  answer.status = own.status;
  answer.head = answer.own_head;
  answer.body = request.method == "HEAD" ? std::string_view() : std::string_view(own.body);
  answer.about = own.about;
  answer.counts_for = request.method == "GET" && own.status != 503 ? own.counts_for : 0;
  answer.opened_link = opened(own.opened_link, request);
  answer.cache = own.cache;
  answer.refused_for = own.refused_for;
  answer.viewing = own.viewing;
}

bool ResponseCache::shares(const http::Request& request) const {
  if (feed_ == nullptr || !request.is_get_or_head()) return false;
  const http::Endpoint* endpoint = router_.find(request.path);
  return endpoint != nullptr && endpoint->shares_answers(request);
}

http::Request ResponseCache::whole(const http::Request& request) const {
  http::Request whole = request;
  whole.method = "GET";
  whole.if_none_match = {};
  if (!request.query.empty()) whole.query = router_.match(whole)->query_used(whole);
  return whole;
}

bool ResponseCache::find(const http::Request& request, Answer& answer) {
  if (feed_ == nullptr || !request.is_get_or_head()) return false;
  CacheKey cache_key(hasher_, request);
  const CachedResponse* cached = find_fresh(cache_key, request);
  std::uint64_t hash = cache_key.hash;
  if (cached == nullptr) {
    if (request.query.empty() || !shares(request)) return false;
    const http::Request asked = whole(request);
    if (asked.query.size() == request.query.size()) return false;
    CacheKey other(hasher_, asked);
    cached = find_fresh(other, request);
    if (cached == nullptr) return false;
    hash = other.hash;
  }
  if (!cached->is_refusal()) asked_.count(hash);
  set(answer, *cached, request, http::CacheUse::Memory);
  return true;
}

loop::Task<> ResponseCache::answer(const http::Request& request, Answer& answer) {
  const bool shared = shares(request);
  // With a memory of 0 bytes the cache stores nothing; the reads of the store are shared anyway.
  if (!shared || settings_.memory == 0) {
    http::Response response = co_await router_.answer(request);
    if (shared && response.cache == http::CacheUse::None) response.cache = http::CacheUse::Miss;
    set(answer, std::move(response), request);
    co_return;
  }
  http::Request asked = whole(request);
  asked.language = language_for(request);
  CacheKey cache_key(hasher_, asked);
  find_fresh(cache_key, asked);
  // If a key was invalidated during the build, the result is not shared: one of
  // the waiting requests builds again, and the others wait for that.
  while (feed_->is_up()) {
    const auto found = builds_.find(cache_key.hash);
    if (found == builds_.end() || found->second->path != cache_key.path ||
        found->second->query != cache_key.query())
      break;
    const std::shared_ptr<Build> making = found->second;
    BuildWaiter waiter(*making, loop_);
    co_await waiter;
    if (!making->made) break;
    const CachedResponse& made = *making->made;
    if (!knows_of_no_change(made)) continue;
    if (made.query != cache_key.query()) {
      // It turned out to vary.
      vary(cache_key, made, asked);
      if (made.query != cache_key.query()) continue;
    }
    answer.cached = making->made;
    if (!answer.cached->is_refusal()) asked_.count(cache_key.hash);
    set(answer, *answer.cached, request, http::CacheUse::Handover);
    co_return;
  }
  http::Response response;
  answer.cached = co_await make(asked, std::move(cache_key), answer, response);
  if (answer.cached) {
    set(answer, *answer.cached, request, response.cache);
  } else {
    answer_unavailable(request, answer);
  }
}

// Returns nullptr if the store is unavailable.
loop::Task<std::shared_ptr<const CachedResponse>> ResponseCache::make(const http::Request& whole,
                                                                      CacheKey cache_key,
                                                                      Answer& answer,
                                                                      http::Response& response) {
  BuildLead lead(*this, cache_key.hash,
                 std::make_shared<Build>(Build{.path = std::string(cache_key.path),
                                               .query = std::string(cache_key.query()),
                                               .leader = &answer}));
  const base::TimePoint began = clock_.now();
  response = co_await router_.answer(whole);
  std::shared_ptr<CachedResponse> made;
  if (response.status != 503) {
    if (response.cache == http::CacheUse::None) response.cache = http::CacheUse::Miss;
    CacheKey kept(hasher_, whole);
    made = std::make_shared<CachedResponse>(to_cached_response(kept.hash, whole, response));
    made->began = began;
    if (response.fresh_for) made->until = began + *response.fresh_for;
    // The rendering was built earlier. It is as fresh as the invalidations
    // received so far.
    if (response.cache == http::CacheUse::Redis)
      made->began = std::min(began, feed_->received_until());
    for (const std::string& key : response.made_from) made->made_from.push_back(hasher_.of(key));
    const bool is_kept = !made->made_from.empty() && knows_of_no_change(*made);
    if (!made->is_refusal()) asked_.count(made->hash);
    if (made->varies()) {
      if (is_kept) store_mark(*made);
      vary(kept, *made, whole);
      made->hash = kept.hash;
      made->query = kept.query();
      if (!made->is_refusal()) asked_.count(made->hash);
    }
    if (is_kept) store(*made);
  }
  lead.made(made);
  co_return made;
}

void ResponseCache::answer_unavailable(const http::Request& request, Answer& answer) {
  if (shares(request)) {
    const http::Request asked = whole(request);
    CacheKey cache_key(hasher_, asked);
    const CachedResponse* last = table_.find(cache_key.hash, cache_key.path, cache_key.query());
    if (last != nullptr && last->varies()) {
      vary(cache_key, *last, request);
      last = table_.find(cache_key.hash, cache_key.path, cache_key.query());
    }
    const base::TimePoint now = clock_.now();
    if (last != nullptr && now < last->until && now - fresh_at(*last) <= settings_.stale) {
      auto copy = std::make_shared<CachedResponse>(*last);
      mark_stale(*copy);
      answer.cached = std::move(copy);
      set(answer, *answer.cached, request, http::CacheUse::Stale);
      return;
    }
  }
  http::Response response = router_.unavailable(request);
  if (shares(request)) response.cache = http::CacheUse::Miss;
  set(answer, std::move(response), request);
}

void ResponseCache::store(CachedResponse cached) {
  if (settings_.memory == 0) return;
  if (cached.is_refusal()) {
    cached.until = std::min(cached.until, cached.began + settings_.refusal_lifetime);
    // The former response is not valid any more.
    table_.drop(cached.hash);
    refusals_.put(std::move(cached));
  } else {
    refusals_.drop(cached.hash);
    table_.put(std::move(cached));
  }
}

void ResponseCache::store_mark(const CachedResponse& made) {
  CachedResponse mark = without_response(made);
  if (!made.is_refusal()) {
    store(std::move(mark));
    return;
  }
  const CachedResponse* const there = table_.find(mark.hash, mark.path, mark.query);
  if (there != nullptr && there->varies_by_site == mark.varies_by_site &&
      there->varies_by_language == mark.varies_by_language) {
    return;
  }
  if (settings_.memory == 0) return;
  table_.drop(mark.hash);
  mark.until = mark.began + settings_.refusal_lifetime;
  refusals_.put(std::move(mark));
}

void ResponseCache::invalidated(std::string_view key) {
  ++invalidations_;
  const std::uint64_t hash = hasher_.of(key);
  changed_at(hash) = clock_.now();
  invalidated_ += refusals_.drop_made_from(hash) + table_.drop_made_from(hash);
  for (InvalidationListener* other : others_) other->invalidated(key);
}

void ResponseCache::all_invalidated() {
  ++invalidations_;
  invalidated_ += table_.entries() + refusals_.entries();
  table_.clear();
  refusals_.clear();
  feed_began_ = clock_.now();
  for (InvalidationListener* other : others_) other->all_invalidated();
}

// Entries stay: each is served stale if the store becomes unavailable before it
// is built again.
void ResponseCache::feed_began() {
  feed_began_ = clock_.now();
  for (InvalidationListener* other : others_) other->feed_began();
}

Figures ResponseCache::figures() const {
  return {table_.evicted() + refusals_.evicted(),
          table_.rejected() + refusals_.rejected(),
          invalidated_,
          invalidations_,
          table_.entries() + refusals_.entries(),
          table_.bytes() + refusals_.bytes()};
}

}  // namespace svc::cache
