#include "cache/sketch.h"

#include <gtest/gtest.h>

#include <random>

namespace svc::cache {
namespace {

TEST(Sketch, NeverUnderestimates) {
  std::mt19937_64 random(1);
  Sketch sketch(100);
  const std::uint64_t mine = random();
  for (int i = 0; i < 30; ++i) sketch.count(mine);
  for (int i = 0; i < 300; ++i) sketch.count(random());
  EXPECT_GE(sketch.estimate(mine), 30u);
}

TEST(Sketch, DistinguishesFrequentFromSingleRequests) {
  std::mt19937_64 random(2);
  Sketch sketch(4096);
  const std::uint64_t hot = random();
  unsigned most = 0;
  for (int i = 0; i < 60'000; ++i) {
    sketch.count(i % 100 == 0 ? hot : random());
    if (i % 1000 == 999) most = std::max(most, sketch.estimate(random()));
  }
  EXPECT_GT(sketch.estimate(hot), 2 * most) << "one in a hundred, beside what comes once";
}

TEST(Sketch, ForgetsKeysThatAreNoLongerHot) {
  std::mt19937_64 random(3);
  Sketch sketch(64);
  const std::uint64_t hot = random();
  for (int i = 0; i < 200; ++i) sketch.count(hot);
  const unsigned before = sketch.estimate(hot);
  const std::uint64_t other = random();
  for (int i = 0; i < 100'000; ++i) sketch.count(i % 64 == 0 ? other : random());
  EXPECT_LT(sketch.estimate(hot), before / 2);
}

}  // namespace
}  // namespace svc::cache
