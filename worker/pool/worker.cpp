#include "pool/worker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/log.h"
#include "pool/signals.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLookAtMemoryEvery = 256;  // requests
constexpr std::size_t kLongestInLog = 80;
constexpr auto kLookAtWaiting = 10ms;

// Resident less shared pages, from /proc; 0 when that cannot be read.
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

// Its peer has closed it, so that nobody would read an answer.
bool has_hung_up(int fd) {
  pollfd one{fd, 0, 0};
  return poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

bool EvenShare::may_accept(std::size_t held) {
  own_.connections.store(static_cast<std::uint32_t>(held), std::memory_order_relaxed);
  const base::TimePoint now = clock_.now();
  own_.beat.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  if (held < 2) return true;
  // An idle worker looks up every second.
  const std::int64_t oldest = (now - std::chrono::milliseconds(1200)).time_since_epoch().count();
  for (const Slot& slot : scoreboard_.slots()) {
    if (&slot == &own_ || slot.phase.load(std::memory_order_relaxed) != Phase::Idle) continue;
    if (slot.beat.load(std::memory_order_relaxed) < oldest) continue;
    if (slot.connections.load(std::memory_order_relaxed) + 1 < held) return false;
  }
  return true;
}

Worker::Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot,
               Work work, const base::Clock& clock)
    : settings_(settings),
      slot_(slot),
      counters_(scoreboard.counters(slot)),
      work_(std::move(work)),
      router_(work_.front.router()),
      endpoint_names_(router_.routes()),
      clock_(clock),
      share_(scoreboard, slot, clock),
      listener_(socket, settings.listener, share_, clock) {
  for (const std::string& name : endpoint_names_)
    endpoint_numbers_.push_back(scoreboard.endpoint(name));
  endpoint_names_.emplace_back("none");
  endpoint_numbers_.push_back(kEndpoints - 1);
  if (work_.front.link() != nullptr) listener_.watch_too(work_.front.link()->fd());
  // The first sees whether there can be any: who cannot answer does not come up.
  exchanges_.push_back(std::make_unique<fastcgi::Exchange>());
}

std::int64_t Worker::now() const { return clock_.now().time_since_epoch().count(); }

int Worker::run(const sigset_t& waiting) {
  slot_.since.store(now(), std::memory_order_relaxed);
  slot_.beat.store(now(), std::memory_order_relaxed);
  slot_.phase.store(Phase::Idle, std::memory_order_release);
  base::TimePoint drain_until{};
  const auto drain = [&] {
    if (draining_) return;
    draining_ = true;
    drain_until = clock_.now() + settings_.drain_timeout;
    slot_.phase.store(Phase::Draining, std::memory_order_release);
    listener_.stop_accepting();
  };
  std::uint64_t served = 0;
  std::uint64_t look_at_memory_at = kLookAtMemoryEvery;
  while (true) {
    slot_.beat.store(now(), std::memory_order_relaxed);
    const cache::Link* link = work_.front.link();
    base::Duration at_most = link == nullptr ? base::Duration(1s) : link->soon();
    if (!waiting_.empty()) at_most = std::min<base::Duration>(at_most, kLookAtWaiting);
    const std::span<fastcgi::Ready> ready = listener_.wait(waiting, at_most);
    // First what has changed, then who asks for it.
    hear();
    counters_.accepted.store(listener_.accepted(), std::memory_order_relaxed);
    for (const fastcgi::Refused& refused : listener_.refused()) take_refused(refused);
    if (!ready.empty()) {
      serve(ready);
      served += ready.size();
      if (settings_.max_requests != 0 && served >= settings_.max_requests && !draining_) {
        base::log::info("worker.retires", {{"reason", "max-requests"}, {"requests", served}});
        drain();
      }
      if (settings_.memory_limit != 0 && served >= look_at_memory_at && !draining_) {
        look_at_memory_at = served + kLookAtMemoryEvery;
        if (over_memory_limit()) {
          base::log::warn("worker.retires", {{"reason", "memory-limit"}, {"requests", served}});
          drain();
        }
      }
    }
    if (!waiting_.empty()) serve_waiting();
    if (signals::take_stop()) {
      drain();
      listener_.drop_idle();
      drain_until = std::min(drain_until, clock_.now() + settings_.listener.read_timeout);
    }
    if (signals::take_drain()) drain();
    if (clock_.now() >= second_at_) {
      second_at_ = clock_.now() + 1s;
      work_.every_second();
    }
    if (draining_ && (listener_.connections() == 0 || clock_.now() >= drain_until)) {
      work_.every_second();
      return 0;
    }
  }
}

bool Worker::over_memory_limit() { return private_memory() > settings_.memory_limit; }

void Worker::hear() {
  cache::Link* link = work_.front.link();
  if (link == nullptr) return;
  const base::TimePoint time = clock_.now();
  if (!listener_.other_is_ready() && time < hear_at_) return;
  link->work();
  hear_at_ = time + link->soon();
  tell_figures();
}

void Worker::tell_figures() {
  const cache::Figures figures = work_.front.figures();
  slot_.cache_entries.store(figures.entries, std::memory_order_relaxed);
  slot_.cache_bytes.store(figures.bytes, std::memory_order_relaxed);
  counters_.cache_evicted.store(figures.evicted, std::memory_order_relaxed);
  counters_.cache_rejected.store(figures.rejected, std::memory_order_relaxed);
  counters_.cache_invalidated.store(figures.invalidated, std::memory_order_relaxed);
  counters_.cache_invalidations.store(figures.invalidations, std::memory_order_relaxed);
}

// What is known already is answered at once; for the rest the store is asked together. What another
// worker is at goes last: then nothing of ours waits behind it, least of all what others wait for.
void Worker::serve(std::span<const fastcgi::Ready> ready) {
  while (exchanges_.size() < ready.size()) {
    exchanges_.push_back(std::make_unique<fastcgi::Exchange>());
  }
  pending_.assign(ready.size(), {});
  work_.front.begin_round();
  std::size_t left = 0;
  cache::Answer answer;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    fastcgi::Exchange& exchange = *exchanges_[i];
    const bool received = exchange.receive(ready[i]);
    if (exchange.refused()) take_refused(*exchange.refused());
    if (received && !work_.front.find(exchange.request(), pending_[i].ticket, answer)) {
      const cache::Ticket& ticket = pending_[i].ticket;
      pending_[i].state = ticket.waits_for_other() ? State::Last
                          : ticket.waits()         ? State::Second
                                                   : State::First;
      ++left;
      // Alone there is nobody to share a trip with.
      if (ready.size() > 1) work_.front.prepare(exchange.request(), ticket);
      continue;
    }
    if (received) send(exchange, answer, begin(exchange.request()));
    finish(exchange, ready[i].fd);
  }
  if (left > 0) {
    if (ready.size() > 1) {
      for (std::size_t i = 0; i < ready.size(); ++i) {
        if (pending_[i].state != State::Done)
          work_.front.send_ahead(exchanges_[i]->request(), pending_[i].ticket);
      }
    }
    for (const State state : {State::First, State::Second, State::Last}) {
      for (std::size_t i = 0; i < ready.size(); ++i) {
        if (pending_[i].state != state) continue;
        fastcgi::Exchange& exchange = *exchanges_[i];
        const std::int64_t began = begin(exchange.request());
        const cache::Answer made = work_.front.answer(exchange.request(), pending_[i].ticket);
        if (made.place != 0) {
          listener_.set_aside(ready[i].fd);
          waiting_.push_back({made.place, std::move(exchanges_[i]), ready[i].fd, began});
          exchanges_[i] = std::make_unique<fastcgi::Exchange>();
          continue;
        }
        send(exchange, made, began);
        finish(exchange, ready[i].fd);
      }
    }
    work_.front.end_round();
    work_.after_round();
    tell_figures();
  }
  slot_.phase.store(draining_ ? Phase::Draining : Phase::Idle, std::memory_order_release);
}

void Worker::serve_waiting() {
  const std::vector<std::uint32_t>& due = work_.permits.due();
  if (due.empty()) return;
  work_.front.begin_round();
  for (const std::uint32_t place : due) {
    const auto found = std::ranges::find(waiting_, place, &Waiting::place);
    if (found == waiting_.end()) {
      work_.permits.leave(place);
      continue;
    }
    // It is refused, and counted as that: else an attacker would not wait for what costs.
    if (has_hung_up(found->fd)) work_.permits.leave(place);
    http::Request request = found->exchange->request();
    request.place = place;
    begin(request);
    const cache::Answer answer = work_.front.answer(request, {});
    if (answer.place != 0) continue;
    work_.permits.leave(place);
    const Waiting waited = std::move(*found);
    waiting_.erase(found);
    send(*waited.exchange, answer, waited.began);
    finish(*waited.exchange, waited.fd);
  }
  work_.front.end_round();
  work_.after_round();
  slot_.phase.store(draining_ ? Phase::Draining : Phase::Idle, std::memory_order_release);
}

std::int64_t Worker::begin(const http::Request& request) {
  const std::int64_t began = now();
  slot_.begin_request(request.path, began);
  return began;
}

void Worker::send(fastcgi::Exchange& exchange, const cache::Answer& answer, std::int64_t began) {
  const http::Request& request = exchange.request();
  slot_.phase.store(Phase::Writing, std::memory_order_release);
  if (answer.counts_for != 0) work_.count(answer.counts_for);
  // Before the answer is sent, with which the request's views end, and its sender may look.
  slot_.requests.store(slot_.requests.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
  const std::size_t route = router_.route_of(request.path);
  const base::Duration took(now() - began);
  count(route, answer, took);
  if (settings_.log_requests) log_request(request, route, answer, took);
  exchange.send(answer.head, answer.body);
}

void Worker::count(std::size_t route, const cache::Answer& answer, base::Duration took) {
  counters_.count(endpoint_numbers_[route], answer.status, took);
  if (answer.cache != http::CacheUse::None)
    add(counters_.cache[static_cast<std::size_t>(answer.cache)]);
}

// The path alone: a query may hold a secret. Cut as in the slot, so that a line stays below what a
// pipe takes in one piece.
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

// A worker that is leaving gives its connections back one by one, each behind an answer.
void Worker::finish(const fastcgi::Exchange& exchange, int fd) {
  if (exchange.may_keep() && !draining_) {
    listener_.keep(fd);
  } else {
    listener_.drop(fd);
  }
}

}  // namespace svc::pool
