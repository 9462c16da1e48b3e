// storyboard: small pictures for the position bar of a player, in one JPEG, and
// the WebVTT that maps times to parts of it.
#pragma once

#include <string>
#include <string_view>

#include "media/media.h"

namespace svc::ingest {

inline constexpr int kMaxTiles = 100;

struct Storyboard {
  int interval = 2;  // seconds per tile
  int tiles = 0;     // at most kMaxTiles
  int columns = 0;
  int rows = 0;
  media::Dimensions tile;  // even, at most 160 pixels per side

  bool operator==(const Storyboard&) const = default;
};

// `duration` is in seconds and positive.
Storyboard storyboard(double duration, media::Dimensions video);

// One cue per tile, whose text is a URL with a spatial fragment: `image` and
// "#xywh=x,y,w,h" (Media Fragments URI 1.0 §4.2.2). The cues cover 0 to
// `duration`.
std::string to_webvtt(const Storyboard& storyboard, double duration, std::string_view image);

}  // namespace svc::ingest
