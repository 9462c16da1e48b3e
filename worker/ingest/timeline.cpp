#include "ingest/timeline.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/number.h"

namespace svc::ingest {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr double kSenseless = 1e9;  // seconds
constexpr unsigned kCorrupt = 2;    // AV_PKT_FLAG_CORRUPT

std::string_view field(std::string_view& line) {
  const std::size_t comma = line.find(',');
  std::string_view text = line.substr(0, comma);
  line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  return text;
}

void keep_longest(std::vector<Hold>& holds, std::size_t count) {
  if (holds.size() <= count) return;
  const auto length = [](const Hold& hold) { return hold.end - hold.begin; };
  std::ranges::nth_element(holds, holds.begin() + static_cast<std::ptrdiff_t>(count),
                           std::ranges::greater(), length);
  holds.resize(count);
  std::ranges::sort(holds, {}, &Hold::begin);
}

}  // namespace

Fraction affordable(Fraction rate, const Timeline& timeline) {
  double moving = timeline.end;
  for (const Hold& hold : timeline.holds) moving -= hold.end - hold.begin;
  const double most = 60 * static_cast<double>(timeline.pictures) + timeline.end;
  if (moving * rate.value() <= most) return rate;
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(most / moving)), 1};
}

TimelineReader::TimelineReader(bool video)
    : video_(video ? std::optional<std::size_t>(0) : std::nullopt) {}

void TimelineReader::read(std::string_view text) {
  rest_ += text;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
    line(std::string_view(rest_).substr(begin, end - begin));
  rest_.erase(0, begin);
  if (rest_.size() > kLongestLine) rest_.clear();
}

// "#tb 0: 1/12800", or "0, dts, pts, duration, size, checksum, F=flags".
void TimelineReader::line(std::string_view text) {
  constexpr std::string_view kUnit = "#tb ";
  const bool is_unit = text.starts_with(kUnit);
  if (is_unit) text.remove_prefix(kUnit.size());
  const auto index = base::take_number<std::size_t>(text);
  if (!index || *index >= streams_.size()) return;
  Stream& stream = streams_[*index];
  if (is_unit) {
    text.remove_prefix(std::min<std::size_t>(2, text.size()));
    const auto over = base::parse_number<double>(text.substr(0, text.find('/')));
    const auto under = base::parse_number<double>(text.substr(text.find('/') + 1));
    if (over && under && *under > 0) stream.unit = *over / *under;
    return;
  }
  field(text);
  const auto dts = base::parse_number<std::int64_t>(field(text));
  const auto pts = base::parse_number<std::int64_t>(field(text));
  const auto duration = base::parse_number<std::int64_t>(field(text));
  if (!dts || !pts || !duration) return;
  const bool unknown = *pts == std::numeric_limits<std::int64_t>::min();
  const auto seconds = [&](std::int64_t units) {
    return std::clamp(static_cast<double>(units) * stream.unit, -kSenseless, kSenseless);
  };
  const double begin = seconds(unknown ? *dts : *pts);
  stream.corrupt = false;
  for (field(text), field(text); !text.empty();) {
    const std::string_view more = field(text);
    if (!more.starts_with("F=0x")) continue;
    const auto flags = base::parse_number<unsigned>(more.substr(4), 0, ~0U, 16);
    stream.corrupt = (flags.value_or(0) & kCorrupt) != 0;
  }
  if (index == video_) {
    ++found_.pictures;
    times_.add(begin);
    hold(stream.any ? stream.last : 0, begin);
  }
  if (stream.any && begin < stream.last) return;
  stream.any = true;
  stream.last = begin;
  stream.last_duration = seconds(*duration);
}

// Pictures arrive in decoding order, so a picture may be within the last hold.
void TimelineReader::hold(double begin, double end) {
  std::vector<Hold>& holds = found_.holds;
  if (end < begin) {
    if (holds.empty() || end <= holds.back().begin || end >= holds.back().end) return;
    const Hold last = holds.back();
    holds.pop_back();
    hold(last.begin, end);
    hold(end, last.end);
    return;
  }
  if (end - begin <= kLongHold) return;
  holds.push_back({begin, end});
  if (holds.size() > 2 * kMostHolds) keep_longest(holds, kMostHolds);
}

Timeline TimelineReader::finish(double picture, double longest, std::string_view errors) {
  found_.rate = times_.finish();
  if (found_.rate) picture = 1 / found_.rate->rate;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = streams_[i];
    if (!stream.any) continue;
    const double least = i == video_ ? picture : 0;
    found_.last_packet = std::max(found_.last_packet, stream.last);
    found_.end = std::max(found_.end, stream.last + std::max(stream.last_duration, least));
    found_.cut |= stream.corrupt;
  }
  found_.cut |= errors.find("partial file") != std::string_view::npos ||
                errors.find("File ended prematurely") != std::string_view::npos;
  found_.end = std::min(found_.end, longest);
  if (video_) {
    found_.last_picture = streams_[*video_].last;
    hold(found_.last_picture, found_.end);
    keep_longest(found_.holds, kMostHolds);
  }
  return std::move(found_);
}

}  // namespace svc::ingest
