#include "base/public_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <cstddef>
#include <memory>

namespace svc::base {
namespace {

using PkeyHandle = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

constexpr std::size_t kCoordinateBytes = 32;
constexpr std::size_t kEdwardsBytes = 32;
constexpr int kLeastModulusBits = 2048;
constexpr int kMostModulusBits = 4096;
// A verification takes time in proportion to it. 65537 is usual.
constexpr std::size_t kMostExponentBytes = 4;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

PkeyHandle made_of(const char* type, OSSL_PARAM_BLD* builder) {
  EVP_PKEY* made = nullptr;
  const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> parameters(
      OSSL_PARAM_BLD_to_param(builder), &OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr), &EVP_PKEY_CTX_free);
  if (parameters && context && EVP_PKEY_fromdata_init(context.get()) == 1)
    EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get());
  return {made, &EVP_PKEY_free};
}

PkeyHandle point_of(const PublicKey& key, OSSL_PARAM_BLD* builder) {
  if (key.first.size() != kCoordinateBytes || key.second.size() != kCoordinateBytes)
    return {nullptr, &EVP_PKEY_free};
  // SEC 1 §2.3.3: uncompressed. OpenSSL refuses a point that is not on the curve.
  const std::string point = '\x04' + key.first + key.second;
  OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  return made_of("EC", builder);
}

PkeyHandle modulus_of(const PublicKey& key, OSSL_PARAM_BLD* builder) {
  using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
  if (key.second.size() > kMostExponentBytes || key.first.size() > kMostModulusBits / 8)
    return {nullptr, &EVP_PKEY_free};
  const Number modulus(BN_bin2bn(bytes_of(key.first), static_cast<int>(key.first.size()), nullptr),
                       &BN_free);
  const Number exponent(
      BN_bin2bn(bytes_of(key.second), static_cast<int>(key.second.size()), nullptr), &BN_free);
  if (!modulus || !exponent || BN_num_bits(modulus.get()) < kLeastModulusBits ||
      BN_is_odd(modulus.get()) != 1 || BN_is_odd(exponent.get()) != 1 ||
      BN_is_one(exponent.get()) == 1) {
    return {nullptr, &EVP_PKEY_free};
  }
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent.get());
  return made_of("RSA", builder);
}

PkeyHandle pkey_of(const PublicKey& key) {
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder(
      OSSL_PARAM_BLD_new(), &OSSL_PARAM_BLD_free);
  if (!builder) return {nullptr, &EVP_PKEY_free};
  switch (key.kind) {
    case SignatureKind::Es256: return point_of(key, builder.get());
    case SignatureKind::Rs256: return modulus_of(key, builder.get());
    case SignatureKind::Ed25519: break;
  }
  if (key.first.size() != kEdwardsBytes || !key.second.empty()) return {nullptr, &EVP_PKEY_free};
  return {
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(key.first), key.first.size()),
      &EVP_PKEY_free};
}

}  // namespace

bool is_usable(const PublicKey& key) { return pkey_of(key) != nullptr; }

bool verifies(const PublicKey& key, std::string_view message, std::string_view signature) {
  const PkeyHandle pkey = pkey_of(key);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  // Ed25519 has its own digest (RFC 8032).
  const EVP_MD* digest = key.kind == SignatureKind::Ed25519 ? nullptr : EVP_sha256();
  return pkey && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, pkey.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

}  // namespace svc::base
