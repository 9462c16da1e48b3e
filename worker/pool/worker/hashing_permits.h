// HashingPermits: limits simultaneous password hashes. A pool of n workers
// computes at most max(n, 2) - 1. At most half of them, but at least one, are
// for the same client address, so that a single address cannot block all
// others.
//
// A request without a permit waits up to 2 s, in a place of its worker.
// Requests from addresses and networks with the fewest attempts in the last
// minutes go first, so a visitor goes before an attacker who has tried already.
// A third of the permits is reserved for addresses from which the email has
// logged in before; these requests are ranked by the attempts of their email.
//
// Permits and places are in the scoreboard. The parent frees those of a worker
// that died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "login/passwords.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "pool/metrics/scoreboard.h"

namespace svc::pool {

class HashingPermits : public login::HashingPermits {
 public:
  // For the worker of that slot, in a pool of `workers`. All references must
  // outlive it.
  HashingPermits(Scoreboard& scoreboard, Slot& slot, std::size_t workers, loop::Loop& loop);

  loop::Task<login::Permission> take(const login::Asker& asker) override;
  void give_back(const login::Asker& asker) override;

 private:
  struct Wish {
    bool known = false;
    std::uint32_t rank = 0;
    std::int64_t since = 0;
    std::uint64_t whom = 0;
  };

  // Counts the attempt, and returns its rank and origin.
  Wish wish_of(const login::Asker& asker) const;
  // Claims a place, from a request that ranks lower if needed. Returns nullptr
  // if too many wait.
  Place* find_place(const Wish& wish);
  // Returns the time at which all waiting requests of this worker check again.
  base::TimePoint next_look();
  bool take_for(const Wish& wish);
  // may_go() returns true if the wish is among the next for a free permit;
  // is_next(), for a free reserved or unreserved permit.
  bool may_go(const Wish& wish) const;
  bool is_next(const Wish& wish, bool reserved) const;
  // Returns true if a request waits there, its 2 s are not over, and its
  // address may hold another permit.
  bool can_go(const Place& place, std::int64_t now) const;
  static bool goes_first(const Wish& one, const Wish& other);
  static Wish wish_of(const Place& place);
  std::int64_t now() const;

  Scoreboard& scoreboard_;
  Slot& slot_;
  const std::size_t number_;
  const Scoreboard::Permits for_all_;
  const Scoreboard::Permits for_known_;
  const std::size_t most_;  // maximum for one address
  loop::Loop& loop_;
  base::TimePoint next_look_{};
};

}  // namespace svc::pool
