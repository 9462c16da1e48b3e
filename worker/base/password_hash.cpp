#include "base/password_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hex.h"
#include "base/number.h"
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
// With 0 OpenSSL uses a limit of 32 MiB and refuses N=2^15. The largest
// parameters that we accept need 128 MiB.
constexpr std::uint64_t kMaxMemory = 160u << 20;
// In units of units_of(). The largest parameters of our form need 16 times as
// much: 13 s of a core, which is more than a request's timeout.
constexpr std::uint64_t kMostUnits = 1u << 20;

// The work of one hash, N·r·p. Its time is proportional to this.
std::uint64_t units_of(const Parameters& parameters) {
  return (std::uint64_t{parameters.r} * parameters.p) << parameters.log2_n;
}

std::string derive(std::string_view password, std::string_view salt, const Parameters& parameters) {
  std::string out(kHashBytes, '\0');
  const int ok = EVP_PBE_scrypt(
      password.data(), password.size(), reinterpret_cast<const unsigned char*>(salt.data()),
      salt.size(), std::uint64_t{1} << parameters.log2_n, parameters.r, parameters.p, kMaxMemory,
      reinterpret_cast<unsigned char*>(out.data()), out.size());
  if (ok != 1) throw Unavailable("scrypt failed, probably for lack of memory");
  return out;
}

struct Stored {
  Parameters parameters;
  std::string salt;
  std::string hash;
};

std::optional<Stored> parse_stored(std::string_view text) {
  std::array<std::string_view, 6> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = text.find('$');
    if ((end == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts[i] = text.substr(0, end);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  if (parts[0] != "scrypt") return std::nullopt;
  const auto log2_n = parse_number<unsigned>(parts[1], 14, 17);
  const auto r = parse_number<unsigned>(parts[2], 1, 8);
  const auto p = parse_number<unsigned>(parts[3], 1, 16);
  auto salt = from_hex(parts[4]);
  auto hash = from_hex(parts[5]);
  if (!log2_n || !r || !p || !salt || !hash) return std::nullopt;
  if (salt->size() < 8 || salt->size() > 64 || hash->size() != kHashBytes) return std::nullopt;
  return Stored{{*log2_n, *r, *p}, std::move(*salt), std::move(*hash)};
}

// Spends the difference between a hash with the current parameters and the work
// that was already spent. Returns immediately if `spent` is not less. N is
// never below the current one, so the difference is a whole number of blocks.
void top_up(std::string_view password, std::uint64_t spent) {
  Parameters rest;
  const std::uint64_t block = units_of({rest.log2_n, 1, 1});
  const std::uint64_t whole = units_of(rest);
  const std::uint64_t blocks = spent < whole ? (whole - spent) / block : 0;
  const std::string_view salt = "0123456789abcdef";
  rest.p = static_cast<unsigned>(blocks / rest.r);
  if (rest.p > 0) derive(password, salt, rest);
  const auto last = static_cast<unsigned>(blocks % rest.r);
  if (last > 0) derive(password, salt, {rest.log2_n, last, 1});
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
  const auto parsed = parse_stored(stored);
  if (!parsed || units_of(parsed->parameters) > kMostUnits) {
    top_up(password, 0);
    return false;
  }
  const std::string hash = derive(password, parsed->salt, parsed->parameters);
  top_up(password, units_of(parsed->parameters));
  return CRYPTO_memcmp(hash.data(), parsed->hash.data(), kHashBytes) == 0;
}

bool is_password_hash(std::string_view stored) { return parse_stored(stored).has_value(); }

bool has_current_parameters(std::string_view stored) {
  const auto parsed = parse_stored(stored);
  return parsed && parsed->parameters == Parameters{};
}

bool is_too_expensive_password_hash(std::string_view stored) {
  const auto parsed = parse_stored(stored);
  return parsed && units_of(parsed->parameters) > kMostUnits;
}

// scrypt needs 128·N·r bytes and passes over them p times.
bool is_strong_password_hash(std::string_view stored) {
  const auto parsed = parse_stored(stored);
  if (!parsed) return false;
  const auto memory = [](const Parameters& of) { return std::uint64_t{of.r} << of.log2_n; };
  const Parameters& its = parsed->parameters;
  const Parameters ours;
  return memory(its) >= memory(ours) && memory(its) * its.p >= memory(ours) * ours.p;
}

}  // namespace svc::base
