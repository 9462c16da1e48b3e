#include "cache/front.h"

#include <algorithm>
#include <utility>

namespace svc::cache {
namespace {

// An entry of ours has about so many bytes; it decides how finely askers are told apart.
constexpr std::size_t kUsualBytes = 2048;

}  // namespace

// Waits until that answer has been made, or could not be.
class Front::Joined {
 public:
  explicit Joined(Making& making) : making_(making) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { making_.waiting.push_back(waiting); }
  void await_resume() const noexcept {}

 private:
  Making& making_;
};

Front::Front(http::Router& router, const Settings& settings, const Hasher& hasher, loop::Loop& loop)
    : router_(router),
      settings_(settings),
      hasher_(hasher),
      loop_(loop),
      clock_(loop.clock()),
      asked_(settings.memory / kUsualBytes),
      table_(settings.memory, settings.memory / sizeof(Kept), &asked_),
      // A refusal is small, unless somebody asks with a long query.
      refusals_(settings.memory / 16, settings.memory > 0 ? settings.refusals : 0, nullptr),
      changes_(kChanges) {}

base::TimePoint Front::true_at(const Kept& kept) const {
  if (link_ == nullptr || kept.began < heard_since_) return kept.began;
  return std::max(kept.began, link_->heard_until());
}

bool Front::is_fresh(const Kept& kept) const {
  const base::TimePoint now = clock_.now();
  if (kept.is_refusal() && now >= kept.until) return false;
  // Between its making and the link's return nobody listened.
  if (kept.began < heard_since_) return false;
  return now - true_at(kept) <= settings_.unheard;
}

// Heard of no change, that is: what was read for it may be read on.
bool Front::knows_of_no_change(const Kept& kept) const {
  if (kept.began < heard_since_) return false;
  return std::all_of(kept.made_from.begin(), kept.made_from.end(),
                     [&](std::uint64_t key) { return kept.began > changed_at(key); });
}

const Kept* Front::find_kept(const http::Request& request, std::uint64_t hash) {
  const Kept* kept = table_.find(hash, request.path, request.query);
  if (kept == nullptr) kept = refusals_.find(hash, request.path, request.query);
  return kept != nullptr && is_fresh(*kept) ? kept : nullptr;
}

void Front::set(Answer& answer, const Kept& kept, const http::Request& request,
                http::CacheUse use) {
  answer.about = kept.about;
  answer.counts_for = request.method == "GET" ? kept.counts_for : 0;
  answer.cache = use;
  if (!kept.bare.empty() && http::names_tag(request.if_none_match, kept.tag)) {
    answer.status = 304;
    answer.head = kept.bare;
    answer.body = {};
    return;
  }
  answer.status = kept.status;
  answer.head = kept.head;
  answer.body = request.method == "HEAD" ? std::string_view() : std::string_view(kept.body);
}

void Front::set(Answer& answer, http::Response response, const http::Request& request) {
  answer.response = std::move(response);
  const http::Response& own = answer.response;
  answer.own_head.clear();
  http::append_head(answer.own_head, own);
  answer.status = own.status;
  answer.head = answer.own_head;
  answer.body = request.method == "HEAD" ? std::string_view() : std::string_view(own.body);
  answer.about = own.about;
  answer.counts_for = request.method == "GET" && own.status != 503 ? own.counts_for : 0;
  answer.cache = own.cache;
}

bool Front::shares(const http::Request& request) const {
  if (link_ == nullptr || !request.is_get_or_head()) return false;
  const http::Endpoint* endpoint = router_.find(request.path);
  return endpoint != nullptr && endpoint->shares_answers(request);
}

http::Request Front::whole(const http::Request& request) const {
  http::Request whole = request;
  whole.method = "GET";
  whole.if_none_match = {};
  if (!request.query.empty() && router_.find(request.path)->ignores_query(request))
    whole.query = {};
  return whole;
}

bool Front::find(const http::Request& request, Answer& answer) {
  if (link_ == nullptr || !request.is_get_or_head()) return false;
  std::uint64_t hash = hasher_.of(request.path, request.query);
  const Kept* kept = find_kept(request, hash);
  if (kept == nullptr) {
    if (request.query.empty() || !shares(request)) return false;
    const http::Request asked = whole(request);
    if (!asked.query.empty()) return false;
    hash = hasher_.of(asked.path, asked.query);
    kept = find_kept(asked, hash);
    if (kept == nullptr) return false;
  }
  if (!kept->is_refusal()) asked_.count(hash);
  set(answer, *kept, request, http::CacheUse::Memory);
  return true;
}

loop::Task<> Front::answer(const http::Request& request, Answer& answer) {
  const bool shared = shares(request);
  // Without a memory there is nothing to keep, and the store's reads are shared already.
  if (!shared || settings_.memory == 0) {
    http::Response response = co_await router_.answer(request);
    if (shared && response.cache == http::CacheUse::None) response.cache = http::CacheUse::Miss;
    set(answer, std::move(response), request);
    co_return;
  }
  const http::Request asked = whole(request);
  const std::uint64_t hash = hasher_.of(asked.path, asked.query);
  // Whoever begins to make it while a change is heard makes it again, and the others wait once
  // more.
  while (link_->is_up()) {
    const auto found = making_.find(hash);
    if (found == making_.end() || found->second->path != asked.path ||
        found->second->query != asked.query)
      break;
    const std::shared_ptr<Making> making = found->second;
    Joined joined(*making);
    co_await joined;
    if (!making->made) break;
    if (!knows_of_no_change(*making->made)) continue;
    answer.kept = making->made;
    if (!answer.kept->is_refusal()) asked_.count(hash);
    set(answer, *answer.kept, request, http::CacheUse::Handover);
    co_return;
  }
  http::Response response;
  answer.kept = co_await make(asked, hash, response);
  if (answer.kept) {
    set(answer, *answer.kept, request, response.cache);
  } else {
    answer_unavailable(request, answer);
  }
}

// Nothing if the store is away.
loop::Task<std::shared_ptr<const Kept>> Front::make(const http::Request& whole, std::uint64_t hash,
                                                    http::Response& response) {
  const auto making = std::make_shared<Making>(
      Making{.path = std::string(whole.path), .query = std::string(whole.query)});
  const bool leads = making_.try_emplace(hash, making).second;
  const base::TimePoint began = clock_.now();
  response = co_await router_.answer(whole);
  std::shared_ptr<Kept> made;
  if (response.status != 503) {
    if (response.cache == http::CacheUse::None) response.cache = http::CacheUse::Miss;
    made = std::make_shared<Kept>(keep(hash, whole, response));
    made->began = began;
    // That one was made earlier, and is as true as what has been heard since.
    if (response.cache == http::CacheUse::Redis)
      made->began = std::min(began, link_->heard_until());
    for (const std::string& key : response.made_from) made->made_from.push_back(hasher_.of(key));
    if (!made->is_refusal()) asked_.count(hash);
    if (!made->made_from.empty() && knows_of_no_change(*made)) keep_in_memory(*made);
  }
  if (leads) {
    making_.erase(hash);
    making->made = made;
    for (const std::coroutine_handle<> waiting : making->waiting) loop_.resume_soon(waiting);
  }
  co_return made;
}

void Front::answer_unavailable(const http::Request& request, Answer& answer) {
  if (shares(request)) {
    const http::Request asked = whole(request);
    const std::uint64_t hash = hasher_.of(asked.path, asked.query);
    const Kept* last = table_.find(hash, asked.path, asked.query);
    if (last != nullptr && clock_.now() - true_at(*last) <= settings_.stale) {
      auto copy = std::make_shared<Kept>(*last);
      copy->head = stale_head(*last);
      answer.kept = std::move(copy);
      set(answer, *answer.kept, request, http::CacheUse::Stale);
      return;
    }
  }
  http::Response response = router_.unavailable(request);
  if (shares(request)) response.cache = http::CacheUse::Miss;
  set(answer, std::move(response), request);
}

void Front::keep_in_memory(Kept kept) {
  if (settings_.memory == 0) return;
  if (kept.is_refusal()) {
    kept.until = kept.began + settings_.refusal_lifetime;
    // What it was before is not so any more.
    table_.drop(kept.hash);
    refusals_.put(std::move(kept));
  } else {
    refusals_.drop(kept.hash);
    table_.put(std::move(kept));
  }
}

void Front::changed(std::string_view key) {
  ++invalidations_;
  const std::uint64_t hash = hasher_.of(key);
  changed_at(hash) = clock_.now();
  invalidated_ += refusals_.drop_made_from(hash) + table_.drop_made_from(hash);
  for (Changes* other : others_) other->changed(key);
}

void Front::everything_changed() {
  ++invalidations_;
  invalidated_ += table_.entries() + refusals_.entries();
  table_.clear();
  refusals_.clear();
  heard_since_ = clock_.now();
  for (Changes* other : others_) other->everything_changed();
}

// Answers stay: until each is asked for and made anew, it is what there is if the store goes away.
void Front::heard_from_now_on() {
  heard_since_ = clock_.now();
  for (Changes* other : others_) other->heard_from_now_on();
}

Figures Front::figures() const {
  return {table_.evicted() + refusals_.evicted(),
          table_.rejected() + refusals_.rejected(),
          invalidated_,
          invalidations_,
          table_.entries() + refusals_.entries(),
          table_.bytes() + refusals_.bytes()};
}

}  // namespace svc::cache
