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

#include "fakes/fixed_entropy.h"

namespace {
std::uint64_t passes = 0;        // of Argon2id over 1 KiB each
std::uint64_t scrypt = 0;        // N·r·p of all calls
std::uint32_t most_threads = 0;  // of a call of Argon2id
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
  const std::string cost = "m=19456,t=2,p=1";
  const std::string form = "$argon2id$v=19$" + cost;
  for (const std::string& right :
       {of_argon(cost), of_argon("m=8,t=1,p=1"), of_argon("m=4000000,t=99,p=255"),
        form + "$" + std::string(11, 'A') + "$" + std::string(22, 'A'), of_scrypt("14$8$5"),
        of_scrypt("17$8$16"), "$scrypt$ln=17,r=8,p=1" + kArgonEnd,
        "scrypt$14$8$5$" + std::string(16, 'a') + kScryptEnd.substr(33)})
    EXPECT_TRUE(is_password_hash(right)) << right;
  for (const std::string& wrong :
       {std::string(),
        std::string("hunter2"),
        "$argon2i$v=19$" + cost + kArgonEnd,
        "$argon2id$v=16$" + cost + kArgonEnd,
        "$argon2id$" + cost + kArgonEnd,
        of_argon("m=7,t=1,p=1"),
        of_argon("m=19456,t=2,p=2433"),
        of_argon("m=19456,t=0,p=1"),
        of_argon("m=19456,t=2,p=0"),
        of_argon("m=+19456,t=2,p=1"),
        of_argon("m=-19456,t=2,p=1"),
        of_argon("m=99999999999,t=2,p=1"),
        of_argon("m=19456,t=2"),
        of_argon("t=2,m=19456,p=1"),
        of_argon("m=19456,t=2,p=1,data=AAAA"),
        form + kArgonEnd + "$",
        form + kSalt,
        form + kSalt + "$" + std::string(43, '-'),
        form + kArgonEnd + "=",
        form + kSalt + "$" + std::string(42, 'A') + "B",
        form + "$AAAAAAAAAA$" + std::string(43, 'A'),
        form + kSalt + "$" + std::string(20, 'A'),
        form + kSalt + "$" + std::string(88, 'A'),
        "$scrypt$ln=18,r=8,p=1" + kArgonEnd,
        "$scrypt$ln=14,r=8" + kArgonEnd,
        "bcrypt$14$8$5" + kScryptEnd,
        std::string("scrypt$14$8$5$aa"),
        of_scrypt("14$8$5$"),
        of_scrypt("13$8$5"),
        of_scrypt("18$8$5"),
        of_scrypt("+14$8$5"),
        of_scrypt("14$0$5"),
        of_scrypt("14$9$5"),
        of_scrypt("14$8$0"),
        of_scrypt("14$8$17"),
        of_scrypt("14$8$99999999999"),
        "scrypt$14$8$5$" + std::string(14, 'a') + kScryptEnd.substr(33),
        "scrypt$14$8$5$" + std::string(130, 'a') + kScryptEnd.substr(33),
        of_scrypt("14$8$5") + "b",
        "scrypt$14$8$5$" + std::string(32, 'g') + kScryptEnd.substr(33)}) {
    EXPECT_FALSE(is_password_hash(wrong)) << wrong;
    EXPECT_FALSE(is_strong_password_hash(wrong) || has_cost(wrong)) << wrong;
  }
}

TEST(PasswordHash, OauthL8KnowsWhatIsTooWeakOrTooExpensive) {
  struct Case {
    std::string stored;
    bool strong, too_expensive;
  };
  for (const Case& c : {
           // Recommended by OWASP.
           Case{of_argon("m=47104,t=1,p=1"), true, false},
           Case{of_argon("m=19456,t=2,p=1"), true, false},
           Case{of_argon("m=7168,t=5,p=1"), true, false},
           Case{of_scrypt("14$8$5"), true, false},
           Case{of_scrypt("17$8$1"), true, false},
           // The defaults of libraries.
           Case{of_argon("m=65536,t=3,p=4"), true, false},
           Case{of_argon("m=102400,t=2,p=8"), true, false},
           Case{of_argon("m=512,t=2,p=2"), false, false},
           Case{of_argon("m=7168,t=4,p=1"), false, false},
           Case{of_argon("m=7000,t=9,p=1"), false, false},
           Case{of_argon("m=131072,t=3,p=1"), true, false},
           Case{of_argon("m=131073,t=1,p=1"), true, true},
           Case{of_argon("m=65536,t=7,p=1"), true, true},
           Case{of_argon("m=4000000,t=999999999,p=1"), true, true},
           Case{of_scrypt("14$8$8"), true, false},
           Case{of_scrypt("14$8$9"), true, true},
           Case{of_scrypt("17$8$2"), true, true},
           Case{of_scrypt("15$4$5"), true, false},
           Case{of_scrypt("14$8$4"), false, false},
           Case{of_scrypt("15$8$2"), false, false},
           Case{of_scrypt("14$4$16"), false, false},
       }) {
    EXPECT_EQ(is_strong_password_hash(c.stored), c.strong) << c.stored;
    EXPECT_EQ(is_too_expensive_password_hash(c.stored), c.too_expensive) << c.stored;
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
