// Passwords: checked and hashed where that holds up nobody else.
//
// A hash takes a fifth of a second of a core. HashingPermits bounds how many workers of a pool hash
// at once, so that one is always left for requests that need no hash.
#pragma once

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

 private:
  template <class Work>
  auto quietly(Work work);
  bool nobody_is_late();

  base::Entropy& entropy_;
  const base::Duration idle_;
  std::thread late_;
  std::future<void> late_ended_;
};

// Implemented in pool/, over all its workers. Never throws.
class HashingPermits {
 public:
  virtual ~HashingPermits() = default;
  // For a request from that base::address_group(). False when as many as may hash already, all in
  // all or for that one.
  virtual bool take(std::string_view address) = 0;
  virtual void give_back() = 0;
};

}  // namespace svc::login
