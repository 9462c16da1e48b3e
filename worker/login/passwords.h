// Passwords: checked and hashed where that holds up nobody else.
//
// A hash takes a fifth of a second of a core. HashingPermits bounds how many workers of a pool hash
// at once, so that one is always left for requests that need no hash.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"

namespace svc::login {

class Passwords {
 public:
  virtual ~Passwords() = default;
  // Throw base::Unavailable when the machine cannot.
  virtual bool matches(std::string_view password, std::string_view stored) = 0;
  virtual std::string hash(std::string_view password) = 0;
};

// scrypt in a thread of its own at a lower priority, which the caller waits for.
class QuietPasswords : public Passwords {
 public:
  explicit QuietPasswords(base::Entropy& entropy) : entropy_(entropy) {}
  bool matches(std::string_view password, std::string_view stored) override;
  std::string hash(std::string_view password) override;

 private:
  base::Entropy& entropy_;
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
