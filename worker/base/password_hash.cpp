#include "base/password_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hex.h"
#include "base/unavailable.h"

namespace svc::base {
namespace {

struct Parameters {
  unsigned log2_n = 14;
  unsigned r = 8;
  unsigned p = 5;
  bool operator==(const Parameters&) const = default;
};
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;
// With 0 OpenSSL takes 32 MiB, and refuses N=2^15; the largest parameters we accept need 128 MiB.
constexpr std::uint64_t kMaxMemory = 160u << 20;

std::string derive(std::string_view password, std::string_view salt, const Parameters& parameters) {
  std::string out(kHashBytes, '\0');
  const int ok = EVP_PBE_scrypt(
      password.data(), password.size(), reinterpret_cast<const unsigned char*>(salt.data()),
      salt.size(), std::uint64_t{1} << parameters.log2_n, parameters.r, parameters.p, kMaxMemory,
      reinterpret_cast<unsigned char*>(out.data()), out.size());
  if (ok != 1) throw Unavailable("scrypt failed, is there not enough memory?");
  return out;
}

struct Stored {
  Parameters parameters;
  std::string salt;
  std::string hash;
};

std::optional<unsigned> small_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Stored> parse(std::string_view text) {
  std::array<std::string_view, 6> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = text.find('$');
    if ((end == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts[i] = text.substr(0, end);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  if (parts[0] != "scrypt") return std::nullopt;
  const auto log2_n = small_number(parts[1]);
  const auto r = small_number(parts[2]);
  const auto p = small_number(parts[3]);
  auto salt = from_hex(parts[4]);
  auto hash = from_hex(parts[5]);
  if (!log2_n || !r || !p || !salt || !hash) return std::nullopt;
  if (*log2_n < 14 || *log2_n > 17 || *r < 1 || *r > 8 || *p < 1 || *p > 16) return std::nullopt;
  if (salt->size() < 8 || salt->size() > 64 || hash->size() != kHashBytes) return std::nullopt;
  return Stored{{*log2_n, *r, *p}, std::move(*salt), std::move(*hash)};
}

}  // namespace

std::string hash_password(std::string_view password, Entropy& entropy) {
  const Parameters parameters;
  std::string salt(kSaltBytes, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(salt.data()), salt.size()});
  return "scrypt$" + std::to_string(parameters.log2_n) + "$" + std::to_string(parameters.r) + "$" +
         std::to_string(parameters.p) + "$" + to_hex(salt) + "$" +
         to_hex(derive(password, salt, parameters));
}

bool password_matches(std::string_view password, std::string_view stored) {
  const auto parsed = parse(stored);
  if (!parsed) return false;
  const std::string hash = derive(password, parsed->salt, parsed->parameters);
  return CRYPTO_memcmp(hash.data(), parsed->hash.data(), kHashBytes) == 0;
}

bool is_password_hash(std::string_view stored) { return parse(stored).has_value(); }

bool has_current_parameters(std::string_view stored) {
  const auto parsed = parse(stored);
  return parsed && parsed->parameters == Parameters{};
}

}  // namespace svc::base
