#include "login/passwords.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/password_hash.h"
#include "base/unavailable.h"

namespace svc::login {
namespace {

// Linux has a policy and a priority for each thread, and who lowers its own may not raise it again:
// hence a thread that ends with its hash, and not the worker. Both calls fail only where a sandbox
// forbids them; a hash is then as loud as anything else.

// At 5 a hash gets a quarter of a core that others want. At 10 it would get a tenth, and three
// hashes on two busy cores take so long that the pool ends their workers (request-timeout); so a
// pool that is nice already is left as it is.
void be_nicer() {
  static_cast<void>(setpriority(PRIO_PROCESS, 0, std::max(getpriority(PRIO_PROCESS, 0), 5)));
}

// Has a core while nobody else wants it, and gives it up at once to whoever wakes up; at lower
// priority it would first finish its slice of some milliseconds.
void be_idle() {
  const sched_param none{};
  static_cast<void>(sched_setscheduler(0, SCHED_IDLE, &none));
}

std::thread start(std::packaged_task<void()> task) {
  try {
    return std::thread(std::move(task));
  } catch (const std::system_error& error) {
    throw base::Unavailable(std::string("cannot start a thread: ") + error.what());
  }
}

}  // namespace

QuietPasswords::~QuietPasswords() {
  if (late_.joinable()) late_.join();
}

bool QuietPasswords::nobody_is_late() {
  if (!late_.joinable()) return true;
  if (late_ended_.wait_for(base::Duration::zero()) != std::future_status::ready) return false;
  late_.join();
  return true;
}

template <class Work>
auto QuietPasswords::quietly(Work work) {
  using Result = decltype(work());
  const auto at = [](void (*quieter)(), Work what, std::promise<Result> result) {
    return std::packaged_task<void()>(
        [quieter, what = std::move(what), result = std::move(result)]() mutable {
          quieter();
          try {
            result.set_value(what());
          } catch (...) {
            result.set_exception(std::current_exception());
          }
        });
  };
  if (nobody_is_late()) {
    std::promise<Result> promise;
    auto result = promise.get_future();
    auto task = at(be_idle, work, std::move(promise));
    late_ended_ = task.get_future();
    late_ = start(std::move(task));
    if (result.wait_for(idle_) == std::future_status::ready) {
      late_.join();
      return result.get();
    }
  }
  // On a machine without any rest that one would wait for ever.
  std::promise<Result> promise;
  auto result = promise.get_future();
  start(at(be_nicer, std::move(work), std::move(promise))).join();
  return result.get();
}

bool QuietPasswords::matches(std::string_view password, std::string_view stored) {
  return quietly([password = std::string(password), stored = std::string(stored)] {
    return base::password_matches(password, stored);
  });
}

std::string QuietPasswords::hash(std::string_view password) {
  return quietly([password = std::string(password), &entropy = entropy_] {
    return base::hash_password(password, entropy);
  });
}

}  // namespace svc::login
