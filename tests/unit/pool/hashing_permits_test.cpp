#include "pool/hashing_permits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fakes/manual_clock.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using When = login::Turn::When;

fakes::ManualClock frozen;

// Those of one worker, for requests of addresses that the email knows unless said otherwise, so that
// every permit may be had.
class Permits : public HashingPermits {
 public:
  using HashingPermits::HashingPermits;
  using HashingPermits::take;
  bool take(std::string_view address) {
    const login::Turn turn = HashingPermits::take({"o@acme.example", address, true, 0});
    if (turn.when == When::Wait) leave(turn.place);
    return turn.when == When::Now;
  }
};

std::vector<std::unique_ptr<Permits>> permits_of(Scoreboard& board, std::size_t workers) {
  std::vector<std::unique_ptr<Permits>> all;
  for (Slot& slot : board.slots())
    all.push_back(std::make_unique<Permits>(board, slot, workers, frozen));
  return all;
}

TEST(HashingPermits, L3AreOneFewerThanWorkers) {
  Scoreboard board(8);
  const auto permits = permits_of(board, 4);
  EXPECT_TRUE(permits[0]->take("192.0.2.1"));
  EXPECT_TRUE(permits[7]->take("192.0.2.2")) << "a replacement of one that leaves";
  EXPECT_TRUE(permits[3]->take("192.0.2.3"));
  EXPECT_FALSE(permits[1]->take("192.0.2.4"));
  permits[7]->give_back();
  EXPECT_TRUE(permits[1]->take("192.0.2.5"));
  EXPECT_FALSE(permits[2]->take("192.0.2.6"));
}

TEST(HashingPermits, L3AreAtLeastOne) {
  Scoreboard board(2);
  const auto permits = permits_of(board, 1);
  EXPECT_TRUE(permits[0]->take("192.0.2.7"));
  EXPECT_FALSE(permits[1]->take("192.0.2.8"));
}

TEST(HashingPermits, L3OfAWorkerThatDiedComeBack) {
  Scoreboard board(4);
  const auto permits = permits_of(board, 2);
  ASSERT_TRUE(permits[1]->take("192.0.2.9"));
  // The parent, at the death of the worker of slot 1; others' slots were reset before.
  board.slot(0).reset();
  EXPECT_FALSE(permits[0]->take("192.0.2.10")) << "the cell is that of slot 0, the permit is not";
  board.give_back_permits(1);
  board.slot(1).reset();
  EXPECT_TRUE(permits[0]->take("192.0.2.11"));
}

TEST(HashingPermits, L3LeaveMoreTimeToTheEndOfTheRequest) {
  Scoreboard board(4);
  const auto permits = permits_of(board, 2);
  board.slot(0).begin_request("/login", 1);
  EXPECT_FALSE(board.slot(0).hashes);
  ASSERT_TRUE(permits[0]->take("192.0.2.14"));
  EXPECT_FALSE(permits[1]->take("192.0.2.15"));
  EXPECT_FALSE(board.slot(1).hashes);
  permits[0]->give_back();
  EXPECT_TRUE(board.slot(0).hashes) << "its page is not written yet";
  board.slot(0).begin_request("/login", 2);
  EXPECT_FALSE(board.slot(0).hashes);
}

TEST(HashingPermits, L3GiveBackNobodyElses) {
  Scoreboard board(4);
  const auto permits = permits_of(board, 2);
  ASSERT_TRUE(permits[0]->take("192.0.2.12"));
  permits[1]->give_back();
  EXPECT_FALSE(permits[1]->take("192.0.2.13"));
}

TEST(HashingPermits, L3HoldWhenAllComeAtOnce) {
  Scoreboard board(16);
  const auto permits = permits_of(board, 4);
  std::atomic<int> held = 0;
  std::atomic<int> most = 0;
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < permits.size(); ++number) {
    threads.emplace_back([&, number] {
      const auto& own = permits[number];
      for (int i = 0; i < 2000; ++i) {
        if (!own->take(std::to_string(number))) continue;
        const int now = ++held;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        ++taken;
        --held;
        own->give_back();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_GT(taken, 0);
  EXPECT_TRUE(permits[0]->take("192.0.2.14")) << "all were given back";
}

// One address held all permits with a few requests, and everybody else was told to come back.
TEST(HashingPermits, L3AreAtMostHalfForOneAddress) {
  Scoreboard board(8);
  const auto permits = permits_of(board, 6);
  EXPECT_TRUE(permits[0]->take("192.0.2.1"));
  EXPECT_TRUE(permits[1]->take("192.0.2.1"));
  EXPECT_FALSE(permits[2]->take("192.0.2.1"));
  EXPECT_TRUE(permits[2]->take("192.0.2.2")) << "what was refused is not held";
  EXPECT_TRUE(permits[3]->take("192.0.2.2"));
  EXPECT_TRUE(permits[4]->take("192.0.2.3"));
  EXPECT_FALSE(permits[5]->take("192.0.2.4")) << "five of six workers";
  permits[0]->give_back();
  EXPECT_TRUE(permits[5]->take("192.0.2.1"));
}

TEST(HashingPermits, L3OfOneAddressHoldWhenAllComeAtOnce) {
  Scoreboard board(16);
  const auto permits = permits_of(board, 5);
  std::atomic<int> held = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (const auto& own : permits) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        if (!own->take("192.0.2.1")) continue;
        const int now = ++held;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        --held;
        own->give_back();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 2);
  EXPECT_TRUE(permits[0]->take("192.0.2.1") && permits[1]->take("192.0.2.1"))
      << "all were given back";
}

// A pool of four workers, of which three may hash, one of them for known addresses only.
class WaitingLogins : public testing::Test {
 protected:
  WaitingLogins() {
    for (Slot& slot : board_.slots())
      permits_.push_back(std::make_unique<HashingPermits>(board_, slot, 4, clock_));
    look_up();
  }
  // All workers look at their places just now.
  void look_up() {
    for (Slot& slot : board_.slots()) slot.beat = clock_.now().time_since_epoch().count();
  }
  void pass(base::Duration time) {
    clock_.advance(time);
    look_up();
  }
  login::Turn ask(std::size_t worker, const std::string& address, std::uint32_t place = 0) {
    return permits_[worker]->take({"c@acme.example", address, false, place});
  }
  login::Turn ask_known(std::size_t worker, const std::string& email, const std::string& address,
                        std::uint32_t place = 0) {
    return permits_[worker]->take({email, address, true, place});
  }
  void take_all_for_strangers() {
    ASSERT_EQ(ask(0, "10.0.1.1").when, When::Now);
    ASSERT_EQ(ask(1, "10.0.2.1").when, When::Now);
  }
  // An attempt that is over.
  void attempt(const std::string& address) {
    const login::Turn turn = ask(3, address);
    if (turn.when == When::Wait) permits_[3]->leave(turn.place);
    permits_[3]->give_back();
  }
  std::vector<std::uint32_t> due(std::size_t worker) { return permits_[worker]->due(); }

  Scoreboard board_{4};
  fakes::ManualClock clock_;
  std::vector<std::unique_ptr<HashingPermits>> permits_;
};

TEST_F(WaitingLogins, L4LeaveAPermitToKnownAddresses) {
  take_all_for_strangers();
  EXPECT_EQ(ask(2, "10.0.3.1").when, When::Wait);
  EXPECT_EQ(ask_known(2, "o@acme.example", "10.0.4.1").when, When::Now);
  EXPECT_EQ(ask_known(3, "m@acme.example", "10.0.5.1").when, When::Wait) << "all are taken";
}

TEST_F(WaitingLogins, L4GoOnWithinTwoSecondsOrAreBusy) {
  take_all_for_strangers();
  const login::Turn waits = ask(2, "10.0.3.1");
  ASSERT_EQ(waits.when, When::Wait);
  EXPECT_NE(waits.place, 0U);
  pass(1999ms);
  EXPECT_TRUE(due(2).empty());
  EXPECT_EQ(ask(2, "10.0.3.1", waits.place).when, When::Wait) << "asked too early, it waits on";
  permits_[0]->give_back();
  EXPECT_EQ(due(2), std::vector<std::uint32_t>{waits.place});
  EXPECT_EQ(ask(2, "10.0.3.1", waits.place).when, When::Now);
  EXPECT_TRUE(due(2).empty()) << "its place is free";
  const login::Turn in_vain = ask(3, "10.0.4.1");
  ASSERT_EQ(in_vain.when, When::Wait);
  pass(2s);
  EXPECT_EQ(due(3), std::vector<std::uint32_t>{in_vain.place});
  EXPECT_EQ(ask(3, "10.0.4.1", in_vain.place).when, When::Busy);
  EXPECT_TRUE(due(3).empty());
}

TEST_F(WaitingLogins, L4OfAVisitorGoBeforeThoseOfAnAttackerInAnyWorker) {
  attempt("10.0.3.1");
  take_all_for_strangers();
  const login::Turn attacker = ask(2, "10.0.3.1");
  pass(100ms);
  const login::Turn visitor = ask(3, "10.0.4.1");
  ASSERT_EQ(attacker.when, When::Wait);
  ASSERT_EQ(visitor.when, When::Wait);
  permits_[0]->give_back();
  EXPECT_TRUE(due(2).empty());
  EXPECT_EQ(ask(2, "10.0.3.1", attacker.place).when, When::Wait);
  EXPECT_EQ(ask(0, "10.0.3.1").when, When::Wait) << "nor does one that comes just now";
  EXPECT_EQ(due(3), std::vector<std::uint32_t>{visitor.place});
  EXPECT_EQ(ask(3, "10.0.4.1", visitor.place).when, When::Now);
}

TEST_F(WaitingLogins, L4OfAnAddressInABusyNetworkGoLater) {
  for (int i = 0; i < 40; ++i) attempt("10.9.9." + std::to_string(i));
  take_all_for_strangers();
  const login::Turn there = ask(2, "10.9.9.200");
  pass(1ms);
  const login::Turn elsewhere = ask(2, "10.0.3.1");
  permits_[0]->give_back();
  EXPECT_EQ(due(2), std::vector<std::uint32_t>{elsewhere.place});
  ASSERT_EQ(ask(2, "10.0.3.1", elsewhere.place).when, When::Now);
  permits_[1]->give_back();
  permits_[2]->give_back();
  EXPECT_EQ(due(2), std::vector<std::uint32_t>{there.place});
}

TEST_F(WaitingLogins, L4AreForgottenForTheOrderAfterSomeMinutes) {
  for (int i = 0; i < 8; ++i) attempt("10.0.3.1");
  take_all_for_strangers();
  pass(5min);
  const login::Turn former = ask(2, "10.0.3.1");
  pass(1ms);
  const login::Turn visitor = ask(2, "10.0.4.1");
  ASSERT_EQ(visitor.when, When::Wait);
  permits_[0]->give_back();
  EXPECT_EQ(due(2), std::vector<std::uint32_t>{former.place}) << "it came first";
}

TEST_F(WaitingLogins, L4OfOneWithAnAccountGoBehindThoseOfOthersWithOne) {
  take_all_for_strangers();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(ask_known(2, "evil@acme.example", "10.0.3.1").when, When::Now);
    permits_[2]->give_back();
  }
  ASSERT_EQ(ask_known(2, "x@acme.example", "10.0.4.1").when, When::Now);
  ASSERT_EQ(ask_known(3, "evil@acme.example", "10.0.5.1").when, When::Wait);
  pass(1ms);
  const login::Turn olivia = ask_known(3, "o@acme.example", "10.0.6.1");
  permits_[2]->give_back();
  EXPECT_EQ(due(3), std::vector<std::uint32_t>{olivia.place});
}

// Its requests wait for it, and would hold up all others until it is killed.
TEST_F(WaitingLogins, L4AreNotHeldUpByThoseOfAWorkerThatHangs) {
  take_all_for_strangers();
  ASSERT_EQ(ask(3, "10.0.3.1").when, When::Wait);
  pass(1ms);
  const login::Turn next = ask(2, "10.0.4.1");
  permits_[0]->give_back();
  EXPECT_TRUE(due(2).empty());
  clock_.advance(100ms);
  board_.slot(2).beat = clock_.now().time_since_epoch().count();
  EXPECT_EQ(due(2), std::vector<std::uint32_t>{next.place});
}

TEST_F(WaitingLogins, L4OfADeadWorkerAreGone) {
  take_all_for_strangers();
  ASSERT_EQ(ask(3, "10.0.3.1").when, When::Wait);
  board_.give_back(3);
  board_.give_back(0);
  look_up();
  EXPECT_TRUE(due(3).empty());
  EXPECT_EQ(ask(2, "10.0.4.1").when, When::Now);
}

TEST_F(WaitingLogins, L4AreBoundedAndTheLastInLineLosesItsPlaceToAVisitor) {
  take_all_for_strangers();
  for (int i = 0; i < 3; ++i) ask(3, "10.0.3.1");
  std::size_t waiting = 0;
  for (int i = 0; i < 200; ++i) {
    if (ask(2, "10.0.3.1").when == When::Wait) ++waiting;
  }
  EXPECT_EQ(waiting, 64U);
  EXPECT_TRUE(due(2).empty());
  EXPECT_EQ(ask(2, "10.0.4.1").when, When::Wait);
  EXPECT_EQ(due(2).size(), 1U) << "another is told to come back";
  EXPECT_EQ(ask(2, "10.0.3.1", due(2).front()).when, When::Busy);
  EXPECT_EQ(ask_known(2, "o@acme.example", "10.0.3.1").when, When::Now);
}

}  // namespace
}  // namespace svc::pool
