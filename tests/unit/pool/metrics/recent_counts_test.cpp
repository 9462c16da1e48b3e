#include "pool/metrics/recent_counts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace svc::pool {
namespace {

const base::TimePoint kNow{std::chrono::minutes(1000)};

TEST(RecentCounts, CountsEachNameSeparately) {
  const auto counts = std::make_unique<RecentCounts>();
  EXPECT_EQ(counts->add("address 192.0.2.1", kNow), 0u);
  EXPECT_EQ(counts->add("address 192.0.2.1", kNow), 1u);
  EXPECT_EQ(counts->add("address 192.0.2.2", kNow), 0u);
  EXPECT_EQ(counts->add("address 192.0.2.1", kNow + std::chrono::minutes(1)), 1u) << "half of 2";
}

// An attacker knows std::hash, and could choose emails that share the cells of a victim.
TEST(RecentCounts, SeparatesNamesThatCollideInStdHash) {
  std::map<std::uint64_t, std::string> by_cells;
  int pairs = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string name = "email " + std::to_string(i) + "@example.com";
    const std::uint64_t cells = std::hash<std::string_view>()(name) % (8192 * 8192);
    const auto [other, is_new] = by_cells.emplace(cells, name);
    if (is_new) continue;
    ++pairs;
    const auto counts = std::make_unique<RecentCounts>();
    for (int k = 0; k < 5; ++k) counts->add(name, kNow);
    EXPECT_EQ(counts->add(other->second, kNow), 0u) << name << " and " << other->second;
  }
  EXPECT_GT(pairs, 5);
}

}  // namespace
}  // namespace svc::pool
