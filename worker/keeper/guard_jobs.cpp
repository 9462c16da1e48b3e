#include "keeper/guard_jobs.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "ingest/files.h"
#include "keeper/markers.h"
#include "stores/catalog/catalog_index.h"

namespace svc::keeper {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kGuardsEvery = 100ms;      // while nothing waits
constexpr auto kSaysEvery = 1s;           // that it runs
constexpr auto kGuardsTryAgain = 1s;      // after an outage of the store, or a failure of the disk
constexpr auto kLinkAgain = 60s;          // after such a failure
constexpr auto kOfOneWalk = 10s;          // after which another process may begin it, too
constexpr std::size_t kReadAtOnce = 100;  // of the index
constexpr std::string_view kLinked = ".linked";

std::int64_t microseconds(base::Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

GuardJobs::GuardJobs(redis::Store& store, loop::Loop& loop, std::string folder,
                     const base::WallClock& clock, base::Surroundings surroundings)
    : store_(store),
      loop_(loop),
      folder_(std::move(folder)),
      clock_(clock),
      surroundings_(std::move(surroundings)),
      registry_(store),
      queue_(store),
      guards_(registry_, loop, folder_, surroundings_.alive) {}

void GuardJobs::run() {
  bool has_begun = false;
  while (!surroundings_.should_stop()) {
    surroundings_.alive();
    try {
      if (!has_begun) begin();
      has_begun = true;
      say_that_it_runs();
      if (!run_one()) surroundings_.pause(kGuardsEvery);
    } catch (const base::Unavailable& outage) {
      base::log::warn("keeper.store_unavailable", {{"reason", outage.what()}});
      has_begun = false;
      surroundings_.pause(kGuardsTryAgain);
    }
  }
}

void GuardJobs::begin() {
  wait(queue_.add_announced());
  std::error_code error;
  has_linked_all_ = fs::exists(all_are_linked(), error);
}

void GuardJobs::say_that_it_runs() {
  const base::TimePoint now = loop_.clock().now();
  if (now < says_) return;
  wait(queue_.run());
  says_ = now + kSaysEvery;
}

bool GuardJobs::run_one() {
  const std::optional<Turn> first = wait(queue_.first());
  const bool closes = first == Turn::Awaited || first == Turn::Closing;
  if (closes && closings_ < kClosingsInTurn) {
    ++closings_;
    return take_turn(*first);
  }
  closings_ = 0;
  constexpr std::array kSteps{&GuardJobs::take_other, &GuardJobs::take_again, &GuardJobs::walk_on,
                              &GuardJobs::take_due,   &GuardJobs::try_again,  &GuardJobs::link_on};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const auto step = kSteps[step_];
    step_ = (step_ + 1) % kSteps.size();
    if ((this->*step)()) return true;
  }
  return closes;
}

bool GuardJobs::take_turn(Turn turn) {
  media::AccountId& last = last_[static_cast<std::size_t>(turn)];
  auto job = wait(queue_.after(last, turn));
  if (!job && last.value() != 0) job = wait(queue_.after({0}, turn));
  last = job ? job->account : media::AccountId{0};
  // A walk that goes on has passed some media.
  if (!job || (turn == Turn::Again && walks_.contains(last.value()))) return false;
  if (!wait(queue_.take(*job))) return true;
  if (turn == Turn::Again) {
    const auto after_it = stores::GuardQueue::kAgain + kOfOneWalk;
    begin_walk(last, wait(queue_.postpone(*job, now() + microseconds(after_it))));
  } else {
    mark_or_try_again(*job);
    // Until all folders have a link, its rule is theirs as well.
    if (!job->media && !has_linked_all_) wait(queue_.add({{.account = last, .turn = Turn::Again}}));
  }
  return true;
}

bool GuardJobs::mark(const media::Guarded& job) {
  surroundings_.alive();
  try {
    if (!job.media) return guards_.guard_account(job.account);
    const std::optional<media::Media> found = guards_.find(*job.media);
    return !found || guards_.guard_all(*found);
  } catch (const base::Unreadable&) {
    // It was logged where it was read. Its files stay as they are.
    return true;
  }
}

bool GuardJobs::mark_or_try_again(const media::Guarded& job) {
  if (mark(job)) {
    if (job.turn == Turn::Awaited) wait(queue_.end(job));
    return true;
  }
  const Failed failed{job, loop_.clock().now() + kGuardsTryAgain};
  const std::string media = job.media ? job.media->value() : "";
  const auto [known, is_new] = failed_.try_emplace({job.account.value(), media}, failed);
  // A request may wait for the former one.
  if (!is_new) known->second.again = failed.again;
  if (!is_new && job.turn < known->second.job.turn) known->second.job = job;
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

void GuardJobs::begin_walk(media::AccountId account, std::string due) {
  walks_.insert_or_assign(account.value(), Walk{.due = std::move(due)});
  mark_or_try_again({.account = account});
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
  if (!walk.has_failed) wait(queue_.forget(walk.due));
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
    if (job.turn != Turn::Again) {
      if (!mark(job)) wait(queue_.postpone(job, now() + microseconds(kGuardsTryAgain)));
      continue;
    }
    std::string until = wait(queue_.postpone(job, now() + microseconds(kOfOneWalk)));
    const auto walk = walks_.find(job.account.value());
    if (walk == walks_.end()) {
      begin_walk(job.account, std::move(until));
    } else {
      walk->second.due = std::move(until);
    }
  }
  wait(queue_.forget(due->time));
  return true;
}

std::string GuardJobs::all_are_linked() const {
  return folder_ + "/" + std::string(kAccounts) + "/" + std::string(kLinked);
}

bool GuardJobs::link_on() {
  if (has_linked_all_ || loop_.clock().now() < link_at_) return false;
  surroundings_.alive();
  std::error_code error;
  bool has_failed = false;
  if (!folders_) {
    folders_.emplace(folder_, error);
  } else if (*folders_ != fs::directory_iterator()) {
    const auto folder = media::HashedId::parse((*folders_)->path().filename().string());
    try {
      has_failed = folder && !guards_.guard(*folder);
    } catch (const base::Unreadable&) {
      // It was logged where it was read. Its files stay as they are.
    }
    folders_->increment(error);
  } else {
    try {
      ingest::make_shared_folder(folder_ + "/" + std::string(kAccounts));
      // Another machine may be done, too.
      if (!fs::exists(all_are_linked(), error)) ingest::write_file(all_are_linked(), "");
      has_linked_all_ = !error;
    } catch (const ingest::FileError&) {
      has_failed = true;
    }
    folders_.reset();
  }
  if (error || has_failed) {
    folders_.reset();
    link_at_ = loop_.clock().now() + kLinkAgain;
  }
  return true;
}

}  // namespace svc::keeper
