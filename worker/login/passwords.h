// Passwords: checked and hashed where that holds up nobody else.
//
// A hash takes a fifth of a second of a core. HashingPermits bounds how many a pool computes at
// once, so that time is left for requests that need no hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "http/request.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"

namespace svc::login {

class Passwords {
 public:
  virtual ~Passwords() = default;
  // Throw base::Unavailable when the machine cannot.
  virtual loop::Task<bool> matches(std::string password, std::string stored) = 0;
  virtual loop::Task<std::string> hash(std::string password) = 0;
};

// scrypt in a thread of its own. It takes only time that nobody else wants (SCHED_IDLE). When it
// has found none for `idle`, a second one at a lower priority does the same beside it; as long as
// the first is late, no other hash tries that.
class QuietPasswords : public Passwords {
 public:
  // `entropy` is asked by several threads at once. Both outlive it.
  QuietPasswords(base::Entropy& entropy, base::Duration idle, loop::Loop& loop);
  ~QuietPasswords() override;
  QuietPasswords(const QuietPasswords&) = delete;
  QuietPasswords& operator=(const QuietPasswords&) = delete;
  loop::Task<bool> matches(std::string password, std::string stored) override;
  loop::Task<std::string> hash(std::string password) override;

  // Returns true if no thread computes a hash, be it one whose result another thread has given. The
  // destructor waits for such a thread.
  bool nobody_is_late() { return threads_.running() == 0; }

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
  std::size_t late_ = 0;   // of the idlers: those that nobody waits for any more
  loop::Threads threads_;  // the last: it ends before what its threads use
};

// A request that wants to hash a password.
struct Asker {
  std::string_view email;
  std::string_view address;    // of the client
  bool known = false;          // the email has logged in from there within 30 days
  http::Peer* peer = nullptr;  // http::Request::peer
};

// AtOnce, AfterWaiting: it may hash, and gives the permit back. Refused: it waited in vain, too
// many wait, or its peer has left.
enum class Permission : std::uint8_t { AtOnce, AfterWaiting, Refused };

// Implemented in pool/, over all its workers. Never throws.
class HashingPermits {
 public:
  virtual ~HashingPermits() = default;
  // Waits for its turn.
  virtual loop::Task<Permission> take(const Asker& asker) = 0;
  // That of the same asker.
  virtual void give_back(const Asker& asker) = 0;
};

}  // namespace svc::login
