// storyboard: the WebVTT that maps times of a video to parts of its storyboard, for the position
// bar of a player.
#pragma once

#include <string>
#include <string_view>

#include "media/storyboard.h"

namespace svc::ingest {

using media::kMaxTiles;
using media::Storyboard;
using media::storyboard;

// One cue per tile, whose text is a URL with a spatial fragment: `image` and
// "#xywh=x,y,w,h" (Media Fragments URI 1.0 §4.2.2). The cues cover 0 to
// `duration`.
std::string to_webvtt(const Storyboard& storyboard, double duration, std::string_view image);

}  // namespace svc::ingest
