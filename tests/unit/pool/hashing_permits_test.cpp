#include "pool/hashing_permits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
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
  EXPECT_TRUE(permits[0]->take());
  EXPECT_TRUE(permits[7]->take()) << "a replacement of one that leaves";
  EXPECT_TRUE(permits[3]->take());
  EXPECT_FALSE(permits[1]->take());
  permits[7]->give_back();
  EXPECT_TRUE(permits[1]->take());
  EXPECT_FALSE(permits[2]->take());
}

TEST(HashingPermits, L3AreAtLeastOne) {
  Scoreboard board(2);
  const auto permits = permits_of(board, 1);
  EXPECT_TRUE(permits[0]->take());
  EXPECT_FALSE(permits[1]->take());
}

TEST(HashingPermits, L3OfAWorkerThatDiedComeBack) {
  Scoreboard board(4);
  const auto permits = permits_of(board, 2);
  ASSERT_TRUE(permits[1]->take());
  // The parent, at the death of the worker of slot 1; others' slots were reset before.
  board.slot(0).reset();
  EXPECT_FALSE(permits[0]->take()) << "the cell is that of slot 0, the permit is not";
  board.give_back_permits(1);
  board.slot(1).reset();
  EXPECT_TRUE(permits[0]->take());
}

TEST(HashingPermits, L3GiveBackNobodyElses) {
  Scoreboard board(4);
  const auto permits = permits_of(board, 2);
  ASSERT_TRUE(permits[0]->take());
  permits[1]->give_back();
  EXPECT_FALSE(permits[1]->take());
}

TEST(HashingPermits, L3HoldWhenAllComeAtOnce) {
  Scoreboard board(16);
  const auto permits = permits_of(board, 4);
  std::atomic<int> held = 0;
  std::atomic<int> most = 0;
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (const auto& own : permits) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        if (!own->take()) continue;
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
  EXPECT_TRUE(permits[0]->take()) << "all were given back";
}

}  // namespace
}  // namespace svc::pool
