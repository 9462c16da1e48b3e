#include "pool/worker/hashing_permits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fakes/manual_clock.h"
#include "loop/loop.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using login::Permission;

class Peer : public http::Peer {
 public:
  bool left = false;
  bool has_left() const override { return left; }
  void takes_longer(base::Duration) override {}
};

// A request that needs to hash, and the permission that it got; no value while
// it waits.
struct Login {
  std::string email;
  std::string address;
  bool known = false;
  Peer peer{};
  std::optional<Permission> told{};

  login::Asker asker() { return {email, address, known, &peer}; }
  bool waits() const { return !told; }
  bool may() const { return told && *told != Permission::Refused; }
};

loop::Task<> ask_for(login::HashingPermits& permits, Login& login) {
  const login::Asker asker = login.asker();
  login.told = co_await permits.take(asker);
}

// The permits of one worker, requested for addresses that the email knows, so
// that all permits are available. A request that would have to wait leaves.
class Permits {
 public:
  Permits(Scoreboard& board, Slot& slot, std::size_t workers)
      : permits_(board, slot, workers, loop_) {}
  bool take(std::string_view address) {
    Login login{"o@acme.example", std::string(address), true};
    loop_.spawn(ask_for(permits_, login));
    if (login.told) return login.may();
    login.peer.left = true;
    clock_.advance(10ms);
    loop_.turn(0s);
    EXPECT_EQ(login.told, Permission::Refused);
    return false;
  }
  void give_back(std::string_view address) {
    Login login{"o@acme.example", std::string(address), true};
    permits_.give_back(login.asker());
  }

 private:
  fakes::ManualClock clock_;
  loop::Loop loop_{clock_};
  HashingPermits permits_;
};

std::vector<std::unique_ptr<Permits>> permits_of(Scoreboard& board, std::size_t workers) {
  std::vector<std::unique_ptr<Permits>> all;
  for (Slot& slot : board.slots()) all.push_back(std::make_unique<Permits>(board, slot, workers));
  return all;
}

TEST(HashingPermits, AreOneFewerThanWorkers) {
  Scoreboard board(8);
  const auto permits = permits_of(board, 4);
  EXPECT_TRUE(permits[0]->take("192.0.2.1"));
  EXPECT_TRUE(permits[7]->take("192.0.2.2")) << "a replacement of one that leaves";
  EXPECT_TRUE(permits[3]->take("192.0.2.3"));
  EXPECT_FALSE(permits[1]->take("192.0.2.4"));
  permits[7]->give_back("192.0.2.2");
  EXPECT_TRUE(permits[1]->take("192.0.2.5"));
  EXPECT_FALSE(permits[2]->take("192.0.2.6"));
}

TEST(HashingPermits, AreAtLeastOne) {
  Scoreboard board(2);
  const auto permits = permits_of(board, 1);
  EXPECT_TRUE(permits[0]->take("192.0.2.7"));
  EXPECT_FALSE(permits[1]->take("192.0.2.8"));
}

TEST(HashingPermits, PermitsOfADeadWorkerAreReleased) {
  Scoreboard board(4);
  const auto permits = permits_of(board, 2);
  ASSERT_TRUE(permits[1]->take("192.0.2.9"));
  // The steps of the parent after the worker of slot 1 died; slot 0 was reset
  // before.
  board.slot(0).reset();
  EXPECT_FALSE(permits[0]->take("192.0.2.10")) << "the cell is that of slot 0, the permit is not";
  board.give_back_permits(1);
  board.slot(1).reset();
  EXPECT_TRUE(permits[0]->take("192.0.2.11"));
}

TEST(HashingPermits, LimitHoldsUnderConcurrency) {
  for (const auto& [one_address, limit] : {std::pair(false, 3), std::pair(true, 1)}) {
    SCOPED_TRACE(one_address);
    Scoreboard board(16);
    const auto permits = permits_of(board, 4);
    std::atomic<int> held = 0;
    std::atomic<int> most = 0;
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < permits.size(); ++number) {
      const std::string address = std::to_string(one_address ? 0 : number);
      threads.emplace_back([&held, &most, &own = permits[number], address] {
        for (int i = 0; i < 2000; ++i) {
          if (!own->take(address)) continue;
          const int now = ++held;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          --held;
          own->give_back(address);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(most, limit);
    EXPECT_GT(most, 0);
    EXPECT_TRUE(permits[0]->take("0")) << "all were given back";
  }
}

// Otherwise one address could take all permits with a few requests, and all
// other logins would be refused.
TEST(HashingPermits, AreAtMostHalfForOneAddress) {
  Scoreboard board(8);
  const auto permits = permits_of(board, 6);
  EXPECT_TRUE(permits[0]->take("192.0.2.1"));
  EXPECT_TRUE(permits[1]->take("192.0.2.1"));
  EXPECT_FALSE(permits[2]->take("192.0.2.1"));
  EXPECT_TRUE(permits[2]->take("192.0.2.2")) << "what was refused is not held";
  EXPECT_TRUE(permits[3]->take("192.0.2.2"));
  EXPECT_TRUE(permits[4]->take("192.0.2.3"));
  EXPECT_FALSE(permits[5]->take("192.0.2.4")) << "five of six workers";
  permits[0]->give_back("192.0.2.1");
  EXPECT_TRUE(permits[5]->take("192.0.2.1"));
}

// A pool of four workers with three permits, one of them for known addresses
// only.
class WaitingLogins : public testing::Test {
 protected:
  WaitingLogins() {
    for (Slot& slot : board_.slots())
      permits_.push_back(std::make_unique<HashingPermits>(board_, slot, 4, loop_));
    look_up();
  }
  // Requests that still wait are refused.
  ~WaitingLogins() override {
    pass(2s);
    EXPECT_EQ(loop_.tasks(), 0U);
  }
  // Updates the heartbeat of all workers.
  void look_up() {
    for (Slot& slot : board_.slots()) slot.beat = clock_.now().time_since_epoch().count();
  }
  void pass(base::Duration time) {
    clock_.advance(time);
    look_up();
    loop_.turn(0s);
  }
  // Lets all waiting requests check again.
  void look() { pass(10ms); }
  Login& ask(std::size_t worker, const std::string& address) {
    return start(worker, {"c@acme.example", address, false});
  }
  Login& ask_known(std::size_t worker, const std::string& email, const std::string& address) {
    return start(worker, {email, address, true});
  }
  Login& start(std::size_t worker, Login login) {
    Login& kept = logins_.emplace_back(std::move(login));
    loop_.spawn(ask_for(*permits_[worker], kept));
    return kept;
  }
  void give_back(std::size_t worker, Login& login) { permits_[worker]->give_back(login.asker()); }
  void take_all_for_strangers() {
    first_ = &ask(0, "10.0.1.1");
    second_ = &ask(1, "10.0.2.1");
    ASSERT_TRUE(first_->may() && second_->may());
  }
  // Makes an attempt and ends it.
  void attempt(const std::string& address) {
    Login& login = ask(3, address);
    if (login.may()) return give_back(3, login);
    login.peer.left = true;
    look();
  }
  std::size_t waiting(std::size_t worker) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        board_.slots()[worker].places,
        [](const Place& place) { return place.state == Place::State::Waits; }));
  }

  Scoreboard board_{4};
  fakes::ManualClock clock_;
  loop::Loop loop_{clock_};
  std::vector<std::unique_ptr<HashingPermits>> permits_;
  std::list<Login> logins_;
  Login* first_ = nullptr;   // hold the permits for unknown addresses: in worker 0
  Login* second_ = nullptr;  // … and in worker 1
};

TEST_F(WaitingLogins, ReserveAPermitForKnownAddresses) {
  take_all_for_strangers();
  EXPECT_TRUE(ask(2, "10.0.3.1").waits());
  EXPECT_EQ(ask_known(2, "o@acme.example", "10.0.4.1").told, Permission::AtOnce);
  EXPECT_TRUE(ask_known(3, "m@acme.example", "10.0.5.1").waits()) << "all are taken";
}

TEST_F(WaitingLogins, GetAPermitWithinTwoSecondsOrAreRefused) {
  take_all_for_strangers();
  const Login& waits = ask(2, "10.0.3.1");
  ASSERT_TRUE(waits.waits());
  pass(1980ms);
  EXPECT_TRUE(waits.waits());
  give_back(0, *first_);
  EXPECT_TRUE(waits.waits()) << "it looks every 10 ms";
  look();
  EXPECT_EQ(waits.told, Permission::AfterWaiting);
  EXPECT_EQ(waiting(2), 0U) << "its place is free";
  const Login& in_vain = ask(3, "10.0.4.1");
  ASSERT_TRUE(in_vain.waits());
  pass(2s);
  EXPECT_EQ(in_vain.told, Permission::Refused);
  EXPECT_EQ(waiting(3), 0U);
}

TEST_F(WaitingLogins, LoginsOfOneWorkerGetPermitsOneByOne) {
  take_all_for_strangers();
  const Login& first = ask(2, "10.0.3.1");
  pass(1ms);
  const Login& second = ask(2, "10.0.4.1");
  pass(1ms);
  const Login& third = ask(2, "10.0.5.1");
  give_back(0, *first_);
  look();
  EXPECT_TRUE(first.may());
  EXPECT_TRUE(second.waits());
  give_back(1, *second_);
  look();
  EXPECT_TRUE(second.may());
  EXPECT_TRUE(third.waits());
  pass(2s);
  EXPECT_EQ(third.told, Permission::Refused);
}

TEST_F(WaitingLogins, LeaveTheQueueIfTheirClientHasLeft) {
  take_all_for_strangers();
  Login& left = ask(2, "10.0.3.1");
  const Login& waits = ask(2, "10.0.4.1");
  left.peer.left = true;
  look();
  EXPECT_EQ(left.told, Permission::Refused);
  EXPECT_TRUE(waits.waits());
  EXPECT_EQ(waiting(2), 1U);
}

TEST_F(WaitingLogins, NewAddressesComeBeforeAttackersInAnyWorker) {
  attempt("10.0.3.1");
  take_all_for_strangers();
  const Login& attacker = ask(2, "10.0.3.1");
  pass(100ms);
  const Login& visitor = ask(3, "10.0.4.1");
  ASSERT_TRUE(attacker.waits());
  ASSERT_TRUE(visitor.waits());
  give_back(0, *first_);
  EXPECT_TRUE(ask(0, "10.0.3.1").waits()) << "nor does one go first that comes just now";
  look();
  EXPECT_TRUE(attacker.waits());
  EXPECT_TRUE(visitor.may());
}

TEST_F(WaitingLogins, AddressesInBusyNetworksComeLater) {
  for (int i = 0; i < 40; ++i) attempt("10.9.9." + std::to_string(i));
  take_all_for_strangers();
  const Login& there = ask(2, "10.9.9.200");
  pass(1ms);
  const Login& elsewhere = ask(2, "10.0.3.1");
  give_back(0, *first_);
  look();
  ASSERT_TRUE(elsewhere.may());
  EXPECT_TRUE(there.waits());
  give_back(1, *second_);
  look();
  EXPECT_TRUE(there.may());
}

TEST_F(WaitingLogins, PastAttemptsLoseTheirEffectAfterMinutes) {
  for (int i = 0; i < 8; ++i) attempt("10.0.3.1");
  take_all_for_strangers();
  pass(5min);
  const Login& former = ask(2, "10.0.3.1");
  pass(1ms);
  const Login& visitor = ask(2, "10.0.4.1");
  ASSERT_TRUE(visitor.waits());
  give_back(0, *first_);
  look();
  EXPECT_TRUE(former.may()) << "it came first";
  EXPECT_TRUE(visitor.waits());
}

TEST_F(WaitingLogins, FrequentKnownEmailsComeAfterOtherKnownEmails) {
  take_all_for_strangers();
  for (int i = 0; i < 5; ++i) {
    Login& evil = ask_known(2, "evil@acme.example", "10.0.3.1");
    ASSERT_TRUE(evil.may());
    give_back(2, evil);
  }
  Login& other = ask_known(2, "x@acme.example", "10.0.4.1");
  ASSERT_TRUE(other.may());
  const Login& evil = ask_known(3, "evil@acme.example", "10.0.5.1");
  ASSERT_TRUE(evil.waits());
  pass(1ms);
  const Login& olivia = ask_known(3, "o@acme.example", "10.0.6.1");
  give_back(2, other);
  look();
  EXPECT_TRUE(olivia.may());
  EXPECT_TRUE(evil.waits());
}

// The requests of a hung worker keep their places, and would block all others
// until it is killed.
TEST_F(WaitingLogins, AreNotBlockedByThoseOfAHungWorker) {
  take_all_for_strangers();
  // A request in the slot of a worker without a heartbeat.
  Place& place = board_.slot(3).places[0];
  place.since = clock_.now().time_since_epoch().count();
  place.whom = 1;
  place.state = Place::State::Waits;
  pass(1ms);
  const Login& next = ask(2, "10.0.4.1");
  give_back(0, *first_);
  look();
  EXPECT_TRUE(next.waits());
  clock_.advance(100ms);
  board_.slot(2).beat = clock_.now().time_since_epoch().count();
  loop_.turn(0s);
  EXPECT_TRUE(next.may());
}

TEST_F(WaitingLogins, LoginsOfADeadWorkerAreRemoved) {
  take_all_for_strangers();
  ASSERT_TRUE(ask(3, "10.0.3.1").waits());
  board_.give_back(3);
  board_.give_back(0);
  look_up();
  EXPECT_EQ(ask(2, "10.0.4.1").told, Permission::AtOnce);
}

TEST_F(WaitingLogins, QueueIsBoundedAndFavoursNewAddresses) {
  take_all_for_strangers();
  for (int i = 0; i < 3; ++i) ask(3, "10.0.3.1");
  std::vector<const Login*> attackers;
  for (int i = 0; i < 200; ++i) attackers.push_back(&ask(2, "10.0.3.1"));
  const auto still_wait = [&] { return std::ranges::count_if(attackers, &Login::waits); };
  EXPECT_EQ(still_wait(), 64);
  look();
  EXPECT_EQ(still_wait(), 64);
  const Login& visitor = ask(2, "10.0.4.1");
  EXPECT_TRUE(visitor.waits());
  look();
  EXPECT_TRUE(visitor.waits());
  EXPECT_EQ(still_wait(), 63) << "another is told to come back";
  EXPECT_EQ(ask_known(2, "o@acme.example", "10.0.3.1").told, Permission::AtOnce);
}

}  // namespace
}  // namespace svc::pool
