#include "pool/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/log.h"
#include "pool/signals.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

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

}  // namespace

bool EvenShare::may_accept(std::size_t held) {
  own_.connections.store(static_cast<std::uint32_t>(held), std::memory_order_relaxed);
  if (held < 2) return true;
  for (const Slot& slot : scoreboard_.slots()) {
    if (&slot == &own_ || slot.phase.load(std::memory_order_relaxed) != Phase::Idle) continue;
    if (slot.connections.load(std::memory_order_relaxed) + 1 < held) return false;
  }
  return true;
}

Worker::Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot,
               const http::Router& router, const base::Clock& clock)
    : settings_(settings),
      slot_(slot),
      router_(router),
      clock_(clock),
      share_(scoreboard, slot),
      listener_(socket, settings.listener, share_, clock) {}

std::int64_t Worker::now() const { return clock_.now().time_since_epoch().count(); }

int Worker::run(const sigset_t& waiting) {
  slot_.since.store(now(), std::memory_order_relaxed);
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
  fastcgi::Ready ready;
  while (true) {
    const bool has_request = listener_.next(ready, waiting);
    if (has_request) {
      serve(ready);
      ++served;
      if (settings_.max_requests != 0 && served >= settings_.max_requests && !draining_) {
        base::log::info("worker.retires", {{"reason", "max-requests"}, {"requests", served}});
        drain();
      }
      constexpr std::uint64_t kLookAtMemoryEvery = 256;
      if (settings_.memory_limit != 0 && served % kLookAtMemoryEvery == 0 && !draining_ &&
          over_memory_limit()) {
        base::log::warn("worker.retires", {{"reason", "memory-limit"}, {"requests", served}});
        drain();
      }
      continue;
    }
    if (signals::take_stop()) {
      drain();
      listener_.drop_idle();
      drain_until = std::min(drain_until, clock_.now() + settings_.listener.read_timeout);
    }
    if (signals::take_drain()) drain();
    if (draining_ && (listener_.connections() == 0 || clock_.now() >= drain_until)) return 0;
  }
}

bool Worker::over_memory_limit() { return private_memory() > settings_.memory_limit; }

void Worker::serve(const fastcgi::Ready& ready) {
  const auto after = exchange_.serve(
      ready, *this, [this](const http::Request& request) { return router_.answer(request); });
  slot_.requests.store(slot_.requests.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
  slot_.phase.store(draining_ ? Phase::Draining : Phase::Idle, std::memory_order_release);
  switch (after) {
    case fastcgi::Exchange::After::Keep:
      // A worker that is leaving gives its connections back one by one, each behind an answer.
      if (draining_) {
        listener_.drop(ready.fd);
      } else {
        listener_.keep(ready.fd);
      }
      break;
    case fastcgi::Exchange::After::Drop: listener_.drop(ready.fd); break;
    case fastcgi::Exchange::After::Closed: listener_.forget(ready.fd); break;
  }
}

void Worker::handling(const http::Request& request) { slot_.begin_request(request.path, now()); }

void Worker::writing(int status) {
  slot_.phase.store(Phase::Writing, std::memory_order_release);
  if (settings_.log_requests) {
    base::log::info("request", {{"path", slot_.path_text()},
                                {"status", status},
                                {"ms", static_cast<double>(now() - slot_.since.load()) / 1e6}});
  }
}

}  // namespace svc::pool
