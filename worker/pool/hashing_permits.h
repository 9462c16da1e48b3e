// HashingPermits: at most all but one worker of a pool hash a password at once, at least one may;
// and for one address at most half of those that may, so that nobody alone keeps all others out.
//
// A request that may not hash now waits at a place of its worker, for two seconds at most, while the
// worker serves others. The requests of addresses and networks with the fewest attempts in the last
// minutes go first, so a visitor goes before an attacker who has tried already. Part of the permits
// is reserved for addresses that the email knows; these requests count by email.
//
// Permits and places lie in the scoreboard; what a worker had that died, the parent gives back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "login/passwords.h"
#include "pool/scoreboard.h"

namespace svc::pool {

class HashingPermits : public login::HashingPermits {
 public:
  // For the worker of that slot, of a pool of so many.
  HashingPermits(Scoreboard& scoreboard, Slot& slot, std::size_t workers, const base::Clock& clock);

  login::Turn take(const login::Asker& asker) override;
  void give_back() override;

  // The places of this worker whose requests are to be asked again: those that waited in vain, and
  // last the one whose turn it is, if there is one. Until the next call.
  const std::vector<std::uint32_t>& due();
  // Frees that place; a request that is asked again with it is Busy.
  void leave(std::uint32_t place);

 private:
  struct Wish {
    bool known = false;
    std::uint32_t rank = 0;
    std::int64_t since = 0;
    std::uint64_t whom = 0;
  };

  // Counts the attempt.
  Wish wish_of(const login::Asker& asker) const;
  login::Turn wait(const Wish& wish);
  bool take_for(const Wish& wish);
  // Whether that wish, of this worker, is the next for the permits that all may have, or for the
  // reserved ones.
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
  const base::Clock& clock_;
  std::vector<std::uint32_t> due_;
};

}  // namespace svc::pool
