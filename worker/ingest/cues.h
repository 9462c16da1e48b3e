// cues: the texts of the captions of an upload, and the WebVTT that shows them.
//
// ffmpeg's own conversion loses characters: it takes "<int>" for markup and
// escapes nothing. So ffmpeg only takes the streams out of the file
// (captions_command()), and these functions read them. The bytes are the upload's. Any bytes are a
// text: all bytes except markup of the format are shown. Time and memory grow with the size only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/source.h"

namespace svc::ingest {

inline constexpr std::size_t kMaxCaptionBytes = 8 << 20;  // per track, as read and as WebVTT

// Part of a text with one look: bits of kBold, kItalic, kUnderline.
struct Run {
  std::string text;
  unsigned faces = 0;
};
inline constexpr unsigned kBold = 1;  // these are the bits of 3GPP TS 26.245 §5.17.1.1
inline constexpr unsigned kItalic = 2;
inline constexpr unsigned kUnderline = 4;

struct Cue {
  std::int64_t begin = 0;  // milliseconds
  std::int64_t end = 0;    // not after begin: unknown
  std::vector<Run> runs;
};

// `bytes` has the packets of a stream, one after the other, and `list` a line
// per packet, as ffmpeg's muxers "data" and "framecrc" write them. Leaves out
// packets of which `list` or `bytes` has only a part.
std::vector<Cue> read_packets(TextFormat format, std::string_view list, std::string_view bytes);

// Reads a script as ffmpeg's muxer "ass" writes it. Only the faces of its styles count.
std::vector<Cue> read_ass(std::string_view script);

// Sorts the cues by their beginning. A cue whose end is unknown ends when the
// next cue begins, after at most 5 seconds. Leaves out cues without text.
// Returns an empty text if no cue is left.
std::string to_webvtt(std::vector<Cue> cues);

// "01:02:03.004"; hours have two digits or more. Negative times count as zero.
std::string webvtt_time(std::int64_t milliseconds);

}  // namespace svc::ingest
