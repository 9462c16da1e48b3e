// entropy: random bytes from OpenSSL's generator, which the operating system
// seeds.
//
// Throws Unavailable if the generator fails: then no secret may be created.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace svc::base {

class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual void fill(std::span<unsigned char> out) = 0;
};

class SystemEntropy : public Entropy {
 public:
  void fill(std::span<unsigned char> out) override;
};

}  // namespace svc::base
