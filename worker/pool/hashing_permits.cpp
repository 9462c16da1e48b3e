#include "pool/hashing_permits.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/address_group.h"
#include "text/ascii.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using When = login::Turn::When;

constexpr base::Duration kPatience = 2s;
// Of one worker. The rest of its places is for those that lose theirs to others, until each is told.
constexpr std::size_t kMostWait = 64;
// A worker looks at its places every 10 ms. One that does not is busy, and nobody waits for what
// waits there.
constexpr base::Duration kLooks = 60ms;
// So many attempts of a network count as much as one of the address.
constexpr std::uint32_t kNetworkShare = 16;

std::size_t count_of(std::size_t workers) { return std::max<std::size_t>(workers, 2) - 1; }
// With one permit only, its order of service has to do.
std::size_t reserved_of(std::size_t count) {
  return count < 2 ? 0 : std::max<std::size_t>(count / 3, 1);
}

}  // namespace

HashingPermits::HashingPermits(Scoreboard& scoreboard, Slot& slot, std::size_t workers,
                               const base::Clock& clock)
    : scoreboard_(scoreboard),
      slot_(slot),
      number_(scoreboard.number_of(slot)),
      for_all_{0, count_of(workers) - reserved_of(count_of(workers))},
      for_known_{for_all_.end, count_of(workers)},
      most_(std::max<std::size_t>(count_of(workers) / 2, 1)),
      clock_(clock) {}

std::int64_t HashingPermits::now() const { return clock_.now().time_since_epoch().count(); }

void HashingPermits::give_back() { scoreboard_.give_back_permits(number_); }

login::Turn HashingPermits::take(const login::Asker& asker) {
  if (asker.place != 0) {
    const Place& place = slot_.places[asker.place - 1];
    const Wish wish = wish_of(place);
    if (place.state != Place::State::Waits || now() - wish.since >= kPatience.count()) {
      leave(asker.place);
      return {When::Busy};
    }
    if (!may_go(wish) || !take_for(wish)) return {When::Wait, asker.place};
    leave(asker.place);
    return {When::Now};
  }
  const Wish wish = wish_of(asker);
  if (may_go(wish) && take_for(wish)) return {When::Now};
  return wait(wish);
}

HashingPermits::Wish HashingPermits::wish_of(const login::Asker& asker) const {
  RecentCounts& attempts = scoreboard_.attempts();
  const base::TimePoint time = clock_.now();
  const std::string address = base::address_group(asker.address);
  Wish wish{asker.known, 0, time.time_since_epoch().count(), std::hash<std::string>()(address)};
  wish.rank = attempts.add("address " + address, time);
  for (const std::string& network : base::wider_networks(asker.address))
    wish.rank += attempts.add("network " + network, time) / kNetworkShare;
  // Others at the address do not make it wait, and an attacker with an account waits for itself.
  if (asker.known) wish.rank = attempts.add("email " + text::to_lower(asker.email), time);
  return wish;
}

// Where there is no room for all, known addresses stay.
login::Turn HashingPermits::wait(const Wish& wish) {
  const auto stays = [](const Wish& one, const Wish& other) {
    return one.known != other.known ? one.known : goes_first(one, other);
  };
  Place* free = nullptr;
  Place* last = nullptr;
  std::size_t waiting = 0;
  for (Place& place : slot_.places) {
    const Place::State state = place.state;
    if (state == Place::State::Free) free = &place;
    if (state != Place::State::Waits) continue;
    ++waiting;
    if (last == nullptr || stays(wish_of(*last), wish_of(place))) last = &place;
  }
  if (free == nullptr) return {When::Busy};
  if (waiting >= kMostWait) {
    if (!stays(wish, wish_of(*last))) return {When::Busy};
    last->state = Place::State::Lost;
  }
  free->known = wish.known;
  free->rank = wish.rank;
  free->since = wish.since;
  free->whom = wish.whom;
  free->state = Place::State::Waits;
  return {When::Wait, static_cast<std::uint32_t>(free - slot_.places.data() + 1)};
}

bool HashingPermits::take_for(const Wish& wish) {
  if (wish.known && scoreboard_.take_permit(number_, for_known_, wish.whom, most_)) return true;
  return scoreboard_.take_permit(number_, for_all_, wish.whom, most_);
}

bool HashingPermits::may_go(const Wish& wish) const {
  if (scoreboard_.permits_of(wish.whom) >= most_) return false;
  return (wish.known && is_next(wish, true)) || is_next(wish, false);
}

// Others go first only if their workers would let them go now: one that hashes or hangs must not
// hold up the rest.
bool HashingPermits::is_next(const Wish& wish, bool reserved) const {
  const std::size_t free = scoreboard_.free_permits(reserved ? for_known_ : for_all_);
  if (free == 0) return false;
  const std::int64_t time = now();
  std::size_t before = 0;
  for (const Slot& slot : scoreboard_.slots()) {
    if (&slot != &slot_ && (time - slot.beat > base::Duration(kLooks).count() ||
                            scoreboard_.has_permit(scoreboard_.number_of(slot)))) {
      continue;
    }
    const bool one_does = std::ranges::any_of(slot.places, [&](const Place& place) {
      return (place.known || !reserved) && goes_first(wish_of(place), wish) && can_go(place, time);
    });
    if (!one_does) continue;
    if (&slot == &slot_) return false;
    ++before;
  }
  return before < free;
}

bool HashingPermits::can_go(const Place& place, std::int64_t time) const {
  return place.state == Place::State::Waits && time - place.since < kPatience.count() &&
         scoreboard_.permits_of(place.whom) < most_;
}

const std::vector<std::uint32_t>& HashingPermits::due() {
  due_.clear();
  const std::int64_t time = now();
  const Place* first = nullptr;
  const Place* first_known = nullptr;
  const auto number_of = [&](const Place& place) {
    return static_cast<std::uint32_t>(&place - slot_.places.data() + 1);
  };
  for (const Place& place : slot_.places) {
    const Place::State state = place.state;
    if (state == Place::State::Free) continue;
    if (state == Place::State::Lost || time - place.since >= kPatience.count()) {
      due_.push_back(number_of(place));
      continue;
    }
    if (!can_go(place, time)) continue;
    for (const Place** best : {&first, &first_known}) {
      if (best == &first_known && !place.known) continue;
      if (*best == nullptr || goes_first(wish_of(place), wish_of(**best))) *best = &place;
    }
  }
  for (const Place* best : {first_known, first}) {
    if (best == nullptr || !may_go(wish_of(*best))) continue;
    due_.push_back(number_of(*best));
    break;
  }
  return due_;
}

void HashingPermits::leave(std::uint32_t place) {
  slot_.places[place - 1].state = Place::State::Free;
}

bool HashingPermits::goes_first(const Wish& one, const Wish& other) {
  return one.rank != other.rank ? one.rank < other.rank : one.since < other.since;
}

HashingPermits::Wish HashingPermits::wish_of(const Place& place) {
  return {place.known, place.rank, place.since, place.whom};
}

}  // namespace svc::pool
