// boxes: the outermost boxes of an MP4 file or segment (ISO/IEC 14496-12 §4.2).
#pragma once

#include <string>

namespace svc::ingest {

// Returns true if the file has boxes only, and the last ends where the file does. False if it is
// empty, cut off, or cannot be read.
bool has_whole_boxes(const std::string& path);

}  // namespace svc::ingest
