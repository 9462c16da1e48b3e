#include "ingest/ladder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace svc::ingest {
namespace {

struct Box {
  int side;
  int max_rate;
  int audio_rate;
};

// From the smallest to the largest. At most these rates; easy scenes take less
// (constant quality).
constexpr std::array<Box, 5> kBoxes{
    {{240, 400, 64}, {360, 800, 96}, {540, 1800, 128}, {720, 3200, 128}, {1080, 6000, 160}}};
constexpr double kFast = 35;  // frames per second from which on the rates are half as much more
constexpr double kStep = 0.7;

std::int64_t pixels(media::Dimensions size) {
  return static_cast<std::int64_t>(size.width) * size.height;
}

int even(double side) { return std::max(2, static_cast<int>(side / 2 + 1e-6) * 2); }

}  // namespace

media::Dimensions fit(media::Dimensions source, int box) {
  const double low = std::min(source.width, source.height);
  const double high = std::max(source.width, source.height);
  const double longest = box * 16 / 9.0;
  const double scale = std::min({1.0, box / low, longest / high});
  // The nearest even number, but never above the source.
  const auto side = [&](int pixels) {
    const double scaled = pixels * scale;
    return scale < 1 ? std::min(even(scaled + 1), even(pixels)) : even(scaled);
  };
  return {side(source.width), side(source.height)};
}

std::vector<Rung> ladder(const VideoStream& video) {
  std::vector<Rung> rungs;
  for (std::size_t i = kBoxes.size(); i-- > 0;) {
    const Box& box = kBoxes[i];
    const media::Dimensions size = fit(video.size, box.side);
    // A smaller box with the same size names the rung better.
    if (i > 0 && fit(video.size, kBoxes[i - 1].side) == size) continue;
    if (!rungs.empty() &&
        static_cast<double>(pixels(size)) > kStep * static_cast<double>(pixels(rungs.back().size)))
      continue;
    const int rate = video.rate.value() > kFast ? box.max_rate * 3 / 2 : box.max_rate;
    rungs.push_back({std::to_string(box.side) + "p", box.side, size, rate, box.audio_rate});
  }
  return rungs;
}

}  // namespace svc::ingest
