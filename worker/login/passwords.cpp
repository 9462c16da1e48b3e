#include "login/passwords.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <iterator>
#include <system_error>

#include "base/address_group.h"
#include "base/unavailable.h"

namespace svc::login {
namespace {

constexpr base::Duration kPatience = std::chrono::seconds(2);
constexpr base::Duration kRefusalStep = std::chrono::milliseconds(500);
constexpr std::size_t kMostWait = 64;
constexpr int kNiceness = 10;  // a tenth of the weight of a request

}  // namespace

struct HashedPasswords::Wait {
  Wait(HashedPasswords& of, const Asker& who)
      : passwords(of),
        asker(who),
        group(base::address_group(who.address)),
        timer(of.loop_, [this] { passwords.end_wait(at, Permission::Refused); }) {}
  ~Wait() {
    if (is_queued) passwords.waiting_.erase(at);
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { wait.begin(waiting); }
  Permission await_resume() noexcept {
    wait.end();
    return permission;
  }

  HashedPasswords& passwords;
  const Asker& asker;
  const std::string group;
  loop::Timer timer;
  loop::Wait wait;
  Waiting::iterator at{};
  bool is_queued = false;
  Permission permission{};
};

HashedPasswords::HashedPasswords(const base::HashCost& of_new, std::size_t turns,
                                 base::Places& places, base::Entropy& entropy, loop::Loop& loop)
    : Passwords(of_new),
      places_(places),
      entropy_(entropy),
      loop_(loop),
      free_turns_(turns),
      threads_(loop) {}

// Its threads refer to it.
HashedPasswords::~HashedPasswords() { threads_.finish(); }

loop::Task<Permission> HashedPasswords::take_turn(Asker& asker) {
  asker.since = loop_.clock().now();
  if (free_turns_ > 0) {
    --free_turns_;
    co_return Permission::AtOnce;
  }
  Wait wait(*this, asker);
  Order order{!asker.known, round_};
  for (const auto& [of_other, other] : waiting_) {
    if (other->group == wait.group) order.second = std::max(order.second, of_other.second + 1);
  }
  if (waiting_.size() >= kMostWait) {
    const auto last = std::prev(waiting_.end());
    if (order >= last->first) co_return Permission::Refused;
    end_wait(last, Permission::Refused);
  }
  wait.at = waiting_.emplace(order, &wait);
  wait.is_queued = true;
  wait.timer.set(asker.since + kPatience);
  const Permission permission = co_await wait;
  asker.since = loop_.clock().now();
  co_return permission;
}

void HashedPasswords::end_wait(Waiting::iterator wait, Permission permission) {
  Wait& ended = *wait->second;
  waiting_.erase(wait);
  ended.is_queued = false;
  ended.timer.stop();
  ended.permission = permission;
  ended.wait.resume_soon(loop_);
}

void HashedPasswords::end_turn() {
  ++free_turns_;
  while (free_turns_ > 0 && !waiting_.empty()) {
    const auto first = waiting_.begin();
    round_ = std::max(round_, first->first.second);
    // A client that has disconnected is refused, and counted like a failure;
    // otherwise an attacker could avoid the wait.
    const http::Peer* const peer = first->second->asker.peer;
    const bool is_there = peer == nullptr || !peer->has_left();
    if (is_there) --free_turns_;
    end_wait(first, is_there ? Permission::AfterWaiting : Permission::Refused);
  }
}

loop::Task<> HashedPasswords::hold_back(const Asker& asker) {
  const auto steps = (loop_.clock().now() - asker.since) / kRefusalStep + 1;
  loop::Sleep sleep(loop_, asker.since + steps * kRefusalStep);
  co_await sleep;
}

template <class Result>
loop::Task<Result> HashedPasswords::compute(std::function<Result()> work) {
  std::function<Result()> in_place = [this, work = std::move(work)] {
    // Of this thread. Where the system refuses it, hashes compete with requests.
    [[maybe_unused]] const int niceness = nice(kNiceness);
    const base::Places::Taken place(places_);
    return work();
  };
  loop::Task<Result> running = threads_.run<Result>(std::move(in_place));
  try {
    Result result = co_await running;
    co_return result;
  } catch (const std::system_error& error) {
    throw base::Unavailable(std::string("cannot start a thread: ") + error.what());
  }
}

loop::Task<bool> HashedPasswords::matches(std::string password, std::string stored) {
  return compute<bool>([this, password = std::move(password), stored = std::move(stored)] {
    return base::password_matches(password, stored, cost);
  });
}

loop::Task<std::string> HashedPasswords::hash(std::string password) {
  return compute<std::string>([this, password = std::move(password)] {
    return base::hash_password(password, entropy_, cost);
  });
}

}  // namespace svc::login
