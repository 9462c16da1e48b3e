#include "login/passwords.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
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

// A request in the queue, until its wait ends.
struct HashedPasswords::Wait {
  Wait(Waiting& in, const Order& order, const Asker& who, std::string of_group, loop::Loop& loop)
      : queue(in),
        at(in.emplace(order, this)),
        asker(who),
        group(std::move(of_group)),
        ended(loop) {}
  ~Wait() {
    if (!permission) queue.erase(at);
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  void end(Permission told) {
    queue.erase(at);
    permission = told;
    ended.happen();
  }

  Waiting& queue;
  const Waiting::iterator at;
  const Asker& asker;
  const std::string group;
  std::optional<Permission> permission;
  loop::Event ended;
};

HashedPasswords::HashedPasswords(const base::HashCost& of_new, std::size_t turns,
                                 base::SharedSemaphore& hashing, base::Entropy& entropy,
                                 loop::Loop& loop)
    : Passwords(of_new),
      hashing_(hashing),
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
  std::string group = base::address_group(asker.address);
  Order order{!asker.known, round_};
  for (const auto& [of_other, other] : waiting_) {
    if (other->group == group) order.second = std::max(order.second, of_other.second + 1);
  }
  if (waiting_.size() >= kMostWait) {
    const auto& [latest, last] = *std::prev(waiting_.end());
    if (order >= latest) co_return Permission::Refused;
    last->end(Permission::Refused);
  }
  Wait wait(waiting_, order, asker, std::move(group), loop_);
  loop::Event::Next ended(wait.ended, asker.since + kPatience);
  co_await ended;
  asker.since = loop_.clock().now();
  co_return wait.permission.value_or(Permission::Refused);
}

void HashedPasswords::end_turn() {
  ++free_turns_;
  while (free_turns_ > 0 && !waiting_.empty()) {
    Wait& first = *waiting_.begin()->second;
    round_ = std::max(round_, first.at->first.second);
    // A client that has disconnected is refused, and counted like a failure;
    // otherwise an attacker could avoid the wait.
    const http::Peer* const peer = first.asker.peer;
    const bool is_there = peer == nullptr || !peer->has_left();
    if (is_there) --free_turns_;
    first.end(is_there ? Permission::AfterWaiting : Permission::Refused);
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
    // The niceness of this thread. If the system refuses it, hashes compete with requests.
    [[maybe_unused]] const int niceness = nice(kNiceness);
    const base::SharedSemaphore::Taken taken(hashing_);
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
