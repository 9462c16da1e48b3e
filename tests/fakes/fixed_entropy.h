// FixedEntropy: bytes that count up from a chosen value, so that all values
// derived from them are known.
#pragma once

#include <span>

#include "base/entropy.h"

namespace svc::fakes {

class FixedEntropy : public base::Entropy {
 public:
  explicit FixedEntropy(unsigned char next = 0) : next_(next) {}

  void fill(std::span<unsigned char> out) override {
    for (unsigned char& byte : out) byte = next_++;
  }

 private:
  unsigned char next_;
};

}  // namespace svc::fakes
