#include "login/passwords.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "base/entropy.h"
#include "base/password_hash.h"
#include "base/unavailable.h"

namespace svc::login {
namespace {

// Notes the priority of the thread that asks.
class PriorityEntropy : public base::SystemEntropy {
 public:
  int priority = -100;
  void fill(std::span<unsigned char> out) override {
    priority = getpriority(PRIO_PROCESS, 0);
    SystemEntropy::fill(out);
  }
};

TEST(QuietPasswords, L3HashesAtALowerPriorityAndKeepsTheCallers) {
  PriorityEntropy entropy;
  QuietPasswords passwords(entropy);
  const int before = getpriority(PRIO_PROCESS, 0);
  const std::string hash = passwords.hash("olivia");
  EXPECT_EQ(entropy.priority, std::min(before + 5, 19));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before);
  EXPECT_TRUE(passwords.matches("olivia", hash));
  EXPECT_FALSE(passwords.matches("Olivia", hash));
  EXPECT_TRUE(base::has_current_parameters(hash));
}

TEST(QuietPasswords, L3TellsTheCallerWhatWentWrong) {
  class NoEntropy : public base::Entropy {
   public:
    void fill(std::span<unsigned char>) override { throw base::Unavailable("no entropy"); }
  } entropy;
  QuietPasswords passwords(entropy);
  EXPECT_THROW(passwords.hash("olivia"), base::Unavailable);
}

TEST(QuietPasswords, L3TakesAnyBytes) {
  base::SystemEntropy entropy;
  QuietPasswords passwords(entropy);
  const std::string password = std::string("a\0b", 3) + std::string(1021, '\xff');
  const std::string hash = passwords.hash(password);
  EXPECT_TRUE(passwords.matches(password, hash));
  EXPECT_FALSE(passwords.matches(password.substr(0, 1023), hash));
}

}  // namespace
}  // namespace svc::login
