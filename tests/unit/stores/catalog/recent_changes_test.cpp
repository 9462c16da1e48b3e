#include "stores/catalog/recent_changes.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::stores {
namespace {

TEST(RecentChanges, KnowsTheLastChangeOfEachKey) {
  RecentChanges changes(1000);
  EXPECT_EQ(changes.last("a"), 0);
  changes.note("a", 5000);
  changes.note("b", 5100);
  EXPECT_EQ(changes.last("a"), 5000);
  EXPECT_EQ(changes.last("b"), 5100);
  EXPECT_EQ(changes.last("c"), 0);
  changes.note("a", 5200);
  EXPECT_EQ(changes.last("a"), 5200);
  EXPECT_EQ(changes.size(), 2u) << "one per key";
}

TEST(RecentChanges, ForgetsChangesOlderThanItsLifetime) {
  RecentChanges changes(1000);
  changes.note("a", 5000);
  changes.note("b", 5500);
  changes.note("c", 6000);
  EXPECT_EQ(changes.size(), 3u);
  changes.note("c", 6001);
  EXPECT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes.last("a"), 5000) << "a later time would be allowed, an earlier one not";
  EXPECT_EQ(changes.last("b"), 5500);
  EXPECT_EQ(changes.last("d"), 5000);
}

TEST(RecentChanges, AboveItsCapacityTheOldestChangeCountsForEveryKey) {
  RecentChanges changes(1'000'000, 10);
  for (int i = 0; i < 15; ++i) changes.note("key " + std::to_string(i), 5000 + i);
  EXPECT_EQ(changes.size(), 10u);
  for (int i = 0; i < 15; ++i) EXPECT_GE(changes.last("key " + std::to_string(i)), 5000 + i);
  EXPECT_EQ(changes.last("key 14"), 5014);
  EXPECT_EQ(changes.last("never changed"), 5004);
  // A key that changes again becomes one of the newest.
  changes.note("key 5", 5020);
  changes.note("another", 5021);
  EXPECT_EQ(changes.last("key 5"), 5020);
  EXPECT_EQ(changes.last("never changed"), 5006);
}

TEST(RecentChanges, AChangeOfAllCountsForEveryKey) {
  RecentChanges changes(1000);
  changes.note("a", 5000);
  changes.note_all(6000);
  EXPECT_EQ(changes.size(), 0u);
  EXPECT_EQ(changes.last("a"), 6000);
  EXPECT_EQ(changes.last("b"), 6000);
}

}  // namespace
}  // namespace svc::stores
