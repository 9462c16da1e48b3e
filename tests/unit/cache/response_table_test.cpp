#include "cache/response_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace svc::cache {
namespace {

CachedResponse entry(std::uint64_t hash, std::vector<std::uint64_t> made_from = {},
                     std::size_t size = 100) {
  CachedResponse cached;
  cached.hash = hash;
  cached.path = "/oembed";
  cached.query = std::to_string(hash);
  cached.status = 200;
  cached.body = std::string(size, 'x');
  cached.made_from = std::move(made_from);
  return cached;
}

const CachedResponse* find(ResponseTable& table, std::uint64_t hash) {
  return table.find(hash, "/oembed", std::to_string(hash));
}

TEST(ResponseTable, FindsTheStoredEntry) {
  ResponseTable table(100'000, 100, nullptr);
  EXPECT_EQ(find(table, 1), nullptr);
  EXPECT_TRUE(table.put(entry(1)));
  ASSERT_NE(find(table, 1), nullptr);
  EXPECT_EQ(find(table, 1)->body.size(), 100u);
  EXPECT_EQ(table.find(1, "/oembed", "other"), nullptr) << "the same hash, another request";
  EXPECT_EQ(table.find(1, "/other", "1"), nullptr);
}

TEST(ResponseTable, HoldsOneEntryPerRequest) {
  ResponseTable table(100'000, 100, nullptr);
  table.put(entry(1, {}, 100));
  table.put(entry(1, {}, 200));
  EXPECT_EQ(table.entries(), 1u);
  EXPECT_EQ(find(table, 1)->body.size(), 200u);
  EXPECT_EQ(table.bytes(), entry(1, {}, 200).bytes());
}

TEST(ResponseTable, DropsAllEntriesOfAPlaylistTogether) {
  ResponseTable table(100'000'000, 1000, nullptr);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t key = 1; key <= 1000; ++key) keys.push_back(key);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t hash = 1; hash <= 100; ++hash) table.put(entry(hash, keys));
    table.put(entry(200, {999, 2000}));
    table.put(entry(201, {2000}));
    EXPECT_EQ(table.drop_made_from(500), 100u);
    EXPECT_EQ(find(table, 50), nullptr);
    EXPECT_EQ(table.entries(), 2u);
    EXPECT_EQ(table.drop_made_from(999), 1u);
    EXPECT_EQ(table.drop_made_from(2000), 1u);
    EXPECT_EQ(table.bytes(), 0u);
  }
}

TEST(ResponseTable, DropsExactlyTheEntriesThatDependOnAKey) {
  ResponseTable table(100'000, 100, nullptr);
  table.put(entry(1, {7}));
  table.put(entry(2, {7, 8}));
  table.put(entry(3, {8}));
  table.put(entry(4, {7, 7}));
  EXPECT_EQ(table.drop_made_from(7), 3u);
  EXPECT_EQ(find(table, 1), nullptr);
  EXPECT_EQ(find(table, 2), nullptr);
  EXPECT_NE(find(table, 3), nullptr);
  EXPECT_EQ(find(table, 4), nullptr);
  EXPECT_EQ(table.drop_made_from(7), 0u);
  EXPECT_EQ(table.drop_made_from(8), 1u);
  EXPECT_EQ(table.entries(), 0u);
  EXPECT_EQ(table.bytes(), 0u);
}

TEST(ResponseTable, NeverExceedsItsSize) {
  const std::size_t one = entry(1).bytes();
  ResponseTable table(10 * one, 1000, nullptr);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    table.put(entry(random(), {random() % 10}, 20 + random() % 300));
    ASSERT_LE(table.bytes(), 10 * one);
  }
  EXPECT_GT(table.entries(), 4u);
  EXPECT_GT(table.evicted(), 900u);
  EXPECT_FALSE(table.put(entry(5, {}, 11 * one))) << "larger than all of it";
  table.clear();
  EXPECT_EQ(table.bytes(), 0u);
  EXPECT_TRUE(table.put(entry(5)));
}

TEST(ResponseTable, NeverExceedsItsNumberOfEntries) {
  ResponseTable table(1 << 20, 3, nullptr);
  for (std::uint64_t i = 1; i <= 10; ++i) EXPECT_TRUE(table.put(entry(i)));
  EXPECT_EQ(table.entries(), 3u);
  EXPECT_NE(find(table, 10), nullptr) << "the newest stays";
  ResponseTable none(1 << 20, 0, nullptr);
  EXPECT_FALSE(none.put(entry(1)));
}

TEST(ResponseTable, EvictionSparesRequestedEntries) {
  const std::size_t one = entry(1).bytes();
  ResponseTable table(4 * one, 100, nullptr);
  for (std::uint64_t i = 1; i <= 4; ++i) table.put(entry(i));
  for (std::uint64_t i = 5; i <= 9; ++i) {
    ASSERT_NE(find(table, 2), nullptr) << i;
    table.put(entry(i));
  }
  EXPECT_NE(find(table, 2), nullptr);
}

TEST(ResponseTable, RejectsEntriesRequestedLessThanTheirVictims) {
  const std::size_t one = entry(1).bytes();
  Sketch asked(100);
  ResponseTable table(4 * one + 200, 100, &asked);
  for (std::uint64_t hot = 1; hot <= 4; ++hot) {
    const std::uint64_t hash = hot * 0x9e3779b97f4a7c15U;
    for (int i = 0; i < 5; ++i) asked.count(hash);
    EXPECT_TRUE(table.put(entry(hash)));
  }
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t once = random();
    asked.count(once);
    table.put(entry(once));
  }
  for (std::uint64_t hot = 1; hot <= 4; ++hot)
    EXPECT_NE(find(table, hot * 0x9e3779b97f4a7c15U), nullptr);
  EXPECT_EQ(table.evicted(), 0u);
  EXPECT_EQ(table.rejected(), 200u);
  const std::uint64_t newly_hot = random();
  for (int i = 0; i < 20; ++i) asked.count(newly_hot);
  EXPECT_TRUE(table.put(entry(newly_hot)));
  EXPECT_EQ(table.evicted(), 1u);
}

TEST(ResponseTable, EvictsNothingIfTheEntryIsRejected) {
  const std::size_t one = entry(1).bytes();
  Sketch asked(100);
  ResponseTable table(4 * one + 200, 100, &asked);
  std::mt19937_64 random(5);
  const std::uint64_t cold = random();
  const std::uint64_t hot = random();
  for (int i = 0; i < 9; ++i) asked.count(hot);
  table.put(entry(cold));
  table.put(entry(hot, {}, 100 + 2 * one));
  const std::uint64_t wants = random();
  for (int i = 0; i < 3; ++i) asked.count(wants);
  EXPECT_FALSE(table.put(entry(wants, {}, 100 + 2 * one))) << "the hot one would have to go too";
  EXPECT_NE(find(table, cold), nullptr);
  EXPECT_NE(find(table, hot), nullptr);
}

}  // namespace
}  // namespace svc::cache
