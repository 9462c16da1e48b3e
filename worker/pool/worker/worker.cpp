#include "pool/worker/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/log.h"
#include "pool/signals.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLookAtMemoryEvery = 256;  // requests
constexpr std::size_t kLongestInLog = 80;

// Returns the resident minus the shared memory in bytes, from /proc; 0 if it
// cannot be read.
std::uint64_t private_memory() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             &std::fclose);
  unsigned long long size = 0;
  unsigned long long resident = 0;
  unsigned long long shared = 0;
  if (!file || std::fscanf(file.get(), "%llu %llu %llu", &size, &resident, &shared) != 3) return 0;
  return (resident - std::min(resident, shared)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool EvenShare::may_accept(std::size_t held) {
  own_.connections.store(static_cast<std::uint32_t>(held), std::memory_order_relaxed);
  const base::TimePoint now = clock_.now();
  own_.beat.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  if (held < 2) return true;
  // A heartbeat's period is 1 s.
  const std::int64_t oldest = (now - std::chrono::milliseconds(1200)).time_since_epoch().count();
  for (const Slot& slot : scoreboard_.slots()) {
    const Phase phase = slot.phase.load(std::memory_order_relaxed);
    if (&slot == &own_ || (phase != Phase::Idle && phase != Phase::Handling)) continue;
    if (slot.beat.load(std::memory_order_relaxed) < oldest) continue;
    if (slot.connections.load(std::memory_order_relaxed) + 1 < held) return false;
  }
  return true;
}

Worker::Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot,
               Work work, loop::Loop& loop)
    : settings_(settings),
      slot_(slot),
      counters_(scoreboard.counters(slot)),
      work_(std::move(work)),
      router_(work_.responses.router()),
      endpoint_names_(router_.routes()),
      loop_(loop),
      clock_(loop.clock()),
      share_(scoreboard, slot, clock_),
      listener_(socket, settings.listener, share_, loop),
      overdue_(loop, [this] { answer_overdue(); }),
      late_(loop, [this] { refuse_late(); }),
      look_at_memory_at_(kLookAtMemoryEvery),
      tasks_(loop) {
  for (const std::string& name : endpoint_names_)
    endpoint_numbers_.push_back(scoreboard.endpoint(name));
  endpoint_names_.emplace_back("none");
  endpoint_numbers_.push_back(kEndpoints - 1);
}

void Worker::drain() {
  if (draining_) return;
  draining_ = true;
  drain_until_ = clock_.now() + settings_.drain_timeout;
  slot_.phase.store(Phase::Draining, std::memory_order_release);
  listener_.stop_accepting();
}

void Worker::stop() {
  drain();
  listener_.drop_idle();
  drain_until_ = std::min(drain_until_, clock_.now() + settings_.listener.read_timeout);
}

int Worker::run(const sigset_t& waiting) {
  slot_.since.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  slot_.beat.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  slot_.phase.store(Phase::Idle, std::memory_order_release);
  while (turn(base::Duration::max(), &waiting)) {
  }
  return 0;
}

bool Worker::turn(base::Duration at_most, const sigset_t* waiting) {
  slot_.beat.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
  // The turn processes invalidations before the requests that arrive with them.
  loop_.turn(std::min(at_most, listener_.prepare_wait()), waiting);
  if (listener_.take_gone()) cut_short();
  // Before the requests are served: a request may be for the status page.
  counters_.accepted.store(listener_.accepted(), std::memory_order_relaxed);
  for (const fastcgi::Ready& ready : listener_.take_ready()) take(ready);
  start_queued();
  for (const fastcgi::Refused& refused : listener_.take_refused()) take_refused(refused);
  tell_phase();
  tell_figures();
  retire_if_due();
  if (signals::take_stop()) stop();
  if (signals::take_drain()) drain();
  count_work();
  if (clock_.now() >= second_at_) {
    second_at_ = clock_.now() + 1s;
    work_.every_second();
  }
  served_now_.clear();
  return !draining_ || (listener_.connections() > 0 && clock_.now() < drain_until_);
}

void Worker::retire_if_due() {
  if (draining_) return;
  if (settings_.max_requests != 0 && served_ >= settings_.max_requests &&
      clock_.now() >= ask_store_at_) {
    ask_store_at_ = clock_.now() + 1s;
    tasks_.spawn(retire_if_store_answers());
  }
  if (settings_.memory_limit == 0 || served_ < look_at_memory_at_) return;
  look_at_memory_at_ = served_ + kLookAtMemoryEvery;
  if (!over_memory_limit()) return;
  base::log::warn("worker.retires", {{"reason", "memory-limit"}, {"requests", served_}});
  drain();
}

loop::Task<> Worker::retire_if_store_answers() {
  const bool answers = co_await work_.store_answers();
  if (!answers || draining_) co_return;
  base::log::info("worker.retires", {{"reason", "max-requests"}, {"requests", served_}});
  drain();
}

// Also frees its place among the requests that need the store.
void Worker::InFlight::takes_longer(base::Duration by) {
  deadline = began + worker->settings_.request_timeout + by;
  if (needs_store) --worker->running_;
  needs_store = false;
}

bool Worker::over_memory_limit() { return private_memory() > settings_.memory_limit; }

void Worker::tell_phase() {
  slot_.in_flight.store(static_cast<std::uint32_t>(running_), std::memory_order_relaxed);
  slot_.queued.store(static_cast<std::uint32_t>(queued_.size()), std::memory_order_relaxed);
  slot_.phase.store(draining_            ? Phase::Draining
                    : in_flight_.empty() ? Phase::Idle
                                         : Phase::Handling,
                    std::memory_order_release);
}

void Worker::tell_figures() {
  const cache::Figures figures = work_.responses.figures();
  slot_.cache_entries.store(figures.entries, std::memory_order_relaxed);
  slot_.cache_bytes.store(figures.bytes, std::memory_order_relaxed);
  counters_.cache_evicted.store(figures.evicted, std::memory_order_relaxed);
  counters_.cache_rejected.store(figures.rejected, std::memory_order_relaxed);
  counters_.cache_invalidated.store(figures.invalidated, std::memory_order_relaxed);
  counters_.cache_invalidations.store(figures.invalidations, std::memory_order_relaxed);
}

void Worker::take(const fastcgi::Ready& ready) {
  ++served_;
  const bool keeps = ready.keeps && ready.alone;
  const base::TimePoint began = clock_.now();
  http::Request seen;
  const bool viewed = fastcgi::view_request(ready.request, seen);
  if (viewed && work_.responses.find(seen, from_memory_)) {
    slot_.begin_request(seen.path, began.time_since_epoch().count());
    send(ready.fd, ready.id, keeps, seen, from_memory_, began);
    return;
  }
  InFlight& one = in_flight_.emplace_back(*this);
  one.place = std::prev(in_flight_.end());
  one.fd = ready.fd;
  one.id = ready.id;
  one.keeps = keeps;
  one.began = began;
  one.deadline = began + settings_.request_timeout;
  using Outcome = fastcgi::RequestDecoder::Outcome;
  Outcome outcome = Outcome::Whole;
  if (viewed) {
    one.request = seen;
    fastcgi::copy_fields(one.request, one.text);
  } else {
    outcome = decoder_.decode(ready.request, one.request, one.text);
  }
  if (outcome == Outcome::Cut) {
    listener_.drop(ready.fd);
    in_flight_.erase(one.place);
    return;
  }
  if (outcome == Outcome::WrongLength) {
    constexpr std::string_view kWhy = "the body's length is not what Content-Length says";
    const http::Response refusal = http::json_error(400, kWhy);
    std::string head;
    http::append_head(head, refusal);
    listener_.answer(ready.fd, ready.id, {head, refusal.body}, fastcgi::Listener::Then::Close);
    take_refused({std::string(one.request.path), 400});
    in_flight_.erase(one.place);
    return;
  }
  one.request.peer = &one;
  slot_.begin_request(one.request.path, began.time_since_epoch().count());
  if (!viewed && work_.responses.find(one.request, one.answer)) {
    send(one);
    in_flight_.erase(one.place);
    return;
  }
  look_for_overdue(one.deadline);
  one.needs_store = router_.needs_store(one.request.path);
  if (!one.needs_store || (running_ < settings_.max_in_flight && queued_.empty())) {
    start(one);
  } else if (queued_.size() < settings_.max_queued) {
    queued_.push_back(&one);
    if (!late_.is_set()) late_.set(one.began + settings_.queue_timeout);
  } else {
    add(counters_.refused);
    answer_unavailable(one);
    in_flight_.erase(one.place);
  }
}

// A millisecond at a time: all workers write one number.
void Worker::count_work() {
  if (work_.shares == nullptr) return;
  const base::TimePoint now = clock_.now();
  const base::Duration waited = loop_.waited() - counted_wait_;
  const base::Duration helped = loop_.helped() - counted_help_;
  const base::Duration worked = now - counted_at_ - waited + helped;
  if (worked < 1ms && waited < 1s) return;
  work_.shares->worked(worked, now);
  counted_at_ = now;
  counted_wait_ += waited;
  counted_help_ += helped;
}

void Worker::start(InFlight& one) {
  if (one.needs_store) {
    ++running_;
    if (work_.shares != nullptr) one.count_use();
  }
  one.task.spawn(serve(one), one.use ? one.use->spent() : nullptr);
}

loop::Task<> Worker::serve(InFlight& one) {
  co_await work_.responses.answer(one.request, one.answer);
  if (!one.answered) send(one);
  if (one.needs_store) --running_;
  if (one.use) one.use->finish();
  served_now_.splice(served_now_.end(), in_flight_, one.place);
}

void Worker::cut_short() {
  // A request that waited for the response of another may have been the last.
  for (bool again = true; std::exchange(again, false);) {
    for (auto at = in_flight_.begin(); at != in_flight_.end();) {
      InFlight& one = *at++;
      const bool is_needed = !one.answered && !listener_.has_gone(one.fd);
      if (one.task.is_empty() || is_needed || !one.request.is_get_or_head() ||
          one.answer.followers > 0)
        continue;
      if (!one.answered) listener_.drop(one.fd);
      if (one.needs_store) --running_;
      in_flight_.erase(one.place);
      again = true;
    }
  }
}

void Worker::start_queued() {
  while (!queued_.empty() && running_ < settings_.max_in_flight) {
    InFlight& one = *queued_.front();
    queued_.pop_front();
    if (one.answered) {
      in_flight_.erase(one.place);
      continue;
    }
    if (one.has_left()) {
      listener_.drop(one.fd);
      in_flight_.erase(one.place);
      // Another request may have built the same response in the meantime.
    } else if (work_.responses.find(one.request, one.answer)) {
      send(one);
      in_flight_.erase(one.place);
    } else {
      start(one);
    }
  }
  if (queued_.empty()) late_.stop();
}

void Worker::refuse_late() {
  const base::TimePoint now = clock_.now();
  while (!queued_.empty() && queued_.front()->began + settings_.queue_timeout <= now) {
    InFlight& one = *queued_.front();
    queued_.pop_front();
    if (!one.answered) {
      add(counters_.refused);
      answer_unavailable(one);
    }
    in_flight_.erase(one.place);
  }
  if (!queued_.empty()) late_.set(queued_.front()->began + settings_.queue_timeout);
}

// A request that is not cut short continues; its response is discarded.
void Worker::answer_overdue() {
  const base::TimePoint now = clock_.now();
  base::TimePoint next = base::TimePoint::max();
  for (InFlight& one : in_flight_) {
    if (one.answered) continue;
    if (one.deadline > now) {
      next = std::min(next, one.deadline);
      continue;
    }
    add(counters_.slow);
    base::log::warn("request.slow",
                    {{"role", settings_.name},
                     {"request_id", one.request.request_id.substr(0, kLongestInLog)},
                     {"path", one.request.path.substr(0, slot_.path.size() - 1)},
                     {"ms", static_cast<double>((now - one.began).count()) / 1e6}});
    cache::Answer instead;
    work_.responses.answer_unavailable(one.request, instead);
    send(one.fd, one.id, one.keeps, one.request, instead, one.began);
    one.answered = true;
  }
  if (next != base::TimePoint::max()) look_for_overdue(next);
  cut_short();
}

// Sets the timer to the earliest deadline. Deadlines are not in order of
// arrival: takes_longer() postpones some.
void Worker::look_for_overdue(base::TimePoint at) {
  if (overdue_.is_set() && overdue_at_ <= at) return;
  overdue_at_ = at;
  overdue_.set(at);
}

void Worker::answer_unavailable(InFlight& one) {
  work_.responses.answer_unavailable(one.request, one.answer);
  send(one);
}

void Worker::send(InFlight& one) {
  send(one.fd, one.id, one.keeps, one.request, one.answer, one.began);
  one.answered = true;
}

void Worker::send(int fd, std::uint16_t id, bool keeps, const http::Request& request,
                  const cache::Answer& answer, base::TimePoint began) {
  if (answer.counts_for != 0) work_.count(answer.counts_for);
  if (answer.opened_link != 0) work_.count_opening(answer.about, answer.opened_link);
  // Count before sending, so that a client that has the response finds it
  // counted.
  add(slot_.requests);
  const std::size_t route = router_.route_of(request.path);
  const base::Duration took = clock_.now() - began;
  count(route, answer, took);
  if (settings_.log_requests) log_request(request, route, answer, took);
  // A draining worker closes each connection after its next response.
  using Then = fastcgi::Listener::Then;
  listener_.answer(fd, id, {answer.head, answer.body},
                   keeps && !draining_ ? Then::Keep : Then::Close);
}

void Worker::count(std::size_t route, const cache::Answer& answer, base::Duration took) {
  counters_.count(endpoint_numbers_[route], answer.status, took);
  if (answer.cache != http::CacheUse::None)
    add(counters_.cache[static_cast<std::size_t>(answer.cache)]);
  if (answer.refused_for != http::WatchRefusal::None)
    add(counters_.watch_refusals[static_cast<std::size_t>(answer.refused_for)]);
  if (answer.viewing != http::Viewing::None)
    add(counters_.viewings[static_cast<std::size_t>(answer.viewing)]);
}

// Only the path: a query may contain a secret. Cut as in the slot, so that a
// pipe takes the line in one piece.
void Worker::log_request(const http::Request& request, std::size_t route,
                         const cache::Answer& answer, base::Duration took) const {
  base::log::info("request", {{"role", settings_.name},
                              {"request_id", request.request_id.substr(0, kLongestInLog)},
                              {"endpoint", endpoint_names_[route]},
                              {"path", request.path.substr(0, slot_.path.size() - 1)},
                              {"status", answer.status},
                              {"ms", static_cast<double>(took.count()) / 1e6},
                              {"cache", to_text(answer.cache)},
                              {"about", answer.about}});
}

void Worker::take_refused(const fastcgi::Refused& refused) {
  http::Request request;
  request.path = refused.path;
  cache::Answer answer;
  answer.status = refused.status;
  const std::size_t route = router_.route_of(refused.path);
  count(route, answer, {});
  if (settings_.log_requests) log_request(request, route, answer, {});
}

}  // namespace svc::pool
