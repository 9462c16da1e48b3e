#include "base/entropy.h"

#include <openssl/rand.h>

#include "base/unavailable.h"

namespace svc::base {

void SystemEntropy::fill(std::span<unsigned char> out) {
  if (RAND_bytes(out.data(), static_cast<int>(out.size())) != 1) {
    throw Unavailable("the random generator failed");
  }
}

}  // namespace svc::base
