#include "ctl/pools/recent.h"

#include <algorithm>
#include <string>
#include <utility>

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

// Minimum time between two kept statuses, so that a short interval needs no more memory.
constexpr auto kNear = 1s;

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

void add(PoolStatus::Endpoint& sum, const PoolStatus::Endpoint& more) {
  sum.errors.client += more.errors.client;
  sum.errors.not_implemented += more.errors.not_implemented;
  sum.errors.unavailable += more.errors.unavailable;
  sum.errors.other += more.errors.other;
  sum.durations.count += more.durations.count;
  sum.durations.total_ms += more.durations.total_ms;
  if (sum.durations.buckets.empty()) {
    sum.durations.buckets = more.durations.buckets;
    return;
  }
  for (std::size_t i = 0; i < std::min(sum.durations.buckets.size(), more.durations.buckets.size());
       ++i)
    sum.durations.buckets[i].second += more.durations.buckets[i].second;
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

void Recent::add(PoolStatus status, Clock::time_point at, std::chrono::milliseconds interval) {
  // The text is long, and only `svcctl status` prints it.
  status.json.clear();
  if (!looks_.empty() && (started_anew(looks_.back().status, status) ||
                          at - looks_.back().at > std::max<Clock::duration>(kSpan, 2 * interval)))
    looks_.clear();
  if (looks_.size() > 1 && looks_.back().at - looks_[looks_.size() - 2].at < kNear)
    looks_.pop_back();
  looks_.push_back({at, std::move(status)});
  while (looks_.size() > 2 && at - looks_[1].at >= kSpan) looks_.pop_front();
}

RecentWork Recent::work() const {
  const Look& before = looks_.front();
  const Look& now = looks_.back();
  RecentWork work;
  work.seconds = std::chrono::duration<double>(now.at - before.at).count();
  for (const PoolStatus::Endpoint& each : now.status.endpoints) {
    const PoolStatus::Endpoint old = endpoint_of(before.status, each.name);
    work.endpoints.push_back(
        {each.name, minus(each.errors, old.errors), minus(each.durations, old.durations)});
    ctl::add(work.all, work.endpoints.back());
  }
  for (PoolStatus::Process each : now.status.processes) {
    each.requests -= requests_of(before.status, each);
    work.processes.push_back(std::move(each));
  }
  return work;
}

}  // namespace svc::ctl
