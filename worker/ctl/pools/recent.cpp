#include "ctl/pools/recent.h"

#include <algorithm>
#include <string>
#include <utility>

namespace svc::ctl {
namespace {

bool started_anew(const PoolStatus& before, const PoolStatus& now) {
  return now.pid != before.pid || now.up_since < before.up_since ||
         now.requests < before.requests || now.accepted < before.accepted;
}

// The counters of a status are not read atomically, so related counters can differ by one.
std::int64_t minus(std::int64_t now, std::int64_t before) {
  return std::max<std::int64_t>(now - before, 0);
}

PoolStatus::Durations minus(PoolStatus::Durations now, const PoolStatus::Durations& before) {
  now.count = minus(now.count, before.count);
  now.total_ms = std::max(now.total_ms - before.total_ms, 0.0);
  for (std::size_t i = 0; i < std::min(now.buckets.size(), before.buckets.size()); ++i)
    now.buckets[i].second = minus(now.buckets[i].second, before.buckets[i].second);
  return now;
}

PoolStatus::Errors minus(const PoolStatus::Errors& now, const PoolStatus::Errors& before) {
  return {.client = minus(now.client, before.client),
          .not_implemented = minus(now.not_implemented, before.not_implemented),
          .unavailable = minus(now.unavailable, before.unavailable),
          .other = minus(now.other, before.other)};
}

using NamedNumbers = std::vector<std::pair<std::string, std::int64_t>>;
NamedNumbers minus(NamedNumbers now, const NamedNumbers& before) {
  for (auto& [name, number] : now) {
    const auto old = std::ranges::find(before, name, &NamedNumbers::value_type::first);
    if (old != before.end()) number = minus(number, old->second);
  }
  return now;
}

// Returns the former counters of the endpoint; zeros if it had no requests yet.
PoolStatus::Endpoint endpoint_of(const PoolStatus& before, const std::string& name) {
  const auto found = std::ranges::find(before.endpoints, name, &PoolStatus::Endpoint::name);
  return found == before.endpoints.end() ? PoolStatus::Endpoint{} : *found;
}

// Returns the requests that a worker had answered before; 0 if it is new. A new worker can have the
// process id of a former worker.
std::int64_t requests_of(const PoolStatus& before, const PoolStatus::Process& now) {
  const auto found = std::ranges::find(before.processes, now.pid, &PoolStatus::Process::pid);
  const bool is_same = found != before.processes.end() && found->requests <= now.requests &&
                       found->generation == now.generation;
  return is_same ? found->requests : 0;
}

}  // namespace

void Recent::add(PoolStatus status, Clock::time_point at) {
  if (!looks_.empty() &&
      (started_anew(looks_.back().status, status) || at - looks_.back().at > kSpan))
    looks_.clear();
  looks_.push_back({at, std::move(status)});
  while (looks_.size() > 2 && at - looks_[1].at >= kSpan) looks_.pop_front();
}

PoolStatus Recent::work() const {
  const PoolStatus& before = looks_.front().status;
  PoolStatus work = looks_.back().status;
  work.requests = minus(work.requests, before.requests);
  work.accepted = minus(work.accepted, before.accepted);
  work.slow = minus(work.slow, before.slow);
  const auto subtract = [](PoolStatus::Store& store, const PoolStatus::Store& old) {
    store.failures = minus(store.failures, old.failures);
    store.trips = minus(std::move(store.trips), old.trips);
  };
  subtract(work.store, before.store);
  if (work.catalog && before.catalog) subtract(*work.catalog, *before.catalog);
  work.statuses = minus(std::move(work.statuses), before.statuses);
  work.deaths = minus(std::move(work.deaths), before.deaths);
  for (PoolStatus::Endpoint& each : work.endpoints) {
    const PoolStatus::Endpoint old = endpoint_of(before, each.name);
    each.errors = minus(each.errors, old.errors);
    each.durations = minus(std::move(each.durations), old.durations);
  }
  for (PoolStatus::Process& each : work.processes) each.requests -= requests_of(before, each);
  return work;
}

double Recent::seconds() const {
  if (looks_.empty()) return 0;
  return std::chrono::duration<double>(looks_.back().at - looks_.front().at).count();
}

}  // namespace svc::ctl
