#include "embed/dimensions.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace svc::embed {
namespace {

using media::Dimensions;

constexpr Dimensions kFullHd{1920, 1080};
constexpr Dimensions kUpright{1080, 1920};

TEST(Dimensions, NeverRoundsBeyondTheRequestedSize) {
  for (const Dimensions& native : {kFullHd, kUpright, Dimensions{1279, 717}, Dimensions{2390, 1000},
                                   Dimensions{3, 2}, Dimensions{1, 1}}) {
    for (int w = 1; w < 400; w += 7) {
      for (int h = 1; h < 400; h += 5) {
        const Dimensions size = fit({w, h, {}, {}}, native);
        EXPECT_LE(size.width, w);
        EXPECT_LE(size.height, h);
        EXPECT_TRUE(size.width == w || size.height == h) << "one side is reached";
        const Dimensions bounded = fit({{}, {}, w, h}, native);
        EXPECT_LE(bounded.width, std::min(w, native.width));
        EXPECT_LE(bounded.height, std::min(h, native.height));
      }
    }
  }
}

}  // namespace
}  // namespace svc::embed
