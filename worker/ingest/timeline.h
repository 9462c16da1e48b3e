// timeline: the real contents of a file, by the packets that ffmpeg copies out of it. The durations
// that its header claims do not count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/picture_rate.h"
#include "ingest/source.h"

namespace svc::ingest {

// Seconds, from the beginning of the film.
struct Hold {
  double begin = 0;
  double end = 0;
  bool operator==(const Hold&) const = default;
};

struct Timeline {
  std::int64_t pictures = 0;
  double last_picture = 0;  // when it begins
  double last_packet = 0;   // the same, of pictures and sound
  double end = 0;           // the end of pictures and sound
  std::vector<Hold> holds;  // where one picture is seen for over kLongHold seconds: the longest
                            // kMostHolds, in order
  bool cut = false;         // the file ends within a packet
  std::optional<PictureRate> rate{};  // of pictures that follow each other regularly
};

// The rate of a film that would else have more frames than 60 per picture and one
// per second.
Fraction affordable(Fraction rate, const Timeline& timeline);

inline constexpr double kLongHold = 10;  // seconds
inline constexpr std::size_t kMostHolds = 200;

// Reads what scan_command() prints.
class TimelineReader {
 public:
  // `video`: whether the first stream that the command copies is the pictures.
  explicit TimelineReader(bool video);

  // In pieces of any size.
  void read(std::string_view text);

  // Ends the last hold at the end of the film, at `longest` at the latest. Seconds of a picture
  // whose packet does not have them: `picture`, unless the pictures are regular. `errors`: what
  // ffmpeg printed as such.
  Timeline finish(double picture, double longest, std::string_view errors);

 private:
  struct Stream {
    double unit = 0;  // seconds
    double last = 0;  // begin of the latest packet
    double last_duration = 0;
    bool corrupt = false;  // the packet read last
    bool any = false;
  };

  void line(std::string_view text);
  void hold(double begin, double end);

  const std::optional<std::size_t> video_;
  std::array<Stream, 2> streams_{};
  std::string rest_;
  PictureTimes times_;
  Timeline found_;
};

}  // namespace svc::ingest
