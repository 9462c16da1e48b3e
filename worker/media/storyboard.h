// storyboard: the small pictures of a video, in one JPEG.
#pragma once

#include "media/media.h"

namespace svc::media {

inline constexpr int kMaxTiles = 100;
// In the folder of the WebVTT file that maps times to parts of it.
inline constexpr const char* kStoryboardImage = "storyboard.jpg";

struct Storyboard {
  int interval = 2;  // seconds per tile
  int tiles = 0;     // at most kMaxTiles
  int columns = 0;
  int rows = 0;
  Dimensions tile;  // even, at most 160 pixels per side

  // The place of a tile in the picture.
  int left_of(int index) const { return index % columns * tile.width; }
  int top_of(int index) const { return index / columns * tile.height; }
  bool operator==(const Storyboard&) const = default;
};

// `duration` is in seconds and positive. `video`: the size of the MP4 that it is made of.
Storyboard storyboard(double duration, Dimensions video);

}  // namespace svc::media
