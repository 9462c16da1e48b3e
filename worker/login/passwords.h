// Passwords: computes password hashes without blocking other requests.
//
// Each hash has a thread of its own, of low priority. Its pool computes at most one less than
// there are processors at the same time, so that time remains for requests
// without a hash. Beyond that, requests wait for a turn in their worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/password_hash.h"
#include "base/shared_semaphore.h"
#include "http/request.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"

namespace svc::login {

// A request that needs to hash a password.
struct Asker {
  std::string_view address;          // client address
  bool known = false;                // the email has logged in from this address within 30 days
  const http::Peer* peer = nullptr;  // http::Request::peer
  base::TimePoint since{};           // take_turn() sets it: the begin of the turn
};

// AtOnce, AfterWaiting: the request may hash, and must end its turn. Refused: its
// wait timed out, too many requests wait, or its peer has disconnected.
enum class Permission : std::uint8_t { AtOnce, AfterWaiting, Refused };

class Passwords {
 public:
  // `of_new`: the cost of new hashes, and at least of each check.
  explicit Passwords(const base::HashCost& of_new) : cost(of_new) {}
  virtual ~Passwords() = default;
  // Waits for a turn. Never throws.
  virtual loop::Task<Permission> take_turn(Asker& asker) = 0;
  virtual void end_turn() = 0;
  // After the turn of a refused password: waits until a multiple of half a second
  // after its begin. So the time of a refusal does not show the cost of a hash.
  virtual loop::Task<> hold_back(const Asker& asker) = 0;
  // Only during a turn. Throw base::Unavailable if a library fails or a thread
  // cannot be started.
  virtual loop::Task<bool> matches(std::string password, std::string stored) = 0;
  virtual loop::Task<std::string> hash(std::string password) = 0;

  const base::HashCost cost;
};

// Addresses take turns, as base::address_group() groups them: each has a queue.
// Requests from known addresses go first, so that an attacker with many addresses
// keeps no user out there. They wait up to 2 s.
class HashedPasswords : public Passwords {
 public:
  // At most `turns` at the same time. `hashing` limits the whole pool, and several
  // threads use `entropy`. All references outlive it.
  HashedPasswords(const base::HashCost& of_new, std::size_t turns, base::SharedSemaphore& hashing,
                  base::Entropy& entropy, loop::Loop& loop);
  // Waits for the hashes that are being computed: a thread cannot be stopped.
  ~HashedPasswords() override;
  HashedPasswords(const HashedPasswords&) = delete;
  HashedPasswords& operator=(const HashedPasswords&) = delete;
  loop::Task<Permission> take_turn(Asker& asker) override;
  void end_turn() override;
  loop::Task<> hold_back(const Asker& asker) override;
  loop::Task<bool> matches(std::string password, std::string stored) override;
  loop::Task<std::string> hash(std::string password) override;

 private:
  struct Wait;
  // Whether the address is unknown; the value of round_ in its turn.
  using Order = std::pair<bool, std::uint64_t>;
  using Waiting = std::multimap<Order, Wait*>;

  template <class Result>
  loop::Task<Result> compute(std::function<Result()> work);

  base::SharedSemaphore& hashing_;
  base::Entropy& entropy_;
  loop::Loop& loop_;
  std::size_t free_turns_;
  std::uint64_t round_ = 0;
  Waiting waiting_;
  loop::Threads threads_;  // last, so that it is destroyed before the data of its threads
};

}  // namespace svc::login
