#include "embed/dimensions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace svc::media {
void PrintTo(const Dimensions& size, std::ostream* out) {
  *out << size.width << "×" << size.height;
}
}  // namespace svc::media

namespace svc::embed {
namespace {

using media::Dimensions;

constexpr Dimensions kFullHd{1920, 1080};
constexpr Dimensions kUpright{1080, 1920};
constexpr Dimensions kSmall{480, 270};

SizeRequest width(int w) { return {w, {}, {}, {}}; }
SizeRequest height(int h) { return {{}, h, {}, {}}; }
SizeRequest both(int w, int h) { return {w, h, {}, {}}; }
SizeRequest at_most(std::optional<int> w, std::optional<int> h) { return {{}, {}, w, h}; }

struct FitCase {
  std::string_view name;
  SizeRequest asked;
  Dimensions native, size;
};

void check(std::initializer_list<FitCase> cases) {
  for (const FitCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fit(c.asked, c.native), c.size);
  }
}

TEST(Dimensions, OembedS1DefaultSizeBoundsEachSideSeparately) {
  check({
      {"large", {}, kFullHd, {640, 360}},
      {"as large as the bound", {}, {640, 360}, {640, 360}},
      {"small", {}, kSmall, {480, 270}},
      {"upright", {}, kUpright, {640, 360}},
      {"wide", {}, {2390, 1000}, {640, 360}},
      {"narrow", {}, {200, 1000}, {200, 360}},
      {"flat", {}, {1000, 100}, {640, 100}},
      {"one pixel", {}, {1, 1}, {1, 1}},
  });
}

TEST(Dimensions, OembedS2FollowsTheNativeRatio) {
  check({
      {"a width", width(960), kFullHd, {960, 540}},
      {"a height", height(540), kFullHd, {960, 540}},
      {"a width above native", width(3840), kFullHd, {3840, 2160}},
      {"a height above native", height(540), kSmall, {960, 540}},
      {"both, the ratio kept", both(1280, 720), kFullHd, {1280, 720}},
      {"both, the height to spare", both(640, 640), kFullHd, {640, 360}},
      {"both, the width to spare", both(1000, 360), kFullHd, {640, 360}},
      {"both above native", both(4000, 4000), kSmall, {4000, 2250}},
      {"both, upright", both(640, 360), kUpright, {203, 360}},
      {"a width, upright", width(540), kUpright, {540, 960}},
  });
}

TEST(Dimensions, OembedS3NeverGoesAboveNativeForAMaximum) {
  check({
      {"a maximal width", at_most(960, {}), kFullHd, {960, 540}},
      {"a maximal height", at_most({}, 540), kFullHd, {960, 540}},
      {"both, the width first", at_most(640, 1000), kFullHd, {640, 360}},
      {"both, the height first", at_most(1000, 360), kFullHd, {640, 360}},
      {"a width above native", at_most(5000, {}), kFullHd, {1920, 1080}},
      {"a height above native", at_most({}, 5000), kSmall, {480, 270}},
      {"both above native", at_most(5000, 5000), kSmall, {480, 270}},
      {"a maximum lifts the default size", at_most(1000, {}), kFullHd, {1000, 563}},
  });
}

TEST(Dimensions, OembedS3ScalesARequestedSizeDownByOneFactor) {
  check({
      {"a width and a smaller maximum", {1000, {}, 500, {}}, kFullHd, {500, 281}},
      {"a width and a larger maximum", {500, {}, 1000, {}}, kFullHd, {500, 281}},
      {"a width and a maximal height", {1000, {}, {}, 360}, kFullHd, {640, 360}},
      {"a height and a maximal width", {{}, 720, 640, {}}, kFullHd, {640, 360}},
      {"all four", {1280, 720, 640, 200}, kFullHd, {356, 200}},
      {"above native, within the maximum", {960, {}, 1000, {}}, kSmall, {960, 540}},
  });
}

TEST(Dimensions, OembedS4RoundsBothSidesHalfUpByOneFactor) {
  check({
      {"620", width(620), kFullHd, {620, 349}},
      {"540", width(540), kFullHd, {540, 304}},
      {"660", width(660), kFullHd, {660, 371}},
      {"300", width(300), kFullHd, {300, 169}},
      {"700", width(700), kFullHd, {700, 394}},
      {"200", width(200), kFullHd, {200, 113}},
      {"150", width(150), kFullHd, {150, 84}},
      {"500", width(500), kFullHd, {500, 281}},
      {"height 480", height(480), kFullHd, {853, 480}},
      {"odd, by its width", width(640), {1279, 717}, {640, 359}},
      {"odd, by its height", height(717), {1279, 717}, {1279, 717}},
      {"wide", width(640), {1920, 804}, {640, 268}},
      {"wide, one pixel high", at_most({}, 1), {1920, 804}, {2, 1}},
      {"exactly a half", width(8), {16, 9}, {8, 5}},
      {"just below a half", width(7), {16, 9}, {7, 4}},
      {"at least 1", width(1), {1000, 1}, {1, 1}},
      {"at least 1 wide", height(1), {1, 32768}, {1, 1}},
      {"the most extreme of all", width(10'000), {1, 32768}, {10'000, 327'680'000}},
  });
}

TEST(Dimensions, OembedS4NeverRoundsBeyondTheRequestedSize) {
  for (const Dimensions& native : {kFullHd, kUpright, Dimensions{1279, 717}, Dimensions{2390, 1000},
                                   Dimensions{3, 2}, Dimensions{1, 1}}) {
    for (int w = 1; w < 400; w += 7) {
      for (int h = 1; h < 400; h += 5) {
        const Dimensions size = fit(both(w, h), native);
        EXPECT_LE(size.width, w);
        EXPECT_LE(size.height, h);
        EXPECT_TRUE(size.width == w || size.height == h) << "one side is reached";
        const Dimensions bounded = fit(at_most(w, h), native);
        EXPECT_LE(bounded.width, std::min(w, native.width));
        EXPECT_LE(bounded.height, std::min(h, native.height));
      }
    }
  }
}

TEST(Dimensions, DefaultTo16To9IfTheNativeSizeIsUnknown) {
  EXPECT_EQ(fit({}, std::nullopt), (Dimensions{640, 360}));
  EXPECT_EQ(fit(width(960), std::nullopt), (Dimensions{960, 540}));
  EXPECT_EQ(fit(at_most(1920, 1920), std::nullopt), (Dimensions{1920, 1080}));
}

TEST(Side, OembedS5IsANumberOfPixelsRoundedDown) {
  struct Row {
    std::string text;
    std::optional<int> side;
  };
  for (const Row& row : {
           Row{"1", 1},
           Row{"640", 640},
           Row{"10000", 10'000},
           Row{"0640", 640},
           Row{"", std::nullopt},
           Row{"0", std::nullopt},
           Row{"000", std::nullopt},
           Row{"-1", std::nullopt},
           Row{"-0.5", std::nullopt},
           Row{"+640", 640},
           Row{"10001", 10'000},
           Row{"99999999999999999999", 10'000},
           Row{"2147483648", 10'000},
           Row{"4294967936", 10'000},
           Row{"18446744073709552256", 10'000},
           Row{"1e400", 10'000},
           Row{std::string(400, '9'), 10'000},
           Row{"640.0", 640},
           Row{"640.", 640},
           Row{"353.5", 353},
           Row{"353.999999", 353},
           Row{"0.5", 1},
           Row{".5", 1},
           Row{"0.0", std::nullopt},
           Row{"6e2", 600},
           Row{"6.4E+2", 640},
           Row{"6400e-1", 640},
           Row{"640px", 640},
           Row{"640.7PX", 640},
           Row{"640 px", 640},
           Row{" 640", 640},
           Row{"640 ", 640},
           Row{"\t640\n", 640},
           Row{"0x280", std::nullopt},
           Row{"100%", std::nullopt},
           Row{"40em", std::nullopt},
           Row{"6e", std::nullopt},
           Row{"640;", std::nullopt},
           Row{"[640]", std::nullopt},
           Row{"640'", std::nullopt},
           Row{"true", std::nullopt},
           Row{std::string(3000, '0') + "640", 640},
           Row{"640pxpx", std::nullopt},
           Row{"640,5", std::nullopt},
           Row{"6 40", std::nullopt},
           Row{"--640", std::nullopt},
           Row{"+-640", std::nullopt},
           Row{"++640", std::nullopt},
           Row{".", std::nullopt},
           Row{"px", std::nullopt},
           Row{"nan", std::nullopt},
           Row{"infinity", std::nullopt},
           Row{std::string("640\0", 4), std::nullopt},
           Row{"٦٤٠", std::nullopt},
       }) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(parse_side(row.text), row.side);
  }
}

}  // namespace
}  // namespace svc::embed
