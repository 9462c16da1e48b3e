#include "login/passwords.h"

#include <sys/resource.h>

#include <future>
#include <system_error>
#include <thread>

#include "base/password_hash.h"
#include "base/unavailable.h"

namespace svc::login {
namespace {

// Linux has a priority for each thread, and who lowers it may not raise it again: hence a thread
// that ends with its hash, and not the worker. At 5 a hash gets a quarter of a core that others
// want, and gives way to a token request that wakes up. At 10 it would get a tenth, and three
// hashes on two busy cores take so long that the pool ends their workers (request-timeout).
constexpr int kNicer = 5;

template <class Work>
auto quietly(Work work) {
  std::packaged_task<decltype(work())()> task([&] {
    // Refused only where a sandbox forbids it; a hash is then as loud as anything else.
    static_cast<void>(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer));
    return work();
  });
  auto result = task.get_future();
  try {
    std::thread(std::move(task)).join();
  } catch (const std::system_error& error) {
    throw base::Unavailable(std::string("cannot start a thread: ") + error.what());
  }
  return result.get();
}

}  // namespace

bool QuietPasswords::matches(std::string_view password, std::string_view stored) {
  return quietly([&] { return base::password_matches(password, stored); });
}

std::string QuietPasswords::hash(std::string_view password) {
  return quietly([&] { return base::hash_password(password, entropy_); });
}

}  // namespace svc::login
