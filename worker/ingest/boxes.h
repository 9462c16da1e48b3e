// boxes: the outermost boxes of an MP4 file or segment (ISO/IEC 14496-12 §4.2).
#pragma once

#include <cstdint>
#include <string>

namespace svc::ingest {

// Returns true if the file has boxes only, and the last ends where the file does. False if it is
// empty, cut off, or cannot be read.
bool has_whole_boxes(const std::string& path);

// Returns the bytes of the slice that come before a box "moof" that is cut off at its end, or
// before a header that is: ffmpeg refuses a whole film whose last fragment has a part of its index.
// Otherwise returns `length`.
std::uint64_t length_of_whole_fragments(const std::string& path, std::uint64_t offset,
                                        std::uint64_t length);

}  // namespace svc::ingest
