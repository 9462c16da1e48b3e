// HashingPermits: a pool computes at most one password hash fewer than it has workers at once, and
// at least one; and for one address at most half as many, so that nobody alone keeps all others
// out.
//
// A request that may not hash now waits at a place of its worker, for two seconds at most. The
// requests of addresses and networks with the fewest attempts in the last minutes go first, so a
// visitor goes before an attacker who has tried already. Part of the permits is reserved for
// addresses that the email knows; these requests count by email.
//
// Permits and places lie in the scoreboard; what a worker had that died, the parent gives back.
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
  // For the worker of that slot, of a pool of so many. Everything outlives it.
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

  // Counts the attempt.
  Wish wish_of(const login::Asker& asker) const;
  // nullptr if too many wait.
  Place* find_place(const Wish& wish);
  // The moment at which all requests of this worker that wait look again.
  base::TimePoint next_look();
  bool take_for(const Wish& wish);
  // Whether that wish is among the next for the permits that all may have, or for the reserved
  // ones.
  bool may_go(const Wish& wish) const;
  bool is_next(const Wish& wish, bool reserved) const;
  // Whether it waits there, not yet in vain, and its address may have one more permit.
  bool can_go(const Place& place, std::int64_t now) const;
  static bool goes_first(const Wish& one, const Wish& other);
  static Wish wish_of(const Place& place);
  std::int64_t now() const;

  Scoreboard& scoreboard_;
  Slot& slot_;
  const std::size_t number_;
  const Scoreboard::Permits for_all_;
  const Scoreboard::Permits for_known_;
  const std::size_t most_;  // for one address
  loop::Loop& loop_;
  base::TimePoint next_look_{};
};

}  // namespace svc::pool
