// The work of a password check is counted in calls of the libraries: on a busy
// machine, a duration would prove little.
#include "base/password_hash.h"

#include <argon2.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/fixed_entropy.h"

namespace {
std::uint64_t passes = 0;        // of Argon2id over 1 KiB each
std::uint64_t scrypt = 0;        // N·r·p of all calls
std::uint32_t most_threads = 0;  // the most that a call of Argon2id used
}  // namespace

// Replace the libraries' functions: count the work, then compute.
extern "C" int argon2id_ctx(argon2_context* context) {
  passes += std::uint64_t{context->m_cost} * context->t_cost;
  most_threads = std::max(most_threads, context->threads);
  return argon2_ctx(context, Argon2_id);
}
extern "C" int EVP_PBE_scrypt(const char* pass, std::size_t pass_size, const unsigned char* salt,
                              std::size_t salt_size, std::uint64_t n, std::uint64_t r,
                              std::uint64_t p, std::uint64_t max_memory, unsigned char* key,
                              std::size_t key_size) {
  static const auto library =
      reinterpret_cast<decltype(&EVP_PBE_scrypt)>(dlsym(RTLD_NEXT, "EVP_PBE_scrypt"));
  if (library == nullptr) std::abort();
  scrypt += n * r * p;
  return library(pass, pass_size, salt, salt_size, n, r, p, max_memory, key, key_size);
}

namespace svc::base {
namespace {

const std::string kScryptEnd = "$" + std::string(32, 'a') + "$" + std::string(64, 'b');
const std::string kSalt = "$" + std::string(22, 'A');
const std::string kArgonEnd = kSalt + "$" + std::string(43, 'A');

std::string of_scrypt(std::string_view cost) { return "scrypt$" + std::string(cost) + kScryptEnd; }
std::string of_argon(std::string_view cost) {
  return "$argon2id$v=19$" + std::string(cost) + kArgonEnd;
}

TEST(PasswordHash, StoresItsCostWithTheHash) {
  fakes::FixedEntropy entropy;
  const HashCost cost{7 * 1024, 6, 4};
  for (const HashCost& each : {HashCost(), cost}) {
    const std::string_view password("correct\0\xff", 9);
    const std::string stored = hash_password(password, entropy, each);
    EXPECT_TRUE(stored.starts_with(each == cost ? "$argon2id$v=19$m=7168,t=6,p=4$"
                                                : "$argon2id$v=19$m=19456,t=2,p=1$"))
        << stored;
    EXPECT_TRUE(has_cost(stored, each));
    EXPECT_EQ(has_cost(stored), each == HashCost());
    EXPECT_TRUE(is_strong_password_hash(stored));
    EXPECT_TRUE(password_matches(password, stored, cost));
    for (const std::string_view wrong : {"correct", "", "correct "})
      EXPECT_FALSE(password_matches(wrong, stored, cost));
  }
  EXPECT_EQ(most_threads, 1u) << "a hash takes one core, whatever its lanes";
}

// Page faults took a third of the time of a login.
TEST(PasswordHash, KeepsItsMemoryForTheNext) {
  fakes::FixedEntropy entropy;
  rusage before{}, after{};
  for (rusage* usage : {&before, &after}) {
    hash_password("correct horse", entropy);
    getrusage(RUSAGE_THREAD, usage);
  }
  EXPECT_LT(after.ru_minflt - before.ru_minflt, 500);
}

TEST(PasswordHash, VerifiesHashesOfOthers) {
  for (const auto& [password, stored] : {
           // From the tests of the reference implementation of Argon2.
           std::pair("password",
                     "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$"
                     "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
           std::pair("password",
                     "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$"
                     "bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
           // hashlib.scrypt(b'p\xc3\xa4ss', salt=bytes(range(16)), n=2**14, r=8, p=5, dklen=32),
           // n=2**15 r=4 p=1 with a salt of 8 bytes, and n=2**17 r=8 p=1.
           std::pair("päss",
                     "scrypt$14$8$5$000102030405060708090a0b0c0d0e0f$"
                     "73936737cafcb98f1da943a32b860ae86ab50a3051eb4a5349368f5cf26ca8c4"),
           std::pair("päss",
                     "scrypt$15$4$1$0001020304050607$"
                     "e42e8aef4decdbc246c668b39f963aa1ee279e2150956786fb7e2a4899aaa8c1"),
           std::pair("päss",
                     "scrypt$17$8$1$000102030405060708090a0b0c0d0e0f$"
                     "1c2af1294e1d9ce1333a97648cf8dd74956999a3c2dc55f4aa5903802decaac0"),
           // The first of these, as a PHC string.
           std::pair("päss",
                     "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$"
                     "c5NnN8r8uY8dqUOjK4YK6Gq1CjBR60pTSTaPXPJsqMQ"),
       }) {
    EXPECT_TRUE(password_matches(password, stored)) << stored;
    EXPECT_FALSE(password_matches("another", stored)) << stored;
    EXPECT_FALSE(has_cost(stored)) << stored;
  }
}

TEST(PasswordHash, RefusesOtherForms) {
  const std::string form = "$argon2id$v=19$m=19456,t=2,p=1";
  for (const std::string& right :
       {form + kArgonEnd, of_argon("m=8,t=1,p=1"), of_argon("m=4000000,t=99,p=255"),
        form + "$" + std::string(11, 'A') + "$" + std::string(22, 'A'), of_scrypt("14$8$5"),
        of_scrypt("17$8$16"), "$scrypt$ln=17,r=8,p=1" + kArgonEnd,
        "scrypt$14$8$5$" + std::string(16, 'a') + kScryptEnd.substr(33)})
    EXPECT_TRUE(is_password_hash(right)) << right;
  std::vector<std::string> wrong{"", "hunter2", "scrypt$14$8$5$aa"};
  for (const char* cost :
       {"m=7,t=1,p=1", "m=19456,t=2,p=2433", "m=19456,t=0,p=1", "m=19456,t=2,p=0",
        "m=+19456,t=2,p=1", "m=-19456,t=2,p=1", "m=99999999999,t=2,p=1", "m=19456,t=2",
        "t=2,m=19456,p=1", "m=19456,t=2,p=1,data=AAAA"})
    wrong.push_back(of_argon(cost));
  for (const char* cost : {"14$8$5$", "13$8$5", "18$8$5", "+14$8$5", "14$0$5", "14$9$5", "14$8$0",
                           "14$8$17", "14$8$99999999999"})
    wrong.push_back(of_scrypt(cost));
  for (const char* begin :
       {"$argon2i$v=19$m=19456,t=2,p=1", "$argon2id$v=16$m=19456,t=2,p=1",
        "$argon2id$m=19456,t=2,p=1", "$scrypt$ln=18,r=8,p=1", "$scrypt$ln=14,r=8"})
    wrong.push_back(begin + kArgonEnd);
  for (const std::string& end :
       {kArgonEnd + "$", kArgonEnd + "=", kSalt, kSalt + "$" + std::string(43, '-'),
        kSalt + "$" + std::string(42, 'A') + "B", kSalt + "$" + std::string(20, 'A'),
        kSalt + "$" + std::string(88, 'A'), "$AAAAAAAAAA$" + std::string(43, 'A')})
    wrong.push_back(form + end);
  for (const std::string& salt :
       {std::string(14, 'a'), std::string(130, 'a'), std::string(32, 'g')})
    wrong.push_back("scrypt$14$8$5$" + salt + kScryptEnd.substr(33));
  wrong.push_back("bcrypt$14$8$5" + kScryptEnd);
  wrong.push_back(of_scrypt("14$8$5") + "b");
  for (const std::string& other : wrong) {
    EXPECT_FALSE(is_password_hash(other)) << other;
    EXPECT_FALSE(is_strong_password_hash(other) || has_cost(other)) << other;
  }
}

TEST(PasswordHash, OauthL8RecognisesWeakAndTooExpensiveHashes) {
  struct Case {
    bool strong, too_expensive;
    std::vector<std::string> argon, scrypt;  // costs
  };
  for (const Case& c : {
           // Recommended by OWASP, then the defaults of libraries, then the most expensive.
           Case{true,
                false,
                {"m=47104,t=1,p=1", "m=19456,t=2,p=1", "m=7168,t=5,p=1", "m=65536,t=3,p=4",
                 "m=102400,t=2,p=8", "m=131072,t=3,p=1"},
                {"14$8$5", "17$8$1", "15$4$5", "14$8$8"}},
           Case{false,
                false,
                {"m=512,t=2,p=2", "m=7168,t=4,p=1", "m=7000,t=9,p=1"},
                {"14$8$4", "15$8$2", "14$4$16"}},
           Case{true,
                true,
                {"m=131073,t=1,p=1", "m=65536,t=7,p=1", "m=4000000,t=999999999,p=1"},
                {"14$8$9", "17$8$2"}},
       }) {
    const auto check = [&](const std::string& stored) {
      EXPECT_EQ(is_strong_password_hash(stored), c.strong) << stored;
      EXPECT_EQ(is_too_expensive_password_hash(stored), c.too_expensive) << stored;
    };
    for (const std::string& cost : c.argon) check(of_argon(cost));
    for (const std::string& cost : c.scrypt) check(of_scrypt(cost));
  }
}

// Imported users with weak hashes could be told apart: a check took 62 ms
// instead of 906 ms. One with N=2^17 r=8 p=16 took 13 s, so the pool killed the worker.
TEST(PasswordHash, OauthL8ChecksCostAtLeastTheWorkOfANewHash) {
  fakes::FixedEntropy entropy;
  const HashCost weak{1024, 3, 2};
  for (const HashCost& cost : {HashCost(), HashCost{10'000, 7, 3}}) {
    const std::uint64_t whole = std::uint64_t{cost.memory} * cost.passes;
    for (const std::string& stored :
         {std::string(), std::string("md5$1234"), hash_password("right", entropy, cost),
          hash_password("right", entropy, weak), of_argon("m=19456,t=1,p=1"),
          of_argon("m=4000000,t=1,p=1"), of_scrypt("17$8$16"), of_scrypt("14$1$1")}) {
      for (const std::string_view password : {"wrong", "right"}) {
        passes = scrypt = 0;
        const bool matches = password_matches(password, stored, cost);
        EXPECT_EQ(matches, password == "right" && stored.starts_with("$argon2id$") &&
                               !stored.ends_with(kArgonEnd))
            << stored;
        // A pass of scrypt takes as long as three.
        EXPECT_NEAR(static_cast<double>(passes + scrypt / 8 * 3), static_cast<double>(whole), 7)
            << stored;
      }
    }
  }
}

}  // namespace
}  // namespace svc::base
