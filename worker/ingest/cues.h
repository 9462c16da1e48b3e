// cues: the texts of the captions of an upload.
//
// ffmpeg's own conversion loses characters: it takes "<int>" for markup and
// escapes nothing. So ffmpeg only takes the streams out of the file
// (captions_command()), and these functions read them. The bytes are the upload's. Any bytes are a
// text: all bytes except markup of the format are shown. Time and memory grow with the size only.
// The cues are as in the file: captions::in_order() makes them fit to be shown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "captions/cue.h"
#include "ingest/source.h"

namespace svc::ingest {

inline constexpr std::size_t kMaxCaptionBytes = 8 << 20;  // per track, as read and as WebVTT

// `bytes` has the packets of a stream, one after the other, and `list` a line
// per packet, as ffmpeg's muxers "data" and "framecrc" write them. Leaves out
// packets of which `list` or `bytes` has only a part.
std::vector<captions::Cue> read_packets(TextFormat format, std::string_view list,
                                        std::string_view bytes);

// Reads a script as ffmpeg's muxer "ass" writes it. Of its styles, the faces and the place count.
std::vector<captions::Cue> read_ass(std::string_view script);

}  // namespace svc::ingest
