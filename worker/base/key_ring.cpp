#include "base/key_ring.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/sha.h>

#include <array>
#include <memory>

#include "base/digest.h"
#include "base/hex.h"
#include "base/secret_file.h"
#include "base/unavailable.h"

namespace svc::base {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

void must(int ok) {
  if (ok != 1) throw Unavailable("OpenSSL refused to encrypt");
}

bool is_key_id(std::string_view id) {
  if (id.empty() || id.size() > 32) return false;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain) return false;
  }
  return true;
}

void must_mac(bool ok) {
  if (!ok) throw Unavailable("OpenSSL refused to compute an HMAC");
}

}  // namespace

// An HMAC-SHA-256 with its key already set. Fetching the algorithm and setting
// the key take several times as long as the MAC of a token.
class KeyRing::Mac {
 public:
  explicit Mac(std::string_view key) {
    const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> kind(
        EVP_MAC_fetch(nullptr, "HMAC", nullptr), &EVP_MAC_free);
    must_mac(kind != nullptr);
    context_.reset(EVP_MAC_CTX_new(kind.get()));
    must_mac(context_ != nullptr);
    std::string digest = "SHA256";
    const std::array<OSSL_PARAM, 2> parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    must_mac(EVP_MAC_init(context_.get(), bytes(key), key.size(), parameters.data()) == 1);
  }

  std::string of(std::string_view message) const {
    std::string out(SHA256_DIGEST_LENGTH, '\0');
    std::size_t length = 0;
    // No key: keeps the one from the constructor.
    must_mac(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1 &&
             EVP_MAC_update(context_.get(), bytes(message), message.size()) == 1 &&
             EVP_MAC_final(context_.get(), bytes(out), &length, out.size()) == 1 &&
             length == out.size());
    return out;
  }

 private:
  struct Free {
    void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
  };
  std::unique_ptr<EVP_MAC_CTX, Free> context_;
};

KeyRing::KeyRing(std::vector<Key> keys) : keys_(std::move(keys)) {}
KeyRing::KeyRing(KeyRing&&) noexcept = default;
KeyRing& KeyRing::operator=(KeyRing&&) noexcept = default;
KeyRing::~KeyRing() = default;

Result<KeyRing, std::string> KeyRing::load(const std::string& path) {
  auto text = read_secret_file("the key file", path);
  if (!text) return Refusal{text.error()};
  auto ring = parse(*text);
  OPENSSL_cleanse(text->data(), text->size());
  if (!ring) return Refusal{path + ", " + ring.error()};
  return ring;
}

Result<KeyRing, std::string> KeyRing::parse(std::string_view text) {
  std::vector<Key> keys;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::string where = "line " + std::to_string(number) + ": ";
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_key_id(line.substr(0, colon))) {
      return Refusal{where +
                     "not of the form <key id>:<64 hex digits>; the id has 1 to 32 letters, "
                     "digits, '-', '_' and '.'"};
    }
    auto key = from_hex(line.substr(colon + 1));
    if (!key || key->size() != kKeyBytes) {
      return Refusal{where + "the key after the colon must have exactly 64 hex digits"};
    }
    const std::string id(line.substr(0, colon));
    for (const Key& other : keys) {
      if (other.id == id) return Refusal{where + "the key id " + id + " is used twice"};
    }
    keys.push_back({id, std::move(*key)});
  }
  if (keys.empty())
    return Refusal{std::string("it contains no key; add a line <key id>:<64 hex digits>")};
  return KeyRing(std::move(keys));
}

std::vector<std::string> KeyRing::ids() const {
  std::vector<std::string> all;
  for (const Key& key : keys_) all.push_back(key.id);
  return all;
}

std::string_view KeyRing::id_of(std::string_view sealed) {
  const std::size_t colon = sealed.find(':');
  return colon == std::string_view::npos ? "" : sealed.substr(0, colon);
}

std::string KeyRing::seal(std::string_view plain, std::string_view context,
                          Entropy& entropy) const {
  const std::string sealed = seal_bytes(plain, context, entropy);
  const std::size_t begin = sealed.find(':') + 1;
  return sealed.substr(0, begin) + to_hex(std::string_view(sealed).substr(begin));
}

std::optional<std::string> KeyRing::open(std::string_view sealed, std::string_view context) const {
  const std::size_t begin = sealed.find(':') + 1;
  const auto box = from_hex(sealed.substr(begin));
  if (begin == 0 || !box) return std::nullopt;
  return open_bytes(std::string(sealed.substr(0, begin)) + *box, context);
}

std::string KeyRing::seal_bytes(std::string_view plain, std::string_view context,
                                Entropy& entropy) const {
  const Key& key = keys_.front();
  std::string nonce(kNonceBytes, '\0');
  entropy.fill({bytes(nonce), nonce.size()});
  std::string sealed(plain.size(), '\0');
  std::string tag(kTagBytes, '\0');
  const CipherContext cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  int length = 0;
  must(
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(key.bytes), bytes(nonce)));
  must(EVP_EncryptUpdate(cipher.get(), nullptr, &length, bytes(context),
                         static_cast<int>(context.size())));
  must(EVP_EncryptUpdate(cipher.get(), bytes(sealed), &length, bytes(plain),
                         static_cast<int>(plain.size())));
  must(EVP_EncryptFinal_ex(cipher.get(), bytes(sealed) + length, &length));
  must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()));
  return key.id + ":" + nonce + sealed + tag;
}

std::optional<std::string> KeyRing::open_bytes(std::string_view sealed,
                                               std::string_view context) const {
  const std::size_t colon = sealed.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view all = sealed.substr(colon + 1);
  if (all.size() < kNonceBytes + kTagBytes) return std::nullopt;
  for (const Key& key : keys_) {
    if (key.id != sealed.substr(0, colon)) continue;
    const auto nonce = all.substr(0, kNonceBytes);
    const auto body = all.substr(kNonceBytes, all.size() - kNonceBytes - kTagBytes);
    std::string tag(all.substr(all.size() - kTagBytes));
    std::string plain(body.size(), '\0');
    const CipherContext cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    int length = 0;
    must(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(key.bytes),
                            bytes(nonce)));
    must(EVP_DecryptUpdate(cipher.get(), nullptr, &length, bytes(context),
                           static_cast<int>(context.size())));
    must(EVP_DecryptUpdate(cipher.get(), bytes(plain), &length, bytes(body),
                           static_cast<int>(body.size())));
    must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()));
    // Only the tag check shows that the decrypted text is genuine.
    if (EVP_DecryptFinal_ex(cipher.get(), bytes(plain) + length, &length) != 1) return std::nullopt;
    return plain;
  }
  return std::nullopt;
}

// Derives one key per label, so that MACs of different labels are unrelated.
const std::vector<KeyRing::Mac>& KeyRing::macs_for(std::string_view label) const {
  const auto found = by_label_.find(label);
  if (found != by_label_.end()) return found->second;
  std::vector<Mac> made;
  for (const Key& key : keys_) {
    std::string of_label = Mac(key.bytes).of(label);
    made.emplace_back(of_label);
    OPENSSL_cleanse(of_label.data(), of_label.size());
  }
  return by_label_.emplace(label, std::move(made)).first->second;
}

std::string KeyRing::mac(std::string_view label, std::string_view message) const {
  return to_hex(macs_for(label).front().of(message));
}

std::vector<std::string> KeyRing::macs(std::string_view label, std::string_view message) const {
  const std::vector<Mac>& of_label = macs_for(label);
  std::vector<std::string> all;
  all.reserve(of_label.size());
  for (const Mac& mac : of_label) all.push_back(to_hex(mac.of(message)));
  return all;
}

bool KeyRing::mac_matches(std::string_view label, std::string_view message,
                          std::string_view mac) const {
  bool matches = false;
  for (const Mac& own : macs_for(label))
    matches |= equal_in_constant_time(to_hex(own.of(message)), mac);
  return matches;
}

}  // namespace svc::base
