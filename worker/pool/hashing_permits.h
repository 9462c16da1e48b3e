// HashingPermits: at most all but one worker of a pool hash a password at once, at least one may;
// and for one address at most half of those that may, so that nobody alone keeps all others out.
//
// They lie in the scoreboard; what a worker had that died, the parent gives back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "login/passwords.h"
#include "pool/scoreboard.h"

namespace svc::pool {

class HashingPermits : public login::HashingPermits {
 public:
  // For the worker of that slot, of a pool of so many.
  HashingPermits(Scoreboard& scoreboard, const Slot& slot, std::size_t workers)
      : scoreboard_(scoreboard),
        slot_(static_cast<std::size_t>(&slot - scoreboard.slots().data())),
        count_(std::max<std::size_t>(workers, 2) - 1) {}

  bool take(std::string_view address) override {
    return scoreboard_.take_permit(slot_, count_, address, std::max<std::size_t>(count_ / 2, 1));
  }
  void give_back() override { scoreboard_.give_back_permits(slot_); }

 private:
  Scoreboard& scoreboard_;
  const std::size_t slot_;
  const std::size_t count_;
};

}  // namespace svc::pool
