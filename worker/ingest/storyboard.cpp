#include "ingest/storyboard.h"

#include <algorithm>
#include <cmath>

#include "captions/times.h"

namespace svc::ingest {
namespace {

std::string time_text(double seconds) {
  return captions::time_text(std::llround(seconds * 1000), '.');
}

}  // namespace

std::string to_webvtt(const Storyboard& storyboard, double duration, std::string_view image) {
  std::string out = "WEBVTT\n";
  for (int i = 0; i < storyboard.tiles; ++i) {
    const double begin = static_cast<double>(i) * storyboard.interval;
    const double end =
        i + 1 == storyboard.tiles ? std::max(duration, begin + 0.001) : begin + storyboard.interval;
    const int x = storyboard.left_of(i);
    const int y = storyboard.top_of(i);
    out += "\n" + time_text(begin) + " --> " + time_text(end) + "\n";
    out += std::string(image) + "#xywh=" + std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(storyboard.tile.width) + "," + std::to_string(storyboard.tile.height) +
           "\n";
  }
  return out;
}

}  // namespace svc::ingest
