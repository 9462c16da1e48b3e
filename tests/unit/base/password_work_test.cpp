// The work of a password check, counted in calls of OpenSSL: on a busy machine,
// a duration would prove little.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/hex.h"
#include "base/password_hash.h"
#include "fakes/fixed_entropy.h"

namespace {
std::uint64_t units = 0;  // N·r·p of all calls
}

// Replaces OpenSSL's function: counts the work, then calls the original.
extern "C" int EVP_PBE_scrypt(const char* pass, std::size_t pass_size, const unsigned char* salt,
                              std::size_t salt_size, std::uint64_t n, std::uint64_t r,
                              std::uint64_t p, std::uint64_t max_memory, unsigned char* key,
                              std::size_t key_size) {
  using Function = decltype(&EVP_PBE_scrypt);
  static const auto openssl = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "EVP_PBE_scrypt"));
  if (openssl == nullptr) std::abort();
  units += n * r * p;
  return openssl(pass, pass_size, salt, salt_size, n, r, p, max_memory, key, key_size);
}

namespace svc::base {
namespace {

std::uint64_t units_of_check(std::string_view password, std::string_view stored) {
  units = 0;
  password_matches(password, stored);
  return units;
}

// A hash of "right" with parameters that an import may bring.
std::string hash_of(unsigned log2_n, unsigned r, unsigned p) {
  const std::string salt(16, '\x5a');
  std::string hash(32, '\0');
  EVP_PBE_scrypt("right", 5, reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                 std::uint64_t{1} << log2_n, r, p, 160U << 20,
                 reinterpret_cast<unsigned char*>(hash.data()), hash.size());
  return "scrypt$" + std::to_string(log2_n) + "$" + std::to_string(r) + "$" + std::to_string(p) +
         "$" + to_hex(salt) + "$" + to_hex(hash);
}

// Imported users with weak hashes could be told apart: a check took 62 ms
// instead of 906 ms.
TEST(PasswordHash, OauthL8ChecksOfWeakerHashesCostTheSameWork) {
  const std::uint64_t unknown = units_of_check("wrong", kHashOfNoPassword);
  EXPECT_EQ(unknown, (std::uint64_t{1} << 14) * 8 * 5);
  struct Case {
    std::string_view name;
    std::string stored;
  };
  for (const Case& c : {
           Case{"as today", hash_of(14, 8, 5)},
           Case{"fewer passes", hash_of(14, 8, 1)},
           Case{"smaller blocks", hash_of(14, 1, 5)},
           Case{"as weak as can be", hash_of(14, 1, 1)},
           Case{"an odd one", hash_of(14, 3, 7)},
           Case{"more memory, fewer passes", hash_of(15, 8, 1)},
       }) {
    SCOPED_TRACE(c.name);
    for (const std::string_view password : {"wrong", "right"}) {
      units = 0;
      EXPECT_EQ(password_matches(password, c.stored), password == "right") << password;
      EXPECT_EQ(units, unknown) << password;
    }
  }
  for (const std::string_view stored : {"", "scrypt$", "scrypt$13$8$5$00$00", "md5$1234"})
    EXPECT_EQ(units_of_check("wrong", stored), unknown) << stored;
}

TEST(PasswordHash, OauthL8AddsNoWorkToAStrongerHash) {
  EXPECT_EQ(units_of_check("wrong", hash_of(17, 8, 1)), (std::uint64_t{1} << 17) * 8);
}

// A check with N=2^17 r=8 p=16 took 13 s, so the pool killed the worker.
TEST(PasswordHash, OauthL8TooExpensiveHashesCostTheWorkOfAnUnknownUser) {
  const std::string rest = "$" + std::string(32, '5') + "$" + std::string(64, '5');
  for (const std::string_view parameters : {"14$8$9", "15$8$5", "16$8$3", "17$8$2"}) {
    EXPECT_EQ(units_of_check("wrong", "scrypt$" + std::string(parameters) + rest),
              units_of_check("wrong", kHashOfNoPassword))
        << parameters;
  }
}

}  // namespace
}  // namespace svc::base
