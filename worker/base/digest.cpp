#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

namespace svc::base {
namespace {

std::string digest_of(std::string_view text, const EVP_MD* kind) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  // Fails only if OpenSSL lacks the algorithm. Then the service cannot work at
  // all.
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
                 kind, nullptr) != 1) {
    std::abort();
  }
  digest.resize(length);
  return digest;
}

}  // namespace

std::string sha256(std::string_view text) { return digest_of(text, EVP_sha256()); }

std::string sha1(std::string_view text) { return digest_of(text, EVP_sha1()); }

std::string md5(std::string_view text) { return digest_of(text, EVP_md5()); }

std::string hmac_sha1(std::string_view key, std::string_view text) {
  std::string mac(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  if (HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(mac.data()), &length) == nullptr) {
    std::abort();  // as above
  }
  mac.resize(length);
  return mac;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace svc::base
