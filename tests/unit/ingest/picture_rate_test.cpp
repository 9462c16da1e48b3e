#include "ingest/picture_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>

#include "ingest/source.h"

namespace svc::ingest {
namespace {

// Times of a film of ten seconds, in whole units per second, without the pictures that are lost.
std::optional<PictureRate> rate_of_film(double rate, double units,
                                        const std::function<bool(int)>& is_lost) {
  PictureTimes times;
  for (int i = 0; i < static_cast<int>(10 * rate); ++i) {
    // In the order of decoding: the first of three comes last.
    const int picture = i / 3 * 3 + (i % 3 + 1) % 3;
    if (!is_lost(picture)) times.add(std::round(picture / rate * units) / units);
  }
  return times.finish();
}

TEST(PictureTimes, FindTheRateOfPicturesOfWhichSomeAreLost) {
  for (const Fraction usual :
       {Fraction{24000, 1001}, Fraction{24, 1}, Fraction{25, 1}, Fraction{30000, 1001},
        Fraction{30, 1}, Fraction{50, 1}, Fraction{60000, 1001}, Fraction{60, 1}}) {
    SCOPED_TRACE(usual.value());
    for (const double units : {1000.0, 90000.0}) {
      for (const int part : {1'000'000, 50, 5, 3}) {
        const auto found = rate_of_film(usual.value(), units,
                                        [&](int picture) { return picture * 7919 % part == 1; });
        ASSERT_TRUE(found) << units << ' ' << part;
        EXPECT_EQ(rate_of({}, found->rate, found->error), usual) << found->rate;
      }
    }
  }
}

TEST(PictureTimes, FindNoneOfPicturesThatAreIrregularOrFew) {
  EXPECT_FALSE(rate_of_film(1, 1000, [](int) { return false; })) << "ten pictures";
  PictureTimes jumps;
  PictureTimes same;
  PictureTimes pulldown;
  double time = 0;
  for (int i = 0; i < 1000; ++i) {
    jumps.add(time += 0.02 + (i * 7919 % 100) * 0.001);
    same.add(1);
    pulldown.add(i * 5 / 2 / 59.94);
  }
  EXPECT_FALSE(jumps.finish());
  EXPECT_FALSE(same.finish());
  EXPECT_FALSE(pulldown.finish()) << "two fields, then three";
}

TEST(PictureTimes, IgnoreWhereTimesJump) {
  PictureTimes joined;
  for (const double begin : {0.0, 40'000.0, 100.0})
    for (int i = 0; i < 200; ++i) joined.add(begin + i * 0.04);
  const auto found = joined.finish();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 25, 0.001);
}

TEST(PictureTimes, PreferWhatTheHeaderClaims) {
  VideoStream video;
  video.rate = {25, 1};
  video.claimed = {{1000, 1}, {2397, 100}};
  EXPECT_EQ(rate_of(video, 23.9701, 0.001), (Fraction{2397, 100}));
  EXPECT_EQ(rate_of(video, 17.3, 0.001), (Fraction{173, 10}));
  EXPECT_EQ(rate_of(video, 240, 0.001), (Fraction{60, 1}));
  EXPECT_EQ(rate_of(video, 5, 0.001), (Fraction{10, 1}));
  EXPECT_EQ(rate_of(video, 1e300, 0.001), (Fraction{60, 1}));
  video.interlaced = true;
  video.claimed = {{50, 1}, {25, 1}};
  EXPECT_EQ(rate_of(video, 50, 0.001), (Fraction{25, 1})) << "fields";
}

}  // namespace
}  // namespace svc::ingest
