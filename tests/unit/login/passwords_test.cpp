#include "login/passwords.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fakes/manual_clock.h"
#include "loop/all.h"

namespace svc::login {
namespace {

using namespace std::chrono_literals;

constexpr base::HashCost kCheap{64, 1, 1};

// Counts the hashes that are computed at the same time.
class CountingEntropy : public base::SystemEntropy {
 public:
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  std::atomic<int> niceness = 0;  // that the last thread had

  void fill(std::span<unsigned char> out) override {
    const int at_once = ++now;
    for (int seen = most; seen < at_once && !most.compare_exchange_weak(seen, at_once);) continue;
    niceness = getpriority(PRIO_PROCESS, 0);
    SystemEntropy::fill(out);
    --now;
  }
};

struct Worker {
  Worker(std::size_t turns, base::SharedSemaphore& hashing, base::Entropy& entropy)
      : passwords(kCheap, turns, hashing, entropy, loop) {}
  const base::SteadyClock clock;
  loop::Loop loop{clock};
  HashedPasswords passwords;
};

class PasswordThreads : public testing::Test {
 protected:
  bool matches(std::string password, std::string stored) {
    return worker_.loop.run_until_done(
        worker_.passwords.matches(std::move(password), std::move(stored)));
  }
  base::SharedSemaphore hashing_{1};
  CountingEntropy entropy_;
  Worker worker_{8, hashing_, entropy_};
};

TEST_F(PasswordThreads, HashOneAfterTheOtherInAllWorkersOfAPool) {
  Worker other(8, hashing_, entropy_);
  std::jthread beside([&] {
    for (int i = 0; i < 20; ++i) other.loop.run_until_done(other.passwords.hash("uma"));
  });
  std::vector<loop::Task<std::string>> hashing;
  for (int i = 0; i < 20; ++i) hashing.push_back(worker_.passwords.hash(std::to_string(i)));
  const auto hashes = worker_.loop.run_until_done(loop::all(std::move(hashing)));
  beside.join();
  EXPECT_EQ(entropy_.most, 1);
  EXPECT_EQ(entropy_.niceness, std::min(getpriority(PRIO_PROCESS, 0) + 10, 19));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(matches(std::to_string(i), hashes[i]));
  EXPECT_TRUE(base::has_cost(hashes[0], kCheap));
}

struct Peer : http::Peer {
  bool left = false;
  bool has_left() const override { return left; }
  void takes_longer(base::Duration) override {}
};

// A request that needs to hash, and the permission that it got; no value while it
// waits.
struct Login {
  std::string address;
  bool known = false;
  Peer peer{};
  std::optional<Permission> told{};
};

loop::Task<> take_turn(HashedPasswords& passwords, Login& login) {
  Asker asker{login.address, login.known, &login.peer};
  login.told = co_await passwords.take_turn(asker);
}

loop::Task<> hold_back(HashedPasswords& passwords, base::TimePoint since, bool& done) {
  const Asker asker{.address = "", .since = since};
  co_await passwords.hold_back(asker);
  done = true;
}

// One turn at a time, which another request has.
class PasswordTurns : public testing::Test {
 protected:
  PasswordTurns() { EXPECT_EQ(ask("192.0.2.99").told, Permission::AtOnce); }
  Login& ask(std::string address, bool known = false) {
    logins_.push_back({std::move(address), known});
    tasks_.spawn(take_turn(passwords_, logins_.back()));
    return logins_.back();
  }
  // Ends the turn. Returns the addresses whose turn begins with that.
  std::string next() {
    passwords_.end_turn();
    loop_.turn(0s);
    std::string all;
    for (Login& login : logins_) {
      if (login.told == Permission::AfterWaiting) all += std::exchange(login.address, "");
    }
    return all;
  }
  void pass(base::Duration time) {
    clock_.advance(time);
    loop_.turn(0s);
  }

  fakes::ManualClock clock_;
  loop::Loop loop_{clock_};
  base::SharedSemaphore hashing_{1};
  base::SystemEntropy entropy_;
  HashedPasswords passwords_{kCheap, 1, hashing_, entropy_, loop_};
  std::deque<Login> logins_;
  loop::Scope tasks_{loop_};
};

TEST_F(PasswordTurns, GoFromAddressToAddress) {
  for (const char* const address :
       {"192.0.2.1", "192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.3"})
    ask(address);
  for (const char* const address :
       {"192.0.2.1", "2001:db8::1", "192.0.2.3", "192.0.2.1", "2001:db8::2", "192.0.2.1", ""})
    EXPECT_EQ(next(), address);
  EXPECT_EQ(ask("192.0.2.1").told, Permission::AtOnce);
}

TEST_F(PasswordTurns, ComeFirstWhereTheEmailHasLoggedInBefore) {
  for (int i = 0; i < 20; ++i) ask("198.51." + std::to_string(i) + ".1");
  ask("192.0.2.1", true);
  ask("192.0.2.1", true);
  ask("192.0.2.2", true);
  for (const char* const address : {"192.0.2.1", "192.0.2.2", "192.0.2.1", "198.51.0.1"})
    EXPECT_EQ(next(), address);
}

TEST_F(PasswordTurns, AnAddressThatFillsTheQueueKeepsNoOtherOut) {
  for (int i = 0; i < 64; ++i) ask("192.0.2.1");
  EXPECT_EQ(ask("192.0.2.1").told, Permission::Refused);
  ask("192.0.2.2");
  loop_.turn(0s);
  EXPECT_EQ(logins_[64].told, Permission::Refused) << "its last gives up the place";
  EXPECT_EQ(next(), "192.0.2.1");
  EXPECT_EQ(next(), "192.0.2.2");
}

TEST_F(PasswordTurns, AreRefusedAfterTwoSecondsAndToClientsThatHaveLeft) {
  Login& late = ask("192.0.2.1");
  pass(1999ms);
  Login& gone = ask("192.0.2.2");
  ask("192.0.2.3");
  EXPECT_EQ(late.told, std::nullopt);
  pass(1ms);
  EXPECT_EQ(late.told, Permission::Refused);
  gone.peer.left = true;
  EXPECT_EQ(next(), "192.0.2.3");
  EXPECT_EQ(gone.told, Permission::Refused);
}

TEST_F(PasswordTurns, OauthL8RefusalsTakeMultiplesOfHalfASecond) {
  for (const auto& [hashed, refused] : {std::pair(20ms, 500ms), std::pair(499ms, 500ms),
                                        std::pair(500ms, 1000ms), std::pair(1300ms, 1500ms)}) {
    const base::TimePoint since = clock_.now();
    bool done = false;
    clock_.advance(hashed);
    tasks_.spawn(hold_back(passwords_, since, done));
    pass(refused - hashed - 1ms);
    EXPECT_FALSE(done) << hashed.count();
    pass(1ms);
    EXPECT_TRUE(done) << hashed.count();
  }
}

}  // namespace
}  // namespace svc::login
