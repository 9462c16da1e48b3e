// CountedPermits: permits to hash a password; counts its calls.
#pragma once

#include <functional>
#include <string>

#include "login/passwords.h"
#include "loop/task.h"

namespace svc::fakes {

class CountedPermits : public login::HashingPermits {
 public:
  int free = 1;
  int taken = 0;        // in total
  std::string address;  // argument of the last take()
  bool known = false;   // argument of the last take()
  // Called while a request waits for its permit. If unset, no request waits.
  std::function<void()> meanwhile;

  loop::Task<login::Permission> take(const login::Asker& asker) override {
    address = asker.address;
    known = asker.known;
    if (meanwhile) meanwhile();
    if (free == 0) co_return login::Permission::Refused;
    --free;
    ++taken;
    co_return meanwhile ? login::Permission::AfterWaiting : login::Permission::AtOnce;
  }
  void give_back(const login::Asker& asker) override {
    if (asker.address == address) ++free;
  }
};

}  // namespace svc::fakes
