#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdlib>

namespace svc::base {

std::string sha256(std::string_view text) {
  std::string digest(32, '\0');
  unsigned length = 0;
  // Fails only when OpenSSL has no SHA-256, and then nothing here works.
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
                 EVP_sha256(), nullptr) != 1) {
    std::abort();
  }
  return digest;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace svc::base
