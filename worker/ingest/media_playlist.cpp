#include "ingest/media_playlist.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "text/ascii.h"

namespace svc::ingest {
namespace {

constexpr double kRounding = 1e-6;  // tolerance for the decimals of EXTINF

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool take(std::string_view& line, std::string_view tag) {
  if (!line.starts_with(tag)) return false;
  line.remove_prefix(tag.size());
  return true;
}

// The child that wrote the playlist had read an upload: a URI must not lead elsewhere.
bool is_file_name(std::string_view uri) {
  return !uri.empty() && uri.front() != '.' && std::ranges::all_of(uri, [](char c) {
    return text::is_alnum(c) || c == '.' || c == '-' || c == '_';
  });
}

std::int64_t rate(std::uint64_t bytes, double seconds) {
  return std::max<std::int64_t>(
      1,
      static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * 8 / seconds - kRounding)));
}

}  // namespace

double MediaPlaylist::duration() const {
  double total = 0;
  for (const Segment& segment : segments) total += segment.duration;
  return total;
}

std::optional<MediaPlaylist> read_media_playlist(std::string_view text) {
  if (take_line(text) != "#EXTM3U") return std::nullopt;
  MediaPlaylist playlist;
  double duration = -1;  // EXTINF of the next segment
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take(line, "#EXTINF:")) {
      const auto given = base::parse_number<double>(line.substr(0, line.find(',')), 0, 1e7);
      if (!given) return std::nullopt;
      duration = *given;
    } else if (take(line, "#EXT-X-TARGETDURATION:")) {
      const auto target = base::parse_number<int>(line, 0);
      if (!target) return std::nullopt;
      playlist.target_duration = *target;
    } else if (take(line, "#EXT-X-MAP:URI=\"")) {
      playlist.map = line.substr(0, line.find('"'));
      if (!is_file_name(playlist.map)) return std::nullopt;
    } else if (line == "#EXT-X-ENDLIST") {
      playlist.ended = true;
    } else if (!line.empty() && line.front() != '#') {
      if (duration < 0 || !is_file_name(line)) return std::nullopt;
      playlist.segments.push_back({std::string(line), duration});
      duration = -1;
    }
  }
  return playlist;
}

std::optional<BitRates> measure(const MediaPlaylist& playlist,
                                const std::vector<std::uint64_t>& sizes) {
  const std::vector<Segment>& segments = playlist.segments;
  if (segments.empty() || segments.size() != sizes.size()) return std::nullopt;
  const double total = playlist.duration();
  if (!(total > 0)) return std::nullopt;
  BitRates rates;
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : sizes) bytes += size;
  rates.average = rate(bytes, total);

  const double shortest = 0.5 * playlist.target_duration - kRounding;
  const double longest = 1.5 * playlist.target_duration + kRounding;
  for (std::size_t first = 0; first < segments.size(); ++first) {
    double seconds = 0;
    std::uint64_t sum = 0;
    for (std::size_t i = first; i < segments.size(); ++i) {
      seconds += segments[i].duration;
      sum += sizes[i];
      if (seconds > longest) break;
      if (seconds >= shortest && seconds > 0) rates.peak = std::max(rates.peak, rate(sum, seconds));
    }
  }
  rates.peak = std::max(rates.peak, rates.average);
  return rates;
}

}  // namespace svc::ingest
