#include "pool/hashing_permits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace svc::pool {
namespace {

std::vector<std::unique_ptr<HashingPermits>> permits_of(Scoreboard& board, std::size_t workers) {
  std::vector<std::unique_ptr<HashingPermits>> all;
  for (const Slot& slot : board.slots())
    all.push_back(std::make_unique<HashingPermits>(board, slot, workers));
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

}  // namespace
}  // namespace svc::pool
