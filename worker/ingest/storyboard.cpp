#include "ingest/storyboard.h"

#include <algorithm>
#include <cmath>

#include "captions/times.h"

namespace svc::ingest {
namespace {

constexpr int kColumns = 10;
constexpr double kTileSide = 160;

std::string time_text(double seconds) {
  return captions::time_text(std::llround(seconds * 1000), '.');
}

}  // namespace

Storyboard storyboard(double duration, media::Dimensions video) {
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

std::string to_webvtt(const Storyboard& storyboard, double duration, std::string_view image) {
  std::string out = "WEBVTT\n";
  for (int i = 0; i < storyboard.tiles; ++i) {
    const double begin = static_cast<double>(i) * storyboard.interval;
    const double end =
        i + 1 == storyboard.tiles ? std::max(duration, begin + 0.001) : begin + storyboard.interval;
    const int x = i % storyboard.columns * storyboard.tile.width;
    const int y = i / storyboard.columns * storyboard.tile.height;
    out += "\n" + time_text(begin) + " --> " + time_text(end) + "\n";
    out += std::string(image) + "#xywh=" + std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(storyboard.tile.width) + "," + std::to_string(storyboard.tile.height) +
           "\n";
  }
  return out;
}

}  // namespace svc::ingest
