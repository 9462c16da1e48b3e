#include "viewing/counts.h"

#include <gtest/gtest.h>

#include <limits>

namespace svc::viewing {
namespace {

// Half of a film by many, its last quarter by few, one part twice.
Counts watched() {
  Counts counts{.loads = 40'000, .plays = 30'000, .watched = 123'456'789, .visitors = 25'000};
  for (std::size_t i = 0; i < kParts; ++i) {
    if (i < 50) counts.seen.at(i) = static_cast<std::uint32_t>(30'000 - 200 * i);
    if (i >= 75) counts.seen.at(i) = 12;
  }
  for (std::size_t i = 20; i < 30; ++i) counts.again.at(i) = 7;
  return counts;
}

TEST(ViewingCounts, AreStoredInFewBytesAndReadAsTheyWere) {
  EXPECT_EQ(from_bytes(to_bytes(Counts())), Counts());
  EXPECT_LE(to_bytes(Counts()).size(), 16U);
  EXPECT_EQ(from_bytes(to_bytes(watched())), watched());
  EXPECT_LE(to_bytes(watched()).size(), 200U);
  Counts extreme;
  extreme.loads = extreme.watched = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < kParts; i += 2)
    extreme.seen.at(i) = extreme.again.at(i) = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(from_bytes(to_bytes(extreme)), extreme);
}

TEST(ViewingCounts, DamagedBytesAreNotRead) {
  const std::string good = to_bytes(watched());
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_FALSE(from_bytes(good.substr(0, i))) << i;
  EXPECT_FALSE(from_bytes(good + "x"));
  std::string other_version = good;
  other_version.front() = 2;
  EXPECT_FALSE(from_bytes(other_version));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    from_bytes(damaged);  // nothing is read or written outside
  }
}

TEST(ViewingCounts, AddUp) {
  Counts sum = watched();
  sum += watched();
  EXPECT_EQ(sum.plays, 60'000U);
  EXPECT_EQ(sum.seen.at(10), 56'000U);
  EXPECT_EQ(sum.again.at(25), 14U);
  EXPECT_DOUBLE_EQ(sum.engagement(), watched().engagement());
}

TEST(ViewingCounts, AMediaWithoutPlaysHasNoShares) {
  EXPECT_EQ(Counts().engagement(), 0);
  EXPECT_EQ(Counts().play_rate(), 0);
}

}  // namespace
}  // namespace svc::viewing
