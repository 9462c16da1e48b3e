#include "media/storyboard.h"

#include <algorithm>
#include <cmath>

namespace svc::media {
namespace {

constexpr int kColumns = 10;
constexpr double kTileSide = 160;

}  // namespace

Storyboard storyboard(double duration, Dimensions video) {
  Storyboard made;
  // Even, because key frames are two seconds apart and only they are decoded.
  made.interval = std::max(2, static_cast<int>(std::ceil(duration / kMaxTiles / 2)) * 2);
  made.tiles = std::clamp(static_cast<int>(std::ceil(duration / made.interval)), 1, kMaxTiles);
  made.columns = std::min(made.tiles, kColumns);
  made.rows = (made.tiles + made.columns - 1) / made.columns;
  const double scale = std::min(1.0, kTileSide / std::max(video.width, video.height));
  const auto side = [&](int pixels) {
    return std::max(2, static_cast<int>(std::lround(pixels * scale / 2)) * 2);
  };
  made.tile = {side(video.width), side(video.height)};
  return made;
}

}  // namespace svc::media
