// source: what ffprobe found in an upload, checked.
//
// Every number in it is a claim of the upload. Claims outside of Limits are
// refused, senseless ones count as unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/limits.h"
#include "ingest/shapes.h"
#include "media/media.h"

namespace svc::ingest {

struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator==(const Fraction&) const = default;
};

enum class Transfer { Sdr, Pq, Hlg };  // transfer function of brightness; the last two are HDR

// Codes of ITU-T H.273, by which files and decoders name colours. BT.709 has the
// same code in each of its tables.
inline constexpr int kBt709 = 1;

// A rate of zero is unknown.
struct ClaimedRates {
  Fraction base;     // fits every timestamp
  Fraction average;  // of the file
};

// How to find that the pictures of a stream change their shape.
enum class ShapeChanges {
  NotFound,  // all are key frames, or no decoder skips the others: it would take too long
  Decoded,   // the decoder skips all but the key frames
  Vp9,       // from the headers of key frames
};

struct VideoStream {
  int index = 0;           // in the file
  media::Dimensions size;  // as on the screen: rotated, with square pixels; the canvas's, if any
  Fraction rate;           // frames per second to encode, constant, from 10 to 60, by the header
  bool interlaced = false;
  Transfer transfer = Transfer::Sdr;
  int primaries = kBt709;  // H.273 §8.1; other than BT.709 only if they are much wider
  int matrix = kBt709;     // H.273 §8.3; of RGB without a meaning
  ClaimedRates claimed{};
  ShapeChanges changes = ShapeChanges::NotFound;
  int turn = 0;  // clockwise degrees of the display matrix: 0, 90, 180 or 270
  std::optional<Letterbox> letterbox{};  // if the shape changes; not in the header
};

enum class TextFormat { Plain, SubRip, MovText, Ass, WebVtt };

struct TextStream {
  int index = 0;
  std::string language;  // tag of the file, not checked; empty: unknown
  std::string title;     // the same
  TextFormat format = TextFormat::Plain;
  bool marked = false;    // as the default
  bool forced = false;    // for what is foreign to all viewers
  bool impaired = false;  // for viewers who do not hear
};

struct Source {
  std::string format;                    // ffprobe's name, such as "mov,mp4,m4a,3gp,3g2,mj2"
  std::optional<VideoStream> video;      // not a cover picture
  std::optional<int> audio;              // index of the stream
  int channels = 0;                      // in that stream
  std::string layout;                    // ffmpeg's name of the channel layout; empty: unknown
  std::vector<TextStream> texts;         // subtitles that are text
  std::vector<media::Chapter> chapters;  // in order, of titles that a record takes
  std::optional<int> cover;              // index of the stream, of a file without video
  // Seconds that the header claims for the longer of video and sound, otherwise for the file. A
  // stale header can claim anything; Timeline has the real durations.
  std::optional<double> claimed;
  std::string audio_ending;  // for a file without video, such as "mp3"
  std::string left_out;      // a sentence for logs, if the film's sound cannot be decoded
};

// ffmpeg's names, separated by commas: the only demuxers and decoders that may
// read an upload. No demuxer of the list opens another file or URL.
extern const std::string_view kDemuxers;
extern const std::string_view kDecoders;

// Reads the output of `ffprobe -of json -show_format -show_streams`. The
// refusal is a sentence for the user.
// Returns the rate to encode, of a film whose pictures follow each other at `measured` per second;
// `error` is the largest relative one. Usual rates and those of the header are taken for a measured
// rate that is as good as equal.
Fraction rate_of(const VideoStream& video, double measured, double error);

base::Result<Source, std::string> read_source(std::string_view json, const Limits& limits);

}  // namespace svc::ingest
