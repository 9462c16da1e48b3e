// Passwords: checked and hashed where that holds up nobody else.
//
// A hash takes a fifth of a second of a core. HashingPermits bounds how many workers of a pool hash
// at once, so that one is always left for requests that need no hash.
#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/entropy.h"

namespace svc::login {

class Passwords {
 public:
  virtual ~Passwords() = default;
  // Throw base::Unavailable when the machine cannot.
  virtual bool matches(std::string_view password, std::string_view stored) = 0;
  virtual std::string hash(std::string_view password) = 0;
};

// scrypt in a thread of its own, which the caller waits for. It takes only time that nobody else
// wants (SCHED_IDLE). When it has found none for `idle`, a second one at a lower priority does the
// same beside it; as long as the first is late, there is no other such.
class QuietPasswords : public Passwords {
 public:
  // `entropy` is asked by several threads at once.
  QuietPasswords(base::Entropy& entropy, base::Duration idle) : entropy_(entropy), idle_(idle) {}
  QuietPasswords(const QuietPasswords&) = delete;
  QuietPasswords& operator=(const QuietPasswords&) = delete;
  ~QuietPasswords() override;
  bool matches(std::string_view password, std::string_view stored) override;
  std::string hash(std::string_view password) override;

  // Returns true if no thread still computes a hash whose result another thread has given; the
  // destructor waits for such a thread.
  bool nobody_is_late();

 private:
  template <class Work>
  auto quietly(Work work);

  base::Entropy& entropy_;
  const base::Duration idle_;
  std::thread late_;
  std::future<void> late_ended_;
};

// A request that wants to hash a password.
struct Asker {
  std::string_view email;
  std::string_view address;  // of the client
  bool known = false;        // the email has logged in from there within 30 days
  std::uint32_t place = 0;   // where it waits already; 0: nowhere
};

// Now: it may, and gives the permit back. Wait: it has a place, with which it is asked again.
// Busy: it waited in vain, or too many wait. Places begin with 1.
struct Turn {
  enum class When : std::uint8_t { Now, Wait, Busy } when;
  std::uint32_t place = 0;
};

// Implemented in pool/, over all its workers. Never throws.
class HashingPermits {
 public:
  virtual ~HashingPermits() = default;
  virtual Turn take(const Asker& asker) = 0;
  virtual void give_back() = 0;
};

}  // namespace svc::login
