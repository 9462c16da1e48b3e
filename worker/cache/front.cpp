#include "cache/front.h"

#include <algorithm>
#include <utility>

namespace svc::cache {
namespace {

// An entry of ours has about so many bytes; it decides how finely askers are told apart.
constexpr std::size_t kUsualBytes = 2048;
// A request that was seen so often may well be in other workers' hands too.
constexpr unsigned kHot = 2;
// Much longer than an answer takes to make; much shorter than anybody's patience.
constexpr auto kWaitForOther = std::chrono::milliseconds(50);
// Whoever makes an answer anew after a change lets the other workers hear of it first, so long at
// most: an answer is handed over only to who had heard of all changes before it was begun.
constexpr auto kOthersHear = std::chrono::milliseconds(10);
// Others may have heard of it so much earlier.
constexpr auto kEarlier = std::chrono::milliseconds(5);
constexpr std::size_t kDropped = 1024;

}  // namespace

Front::Front(http::Router& router, Reads& reads, const Settings& settings, const Hasher& hasher,
             Flight* flight, const base::Clock& clock)
    : router_(router),
      reads_(reads),
      settings_(settings),
      hasher_(hasher),
      flight_(settings.memory > 0 ? flight : nullptr),
      clock_(clock),
      asked_(settings.memory / kUsualBytes),
      table_(settings.memory, settings.memory / sizeof(Kept), &asked_),
      // A refusal is small, unless somebody asks with a long query.
      refusals_(settings.memory / 16, settings.memory > 0 ? settings.refusals : 0, nullptr),
      now_(clock.now()),
      changes_(kChanges),
      dropped_(kDropped) {}

base::TimePoint& Front::changed_at(std::uint64_t key) { return changes_[key % kChanges]; }
base::TimePoint Front::changed_at(std::uint64_t key) const { return changes_[key % kChanges]; }

base::TimePoint Front::true_at(const Kept& kept) const {
  if (link_ == nullptr || kept.began < heard_since_) return kept.began;
  return std::max(kept.began, link_->heard_until());
}

bool Front::is_fresh(const Kept& kept) const {
  if (kept.is_refusal() && now_ >= kept.until) return false;
  // Between its making and the link's return nobody listened.
  if (kept.began < heard_since_) return false;
  return now_ - true_at(kept) <= settings_.unheard;
}

const Kept* Front::find_kept(const http::Request& request, std::uint64_t hash) {
  const Kept* kept = table_.find(hash, request.path, request.query);
  if (kept == nullptr) kept = refusals_.find(hash, request.path, request.query);
  return kept != nullptr && is_fresh(*kept) ? kept : nullptr;
}

Answer Front::to_answer(const Kept& kept, const http::Request& request, http::CacheUse use) const {
  const std::int64_t counts_for = request.method == "GET" ? kept.counts_for : 0;
  if (!kept.bare.empty() && http::names_tag(request.if_none_match, kept.tag))
    return {304, kept.bare, {}, kept.about, counts_for, use};
  const bool whole = request.method != "HEAD";
  return {kept.status, kept.head,  whole ? std::string_view(kept.body) : std::string_view(),
          kept.about,  counts_for, use};
}

http::Request Front::named(const http::Request& request, const Ticket& ticket) {
  http::Request named = request;
  if (ticket.ignores_query) named.query = {};
  return named;
}

bool Front::find_in_memory(const http::Request& request, Ticket& ticket, Answer& answer) {
  ticket.hash = hasher_.of(request.path, request.query);
  const Kept* kept = find_kept(request, ticket.hash);
  if (kept == nullptr) return false;
  if (!kept->is_refusal()) asked_.count(ticket.hash);
  answer = to_answer(*kept, request, http::CacheUse::Memory);
  return true;
}

bool Front::find(const http::Request& request, Ticket& ticket, Answer& answer) {
  ticket = {};
  if (link_ == nullptr || !request.is_get_or_head()) return false;
  if (find_in_memory(request, ticket, answer)) return true;
  const http::Endpoint* endpoint = router_.find(request.path);
  ticket.shares = endpoint != nullptr && endpoint->shares_answers(request);
  ticket.ignores_query =
      ticket.shares && !request.query.empty() && endpoint->ignores_query(request);
  const http::Request asked = named(request, ticket);
  if (ticket.ignores_query && find_in_memory(asked, ticket, answer)) return true;
  if (!ticket.shares || flight_ == nullptr || !link_->is_up()) return false;
  if (asked_.estimate(ticket.hash) + 1 >= kHot) ticket.claim = flight_->claim(ticket.hash);
  // What lies there may be from before a change: then it is ours to make again.
  if (ticket.claim == Flight::Claim::Landed && !handed_over(ticket.hash, asked))
    ticket.claim = flight_->claim_again(ticket.hash);
  ticket.went_lately = ticket.claim == Flight::Claim::Mine && went_lately(ticket.hash) != nullptr;
  return false;
}

const Front::Dropped* Front::went_lately(std::uint64_t hash) const {
  const Dropped& dropped = dropped_[hash % kDropped];
  return dropped.hash == hash && now_ < dropped.at + kOthersHear ? &dropped : nullptr;
}

bool Front::knows_of_no_change(const Kept& kept) const {
  if (kept.began < heard_since_) return false;
  return std::all_of(kept.made_from.begin(), kept.made_from.end(),
                     [&](std::uint64_t key) { return kept.began > changed_at(key); });
}

std::optional<Kept> Front::handed_over(std::uint64_t hash, const http::Request& request) const {
  const auto text = flight_->read(hash);
  auto kept = text ? from_text(*text) : std::nullopt;
  if (!kept || !kept->answers(request.path, request.query)) return std::nullopt;
  if (!knows_of_no_change(*kept) || !is_fresh(*kept)) return std::nullopt;
  return kept;
}

// What landed may be from before a change that we have heard of since. Then one makes it again, and
// the others wait once more.
std::optional<Kept> Front::wait_for_other(const http::Request& request, std::uint64_t hash,
                                          Flight::Claim& claim) const {
  for (int i = 0; i < 2; ++i) {
    if (claim != Flight::Claim::Theirs && claim != Flight::Claim::Landed) return std::nullopt;
    if (flight_->wait(hash, kWaitForOther)) {
      if (auto kept = handed_over(hash, request)) return kept;
    }
    claim = flight_->claim_again(hash);
  }
  return std::nullopt;
}

void Front::prepare(const http::Request& request, const Ticket& ticket) {
  if (!ticket.waits()) router_.prepare(request);
}

void Front::send_ahead(const http::Request& request, const Ticket& ticket) {
  if (!ticket.waits()) router_.send_ahead(request);
}

Answer Front::answer(const http::Request& came, const Ticket& ticket) {
  // The very object that prepare() and send_ahead() had, unless it must differ: an endpoint knows a
  // request again by its address.
  std::optional<http::Request> without_query;
  if (ticket.ignores_query) without_query = named(came, ticket);
  const http::Request& request = without_query ? *without_query : came;
  if (!ticket.shares) {
    response_ = router_.answer(request);
  } else {
    Flight::Claim claim = ticket.claim;
    // Perhaps this very round has made it.
    if (const Kept* kept = find_kept(request, ticket.hash)) {
      if (claim == Flight::Claim::Mine) flight_->land(ticket.hash, to_text(*kept));
      return to_answer(*kept, request, http::CacheUse::Memory);
    }
    if ((made_ = wait_for_other(request, ticket.hash, claim))) {
      asked_.count(ticket.hash);
      keep_in_memory(*made_);
      return to_answer(*made_, request, http::CacheUse::Handover);
    }
    const bool mine = claim == Flight::Claim::Mine;
    base::TimePoint began = now_;
    if (const Dropped* dropped = mine ? went_lately(ticket.hash) : nullptr) {
      flight_->wait_until_others_heard(dropped->key, dropped->at - kEarlier, kOthersHear);
      began = clock_.now();
      // What this round has read already is older than that.
      reads_.read_afresh(true);
    }
    // The answer that is kept is the whole one, whatever this request has of it already.
    http::Request whole = request;
    whole.method = "GET";
    whole.if_none_match = {};
    reads_.clear();
    response_ = router_.answer(whole);
    reads_.read_afresh(false);
    // An answer that another request of this round has had is not read for again.
    const bool made_now = response_.status != 503 && !reads_.keys().empty();
    if (response_.status != 503) {
      if (response_.cache == http::CacheUse::None && link_ != nullptr)
        response_.cache = http::CacheUse::Miss;
      made_ = cache::keep(ticket.hash, request, response_);
      made_->began = began;
      // That one was made earlier, and is as true as what has been heard since.
      if (response_.cache == http::CacheUse::Redis)
        made_->began = std::min(began, link_->heard_until());
      for (const std::string& key : reads_.keys()) made_->made_from.push_back(hasher_.of(key));
    }
    // A rendering of Redis' may be older than this round, so others have to judge it themselves.
    const bool lands = made_now && !made_->is_refusal() && response_.cache != http::CacheUse::Redis;
    if (mine) flight_->land(ticket.hash, lands ? to_text(*made_) : std::string());
    if (response_.status != 503) {
      if (made_now) {
        if (!made_->is_refusal()) asked_.count(ticket.hash);
        keep_in_memory(*made_);
      }
      return to_answer(*made_, request, response_.cache);
    }
    const Kept* last = table_.find(ticket.hash, request.path, request.query);
    if (last != nullptr && now_ - true_at(*last) <= settings_.stale) {
      Answer answer = to_answer(*last, request, http::CacheUse::Stale);
      head_ = stale_head(*last);
      return {last->status,
              head_,
              request.method == "HEAD" ? std::string_view() : last->body,
              answer.about,
              answer.counts_for,
              answer.cache};
    }
    response_.cache = http::CacheUse::Miss;
  }
  head_.clear();
  http::append_head(head_, response_);
  const bool counts = request.method == "GET" && response_.status != 503;
  return {response_.status,
          head_,
          request.method == "HEAD" ? std::string_view() : std::string_view(response_.body),
          response_.about,
          counts ? response_.counts_for : 0,
          response_.cache,
          response_.place};
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

void Front::end_round() {
  router_.end_round();
  reads_.clear();
}

void Front::changed(std::string_view key) {
  ++invalidations_;
  const std::uint64_t hash = hasher_.of(key);
  const base::TimePoint now = clock_.now();
  changed_at(hash) = now;
  if (flight_ != nullptr) flight_->heard(hash, now);
  invalidated_ +=
      refusals_.drop_made_from(hash) + table_.drop_made_from(hash, [&](const Kept& kept) {
        dropped_[kept.hash % kDropped] = {kept.hash, hash, now};
      });
  if (others_ != nullptr) others_->changed(key);
}

void Front::everything_changed() {
  ++invalidations_;
  invalidated_ += table_.entries() + refusals_.entries();
  table_.clear();
  refusals_.clear();
  heard_since_ = clock_.now();
  if (others_ != nullptr) others_->everything_changed();
}

// Answers stay: until each is asked for and made anew, it is what there is if the store goes away.
void Front::heard_from_now_on() {
  heard_since_ = clock_.now();
  if (flight_ != nullptr) flight_->hears();
  if (others_ != nullptr) others_->heard_from_now_on();
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
