#include "fakes/authenticator.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <cstdlib>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"

namespace svc::fakes {
namespace {

void must_be(bool done) {
  if (!done) std::abort();
}

std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 255U);
  return out;
}

std::string number_of(const EVP_PKEY* key, const char* name, std::size_t least) {
  BIGNUM* number = nullptr;
  must_be(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  BN_free(number);
  return std::string(least > bytes.size() ? least - bytes.size() : 0, '\0') + bytes;
}

std::string quoted_member(const std::string& name, const std::string& value) {
  return "\"" + name + "\":\"" + value + "\"";
}

}  // namespace

std::string cbor_head(unsigned type, std::uint64_t value) {
  const auto first = [&](unsigned info) {
    return std::string(1, static_cast<char>(type << 5U | info));
  };
  if (value < 24) return first(static_cast<unsigned>(value));
  if (value < 256) return first(24) + big_endian(value, 1);
  if (value < 65536) return first(25) + big_endian(value, 2);
  return first(26) + big_endian(value, 4);
}

std::string cbor_integer(std::int64_t value) {
  return value < 0 ? cbor_head(1, static_cast<std::uint64_t>(-1 - value))
                   : cbor_head(0, static_cast<std::uint64_t>(value));
}

std::string cbor_bytes(std::string_view bytes) {
  return cbor_head(2, bytes.size()) + std::string(bytes);
}

std::string cbor_text(std::string_view text) {
  return cbor_head(3, text.size()) + std::string(text);
}

struct Authenticator::Key {
  EVP_PKEY* pkey = nullptr;
};

Authenticator::Authenticator(base::SignatureKind kind, std::string id)
    : kind_(kind), id_(std::move(id)), key_(std::make_unique<Key>()) {
  switch (kind) {
    case base::SignatureKind::Es256: key_->pkey = EVP_EC_gen("P-256"); break;
    case base::SignatureKind::Rs256: key_->pkey = EVP_RSA_gen(2048); break;
    case base::SignatureKind::Ed25519:
      key_->pkey = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
      break;
  }
  must_be(key_->pkey != nullptr);
}

Authenticator::~Authenticator() { EVP_PKEY_free(key_->pkey); }

std::string Authenticator::id() const { return base::base64url_encode(id_); }

std::string Authenticator::cose_key() const {
  switch (kind_) {
    case base::SignatureKind::Es256:
      return cbor_head(5, 5) + cbor_integer(1) + cbor_integer(2) + cbor_integer(3) +
             cbor_integer(-7) + cbor_integer(-1) + cbor_integer(1) + cbor_integer(-2) +
             cbor_bytes(number_of(key_->pkey, OSSL_PKEY_PARAM_EC_PUB_X, 32)) + cbor_integer(-3) +
             cbor_bytes(number_of(key_->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, 32));
    case base::SignatureKind::Rs256:
      return cbor_head(5, 4) + cbor_integer(1) + cbor_integer(3) + cbor_integer(3) +
             cbor_integer(-257) + cbor_integer(-1) +
             cbor_bytes(number_of(key_->pkey, OSSL_PKEY_PARAM_RSA_N, 0)) + cbor_integer(-2) +
             cbor_bytes(number_of(key_->pkey, OSSL_PKEY_PARAM_RSA_E, 0));
    case base::SignatureKind::Ed25519: break;
  }
  std::string raw(32, '\0');
  std::size_t size = raw.size();
  must_be(EVP_PKEY_get_raw_public_key(key_->pkey, reinterpret_cast<unsigned char*>(raw.data()),
                                      &size) == 1);
  return cbor_head(5, 4) + cbor_integer(1) + cbor_integer(1) + cbor_integer(3) + cbor_integer(-8) +
         cbor_integer(-1) + cbor_integer(6) + cbor_integer(-2) + cbor_bytes(raw);
}

std::string Authenticator::authenticator_data(const Ceremony& ceremony,
                                              bool with_credential) const {
  std::string data = base::sha256(ceremony.rp_id);
  data += static_cast<char>(ceremony.flags | (with_credential ? 0x40U : 0U));
  data += big_endian(ceremony.count, 4);
  if (with_credential) {
    data += std::string(16, '\0') + big_endian(id_.size(), 2) + id_;
    data += ceremony.key.empty() ? cose_key() : ceremony.key;
  }
  return data + ceremony.tail;
}

std::string Authenticator::attestation_object(const Ceremony& ceremony) const {
  return cbor_head(5, 3) + cbor_text("fmt") + cbor_text("none") + cbor_text("attStmt") +
         cbor_head(5, 0) + cbor_text("authData") + cbor_bytes(authenticator_data(ceremony, true));
}

namespace {

std::string client_data(const Authenticator::Ceremony& ceremony, const std::string& type) {
  return "{" + quoted_member("type", ceremony.type.empty() ? type : ceremony.type) + "," +
         quoted_member("challenge", ceremony.challenge) + "," +
         quoted_member("origin", ceremony.origin) + ",\"crossOrigin\":false" + ceremony.more + "}";
}

std::string credential(const std::string& id, const std::string& response) {
  return "{" + quoted_member("id", id) + "," + quoted_member("rawId", id) + "," +
         quoted_member("type", "public-key") + ",\"response\":{" + response +
         "},\"clientExtensionResults\":{},\"authenticatorAttachment\":\"cross-platform\"}";
}

}  // namespace

std::string Authenticator::registration_of(const Ceremony& ceremony,
                                           std::string_view object) const {
  return credential(ceremony.id.empty() ? id() : ceremony.id,
                    quoted_member("clientDataJSON", base::base64url_encode(
                                                        client_data(ceremony, "webauthn.create"))) +
                        "," + quoted_member("attestationObject", base::base64url_encode(object)) +
                        ",\"transports\":[\"usb\",\"nfc\"]");
}

std::string Authenticator::registration(const Ceremony& ceremony) const {
  return registration_of(ceremony, attestation_object(ceremony));
}

std::string Authenticator::assertion(const Ceremony& ceremony) const {
  const std::string data = authenticator_data(ceremony, false);
  const std::string client = client_data(ceremony, "webauthn.get");
  std::string response =
      quoted_member("clientDataJSON", base::base64url_encode(client)) + "," +
      quoted_member("authenticatorData", base::base64url_encode(data)) + "," +
      quoted_member("signature", base::base64url_encode(sign(data + base::sha256(client))));
  if (!ceremony.user_handle.empty())
    response += "," + quoted_member("userHandle", ceremony.user_handle);
  return credential(ceremony.id.empty() ? id() : ceremony.id, response);
}

std::string Authenticator::sign(std::string_view message) const {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const EVP_MD* digest = kind_ == base::SignatureKind::Ed25519 ? nullptr : EVP_sha256();
  must_be(EVP_DigestSignInit(context, nullptr, digest, nullptr, key_->pkey) == 1);
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  std::size_t size = 0;
  must_be(EVP_DigestSign(context, nullptr, &size, bytes, message.size()) == 1);
  std::string signature(size, '\0');
  must_be(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                         message.size()) == 1);
  EVP_MD_CTX_free(context);
  signature.resize(size);
  return signature;
}

}  // namespace svc::fakes
