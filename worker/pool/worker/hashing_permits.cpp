#include "pool/worker/hashing_permits.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/address_group.h"
#include "text/ascii.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using login::Permission;

constexpr base::Duration kPatience = 2s;
// Most waiting requests per worker. The remaining places are for requests that
// lost theirs and have not noticed yet.
constexpr std::size_t kMostWait = 64;
// Interval at which waiting requests check for a permit.
constexpr base::Duration kLookEvery = 10ms;
// A worker whose heartbeat is older hangs: its waiting requests are ignored.
constexpr base::Duration kLooks = 60ms;
// Number of a network's attempts that count as one of the address.
constexpr std::uint32_t kNetworkShare = 16;

std::size_t count_of(std::size_t workers) { return std::max<std::size_t>(workers, 2) - 1; }
// A single permit cannot be reserved; the order of service must do.
std::size_t reserved_of(std::size_t count) {
  return count < 2 ? 0 : std::max<std::size_t>(count / 3, 1);
}

std::uint64_t whom_of(std::string_view address) {
  return std::hash<std::string>()(base::address_group(address));
}

}  // namespace

HashingPermits::HashingPermits(Scoreboard& scoreboard, Slot& slot, std::size_t workers,
                               loop::Loop& loop)
    : scoreboard_(scoreboard),
      slot_(slot),
      number_(scoreboard.number_of(slot)),
      for_all_{0, count_of(workers) - reserved_of(count_of(workers))},
      for_known_{for_all_.end, count_of(workers)},
      most_(std::max<std::size_t>(count_of(workers) / 2, 1)),
      loop_(loop) {}

std::int64_t HashingPermits::now() const { return loop_.clock().now().time_since_epoch().count(); }

void HashingPermits::give_back(const login::Asker& asker) {
  scoreboard_.give_back_permit(number_, whom_of(asker.address));
}

loop::Task<login::Permission> HashingPermits::take(const login::Asker& asker) {
  const Wish wish = wish_of(asker);
  if (may_go(wish) && take_for(wish)) co_return Permission::AtOnce;
  Place* const place = find_place(wish);
  if (place == nullptr) co_return Permission::Refused;
  while (true) {
    loop::Sleep look(loop_, next_look());
    co_await look;
    // A client that has disconnected is refused, and counted like a failure;
    // otherwise an attacker could avoid the wait.
    const bool goes_on = place->state == Place::State::Waits &&
                         now() - wish.since < kPatience.count() &&
                         (asker.peer == nullptr || !asker.peer->has_left());
    if (goes_on && !(may_go(wish) && take_for(wish))) continue;
    place->state = Place::State::Free;
    co_return goes_on ? Permission::AfterWaiting : Permission::Refused;
  }
}

// One time for all, so that many waiting requests do not make the loop turn all
// the time.
base::TimePoint HashingPermits::next_look() {
  const base::TimePoint time = loop_.clock().now();
  if (next_look_ <= time) next_look_ = time + kLookEvery;
  return next_look_;
}

HashingPermits::Wish HashingPermits::wish_of(const login::Asker& asker) const {
  RecentCounts& attempts = scoreboard_.attempts();
  const base::TimePoint time = loop_.clock().now();
  Wish wish{asker.known, 0, time.time_since_epoch().count(), whom_of(asker.address)};
  wish.rank = attempts.add("address " + base::address_group(asker.address), time);
  for (const std::string& network : base::wider_networks(asker.address))
    wish.rank += attempts.add("network " + network, time) / kNetworkShare;
  // A known address is ranked by its email alone: others at the address do not
  // delay it, and an attacker with an account only delays that account.
  if (asker.known) wish.rank = attempts.add("email " + text::to_lower(asker.email), time);
  return wish;
}

// If there are too many, requests from known addresses keep their places.
Place* HashingPermits::find_place(const Wish& wish) {
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
  if (free == nullptr) return nullptr;
  if (waiting >= kMostWait) {
    if (!stays(wish, wish_of(*last))) return nullptr;
    last->state = Place::State::Lost;
  }
  free->known = wish.known;
  free->rank = wish.rank;
  free->since = wish.since;
  free->whom = wish.whom;
  free->state = Place::State::Waits;
  return free;
}

bool HashingPermits::take_for(const Wish& wish) {
  if (wish.known && scoreboard_.take_permit(number_, for_known_, wish.whom, most_)) return true;
  return scoreboard_.take_permit(number_, for_all_, wish.whom, most_);
}

bool HashingPermits::may_go(const Wish& wish) const {
  if (scoreboard_.permits_of(wish.whom) >= most_) return false;
  return (wish.known && is_next(wish, true)) || is_next(wish, false);
}

// Ignore the waiting requests of hung workers, so that they do not block the
// others.
bool HashingPermits::is_next(const Wish& wish, bool reserved) const {
  const std::size_t free = scoreboard_.free_permits(reserved ? for_known_ : for_all_);
  if (free == 0) return false;
  const std::int64_t time = now();
  std::size_t before = 0;
  for (const Slot& slot : scoreboard_.slots()) {
    if (&slot != &slot_ && time - slot.beat > base::Duration(kLooks).count()) continue;
    for (const Place& place : slot.places) {
      if ((place.known || !reserved) && goes_first(wish_of(place), wish) && can_go(place, time))
        ++before;
    }
  }
  return before < free;
}

bool HashingPermits::can_go(const Place& place, std::int64_t time) const {
  return place.state == Place::State::Waits && time - place.since < kPatience.count() &&
         scoreboard_.permits_of(place.whom) < most_;
}

bool HashingPermits::goes_first(const Wish& one, const Wish& other) {
  return one.rank != other.rank ? one.rank < other.rank : one.since < other.since;
}

HashingPermits::Wish HashingPermits::wish_of(const Place& place) {
  return {place.known, place.rank, place.since, place.whom};
}

}  // namespace svc::pool
