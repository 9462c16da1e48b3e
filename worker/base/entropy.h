// entropy: random bytes from the operating system's generator, through OpenSSL.
//
// Throws Unavailable when the generator fails, which means that nothing secret may be made.
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
