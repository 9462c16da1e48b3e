// ladder: the sizes and bit rates in which a video is encoded.
#pragma once

#include <string>
#include <vector>

#include "ingest/source.h"
#include "media/media.h"

namespace svc::ingest {

struct Rung {
  std::string name;        // the folder's name: the short side of its box, such as "720p"
  int box = 0;             // the same as a number
  media::Dimensions size;  // even
  int max_rate = 0;        // kbit/s of video, for a window of two seconds
  int audio_rate = 0;      // kbit/s
};

// The largest even size that fits into a box of 16:9, or 9:16 for portraits,
// whose short side is `box`, and is not larger than the source. At least 2 × 2.
media::Dimensions fit(media::Dimensions source, int box);

// From the largest to the smallest, at least one. Each has at most 70 % of the
// pixels of the one before.
std::vector<Rung> ladder(const VideoStream& video);

}  // namespace svc::ingest
