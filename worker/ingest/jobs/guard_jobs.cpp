#include "ingest/jobs/guard_jobs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/change_note.h"

namespace svc::ingest {
namespace {

using namespace std::chrono_literals;
using Rank = stores::GuardQueue::Rank;

constexpr auto kGuardsEvery = 200ms;      // while nothing waits
constexpr auto kGuardsTryAgain = 1s;      // after an outage of the store, or a failure of the disk
constexpr auto kOfOneWalk = 10s;          // after which another process may begin it, too
constexpr std::size_t kReadAtOnce = 100;  // of the index

std::int64_t microseconds(base::Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

GuardJobs::GuardJobs(redis::Store& store, loop::Loop& loop, std::string folder,
                     const base::WallClock& clock, Surroundings surroundings)
    : store_(store),
      loop_(loop),
      clock_(clock),
      surroundings_(std::move(surroundings)),
      registry_(store),
      queue_(store),
      guards_(registry_, loop, std::move(folder), surroundings_.alive) {}

void GuardJobs::run() {
  bool has_begun = false;
  while (!surroundings_.should_stop()) {
    surroundings_.alive();
    try {
      if (!has_begun) begin();
      has_begun = true;
      if (!run_one()) surroundings_.pause(kGuardsEvery);
    } catch (const base::Unavailable& outage) {
      base::log::warn("ingest.store_unavailable", {{"reason", outage.what()}});
      has_begun = false;
      surroundings_.pause(kGuardsTryAgain);
    }
  }
}

void GuardJobs::begin() { wait(queue_.add_announced()); }

bool GuardJobs::run_one() {
  const bool turned = take_turn();
  const bool walked = walk_on();
  const bool again = take_due();
  return try_again() || turned || walked || again;
}

bool GuardJobs::take_turn() {
  const auto account = wait(queue_.account_after(last_));
  if (!account) return false;
  last_ = *account;
  bool did = false;
  for (const Rank rank : {Rank::Closing, Rank::Account, Rank::Other}) {
    const auto job = wait(queue_.first_of(*account, rank));
    // A walk that goes on has passed some media.
    if (!job || (!job->media && walks_.contains(account->value()))) continue;
    did = true;
    if (!wait(queue_.take(*job))) continue;
    if (job->media) {
      mark_or_try_again(*job);
    } else {
      begin_walk(*account, "");
    }
  }
  return did;
}

bool GuardJobs::mark(const media::HashedId& media) {
  surroundings_.alive();
  try {
    const std::optional<media::Media> found = guards_.find(media);
    return !found || guards_.guard_all(*found);
  } catch (const base::Unreadable&) {
    // It was logged where it was read. Its files stay as they are.
    return true;
  }
}

bool GuardJobs::mark_or_try_again(const media::Guarded& job) {
  if (mark(*job.media)) return true;
  failed_.insert_or_assign(job.media->value(), Failed{job, loop_.clock().now() + kGuardsTryAgain});
  return false;
}

bool GuardJobs::try_again() {
  const auto is_due = [now = loop_.clock().now()](const auto& each) {
    return each.second.again <= now;
  };
  const auto found = std::ranges::find_if(failed_, is_due);
  if (found == failed_.end()) return false;
  const media::Guarded job = found->second.job;
  failed_.erase(found);
  mark_or_try_again(job);
  return true;
}

// Media that the index may lack, and then those in it: one that is in neither is written later.
void GuardJobs::begin_walk(media::AccountId account, std::string due) {
  Walk walk{.due = std::move(due)};
  for (const std::string& member : wait(stores::noted_members(store_, account))) {
    const auto noted = stores::parse_note_member(member);
    if (!noted || noted->kind != stores::Indexed::Media) continue;
    if (const auto id = media::HashedId::parse(noted->id)) walk.next.push_back(*id);
  }
  walks_.insert_or_assign(account.value(), std::move(walk));
}

bool GuardJobs::walk_on() {
  if (walks_.empty()) return false;
  auto at = walks_.upper_bound(last_walk_);
  if (at == walks_.end()) at = walks_.begin();
  last_walk_ = at->first;
  const media::AccountId account{at->first};
  if (!go_on(account, at->second)) return true;
  const Walk walk = std::move(at->second);
  walks_.erase(at);
  // Without it, the account is due again.
  if (!walk.has_failed && !walk.due.empty()) wait(queue_.forget(walk.due));
  return true;
}

bool GuardJobs::go_on(media::AccountId account, Walk& walk) {
  if (walk.next.empty() && !walk.is_read) {
    stores::CatalogIndex index(store_);
    const std::vector<stores::IndexedFields> found =
        wait(index.indexed(account, stores::Indexed::Media, walk.after, kReadAtOnce));
    for (const stores::IndexedFields& each : found) {
      walk.after = each.id;
      if (const auto id = media::HashedId::parse(each.id)) walk.next.push_back(*id);
    }
    walk.is_read = found.size() < kReadAtOnce;
  }
  if (!walk.next.empty()) {
    walk.has_failed |= !mark_or_try_again({account, walk.next.back()});
    walk.next.pop_back();
  }
  return walk.next.empty() && walk.is_read;
}

bool GuardJobs::take_due() {
  const auto due = wait(queue_.due(now()));
  if (!due) return false;
  for (const media::Guarded& job : due->all) {
    if (job.media) {
      if (!mark(*job.media)) wait(queue_.postpone(job, now() + microseconds(kGuardsTryAgain)));
      continue;
    }
    std::string until = wait(queue_.postpone(job, now() + microseconds(kOfOneWalk)));
    const auto walk = walks_.find(job.account.value());
    if (walk == walks_.end()) {
      begin_walk(job.account, std::move(until));
    } else if (!walk->second.due.empty()) {
      walk->second.due = std::move(until);
    }
  }
  wait(queue_.forget(due->time));
  return true;
}

}  // namespace svc::ingest
