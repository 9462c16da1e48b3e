#include "base/password_hash.h"

#include <argon2.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/base64.h"
#include "base/hex.h"
#include "base/number.h"
#include "base/unavailable.h"

namespace svc::base {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;

constexpr unsigned kMostMemory = 128 * 1024;  // KiB
constexpr std::size_t kMostKept = 32 << 20;   // bytes

struct Stored {
  // Passes over 1 KiB each. The time of a hash is proportional to this; one pass of
  // scrypt takes as long as three of Argon2id.
  std::uint64_t work() const { return std::uint64_t{cost.memory} * cost.passes * (scrypt ? 3 : 1); }
  bool is_strong() const {
    const Stored least{.cost = {scrypt ? 16U * 1024 : 7U * 1024, 5}, .scrypt = scrypt};
    return cost.memory >= least.cost.memory && work() >= least.work();
  }
  bool is_too_expensive() const {
    const Stored most{.cost = {kMostMemory, 1}, .scrypt = true};
    return cost.memory > kMostMemory || work() > most.work();
  }

  HashCost cost;  // for scrypt: N·r·128 bytes, p, and r
  bool scrypt = false;
  std::string salt = std::string(kSaltBytes, 0);
  std::string hash = std::string(kHashBytes, 0);
};

// Returns nullptr without memory.
std::uint8_t* new_memory(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<std::uint8_t*>(memory);
}

// Memory for one hash at a time, of any cost, which the process keeps: the page
// faults of new memory take half as long as the hash. libargon2 wipes it after
// each hash. A hash that runs at the same time gets its own memory.
struct KeptMemory {
  std::uint8_t* const memory = new_memory(std::size_t{kMostMemory} << 10);
  std::atomic_flag is_used;
};
KeptMemory& kept() {
  static KeptMemory memory;
  return memory;
}

int take_memory(std::uint8_t** memory, std::size_t bytes) {
  *memory = kept().is_used.test_and_set() ? new_memory(bytes) : kept().memory;
  return *memory == nullptr ? ARGON2_MEMORY_ALLOCATION_ERROR : ARGON2_OK;
}

void give_back(std::uint8_t* memory, std::size_t bytes) {
  if (memory != kept().memory) {
    munmap(memory, bytes);
    return;
  }
  if (bytes > kMostKept) madvise(memory + kMostKept, bytes - kMostKept, MADV_DONTNEED);
  kept().is_used.clear();
}

// `of`: all but the hash, whose size it has.
std::string derive(std::string password, Stored of) {
  const auto bytes = [](std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
  };
  const auto size = [](const std::string& text) { return static_cast<std::uint32_t>(text.size()); };
  const HashCost& cost = of.cost;
  bool done = false;
  if (of.scrypt) {
    // With 0 OpenSSL uses a limit of 32 MiB and refuses N=2^15.
    constexpr std::uint64_t kMaxMemory = 160u << 20;
    done = EVP_PBE_scrypt(password.data(), password.size(), bytes(of.salt), of.salt.size(),
                          std::uint64_t{cost.memory} * 8 / cost.lanes, cost.lanes, cost.passes,
                          kMaxMemory, bytes(of.hash), of.hash.size()) == 1;
  } else {
    argon2_context context{};
    context.out = bytes(of.hash);
    context.outlen = size(of.hash);
    context.pwd = bytes(password);
    context.pwdlen = size(password);
    context.salt = bytes(of.salt);
    context.saltlen = size(of.salt);
    context.m_cost = cost.memory;
    context.t_cost = cost.passes;
    context.lanes = cost.lanes;
    context.threads = 1;
    context.version = ARGON2_VERSION_13;
    context.allocate_cbk = take_memory;
    context.free_cbk = give_back;
    done = argon2id_ctx(&context) == ARGON2_OK;
  }
  if (!done) throw Unavailable("a password hash failed, probably for lack of memory");
  return of.hash;
}

// Takes a name and its number, which is not 0, off the text.
bool take(std::string_view& text, std::string_view name, unsigned& number) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  number = take_number<unsigned>(text).value_or(0);
  return number > 0;
}

std::optional<Stored> parse(std::string_view text) {
  Stored stored;
  HashCost& cost = stored.cost;
  unsigned log2_n = 0;
  std::string_view rest = text;
  if (text.starts_with("$argon2id$")) {
    if (!take(rest, "$argon2id$v=19$m=", cost.memory) || !take(rest, ",t=", cost.passes) ||
        !take(rest, ",p=", cost.lanes) || cost.lanes > cost.memory / 8)
      return std::nullopt;
  } else {
    const std::array<std::string_view, 3> phc{"$scrypt$ln=", ",r=", ",p="};
    const std::array<std::string_view, 3> ours{"scrypt$", "$", "$"};
    const auto& names = text.starts_with('$') ? phc : ours;
    if (!take(rest, names[0], log2_n) || !take(rest, names[1], cost.lanes) ||
        !take(rest, names[2], cost.passes))
      return std::nullopt;
    if (log2_n < 14 || log2_n > 17 || cost.lanes > 8 || cost.passes > 16) return std::nullopt;
    cost.memory = (cost.lanes << log2_n) / 8;
    stored.scrypt = true;
  }
  const std::size_t dollar = rest.find('$', 1);
  if (!rest.starts_with('$') || dollar == std::string_view::npos) return std::nullopt;
  const auto bytes = text.starts_with('$') ? base64_decode_unpadded : from_hex;
  const auto salt = bytes(rest.substr(1, dollar - 1));
  const auto hash = bytes(rest.substr(dollar + 1));
  if (!salt || salt->size() < 8 || salt->size() > 64) return std::nullopt;
  if (!hash || hash->size() < kHashBytes / 2 || hash->size() > 64) return std::nullopt;
  stored.salt = *salt;
  stored.hash = *hash;
  return stored;
}

// Spends the difference between a hash of `cost` and the work that was already
// spent.
void top_up(std::string_view password, std::uint64_t spent, const HashCost& cost) {
  Stored of{.cost = cost};
  const std::uint64_t rest = of.work() - std::min(spent, of.work());
  of.cost.passes = static_cast<unsigned>(rest / cost.memory);
  if (of.cost.passes > 0) derive(std::string(password), of);
  of.cost = {static_cast<unsigned>(rest % cost.memory), 1, 1};
  if (of.cost.memory >= ARGON2_MIN_MEMORY) derive(std::string(password), of);
}

}  // namespace

std::string_view why_not_cost(const HashCost& cost) {
  const Stored fresh{.cost = cost};
  if (!fresh.is_strong()) return "must be at least 35 MiB";
  return fresh.is_too_expensive() ? "must be at most 384 MiB" : "";
}

std::string hash_password(std::string_view password, Entropy& entropy, const HashCost& cost) {
  Stored stored{.cost = cost};
  entropy.fill({reinterpret_cast<unsigned char*>(stored.salt.data()), stored.salt.size()});
  stored.hash = derive(std::string(password), stored);
  return "$argon2id$v=19$m=" + std::to_string(cost.memory) + ",t=" + std::to_string(cost.passes) +
         ",p=" + std::to_string(cost.lanes) + "$" + base64_encode_unpadded(stored.salt) + "$" +
         base64_encode_unpadded(stored.hash);
}

bool password_matches(std::string_view password, std::string_view stored, const HashCost& cost) {
  const auto parsed = parse(stored);
  if (!parsed || parsed->is_too_expensive()) {
    top_up(password, 0, cost);
    return false;
  }
  const std::string hash = derive(std::string(password), *parsed);
  top_up(password, parsed->work(), cost);
  return CRYPTO_memcmp(hash.data(), parsed->hash.data(), hash.size()) == 0;
}

bool is_password_hash(std::string_view stored) { return parse(stored).has_value(); }

bool has_cost(std::string_view stored, const HashCost& cost) {
  const auto parsed = parse(stored);
  return parsed && !parsed->scrypt && parsed->cost == cost;
}

bool is_strong_password_hash(std::string_view stored) {
  const auto parsed = parse(stored);
  return parsed && parsed->is_strong();
}

bool is_too_expensive_password_hash(std::string_view stored) {
  const auto parsed = parse(stored);
  return parsed && parsed->is_too_expensive();
}

}  // namespace svc::base
