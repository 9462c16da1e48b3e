// Passwords: computes password hashes without blocking other requests.
//
// A hash takes tenths of a second of a core. HashingPermits limits how many a
// pool computes at the same time, so that time remains for requests without a
// hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/password_hash.h"
#include "http/request.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"

namespace svc::login {

class Passwords {
 public:
  // `of_new`: the cost of new hashes, and at least of each check.
  explicit Passwords(const base::HashCost& of_new) : cost(of_new) {}
  virtual ~Passwords() = default;
  // Throw base::Unavailable if a library fails or a thread cannot be started.
  virtual loop::Task<bool> matches(std::string password, std::string stored) = 0;
  virtual loop::Task<std::string> hash(std::string password) = 0;

  const base::HashCost cost;
};

// Hashes in a thread that only uses idle processor time (SCHED_IDLE).
// If that thread has not finished within `idle`, a second thread at a lower
// priority computes the same hash. Until the first one has finished, all other
// hashes start at that lower priority.
class QuietPasswords : public Passwords {
 public:
  // `entropy` is used by several threads at the same time. Both references
  // outlive it.
  QuietPasswords(const base::HashCost& of_new, base::Entropy& entropy, base::Duration idle,
                 loop::Loop& loop);
  ~QuietPasswords() override;
  QuietPasswords(const QuietPasswords&) = delete;
  QuietPasswords& operator=(const QuietPasswords&) = delete;
  loop::Task<bool> matches(std::string password, std::string stored) override;
  loop::Task<std::string> hash(std::string password) override;

  // Returns true if no thread computes a hash, not even one whose result is no
  // longer needed. The destructor waits for these threads.
  bool nobody_is_late() { return threads_.running() == 0; }
  // Gives these threads normal priority, so that they cannot delay the end of
  // the process on a busy machine.
  void hurry() { threads_.leave_idle_class(); }

 private:
  struct Answer {
    bool matches = false;
    std::string hash;
  };
  using Work = std::function<Answer()>;
  struct Idler;
  class Wait;

  loop::Task<Answer> quietly(Work work);
  std::list<Idler>::iterator start_idler(const Work& work);

  base::Entropy& entropy_;
  const base::Duration idle_;
  loop::Loop& loop_;
  std::list<Idler> idlers_;
  std::size_t late_ = 0;   // number of idlers whose result is no longer needed
  loop::Threads threads_;  // last, so that it is destroyed before the data of its threads
};

// A request that needs to hash a password.
struct Asker {
  std::string_view email;
  std::string_view address;    // client address
  bool known = false;          // the email has logged in from this address within 30 days
  http::Peer* peer = nullptr;  // http::Request::peer
};

// AtOnce, AfterWaiting: the request may hash, and must return the permit.
// Refused: its wait timed out, too many requests wait, or its peer has
// disconnected.
enum class Permission : std::uint8_t { AtOnce, AfterWaiting, Refused };

// Implemented in pool/, across all workers of the pool. Never throws.
class HashingPermits {
 public:
  virtual ~HashingPermits() = default;
  // Waits for a permit.
  virtual loop::Task<Permission> take(const Asker& asker) = 0;
  // Returns the permit of the same asker.
  virtual void give_back(const Asker& asker) = 0;
};

}  // namespace svc::login
