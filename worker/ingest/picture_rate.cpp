#include "ingest/picture_rate.h"

#include <algorithm>
#include <cmath>

namespace svc::ingest {
namespace {

constexpr std::size_t kMostWaiting = 32;
constexpr std::int64_t kFewestGaps = 12;
constexpr double kRounded = 0.0011;  // seconds: two times in whole milliseconds
constexpr double kRegular = 0.95;    // the part of the gaps that must be multiples
constexpr double kSingle = 0.4;      // the part that must be one period long

}  // namespace

void PictureTimes::add(double seconds) {
  waiting_.push(seconds);
  if (waiting_.size() > kMostWaiting) take_first();
}

void PictureTimes::take_first() {
  const double first = waiting_.top();
  waiting_.pop();
  if (last_ && first > *last_) {
    const double gap = first - *last_;
    const auto bin = static_cast<std::size_t>(std::min(gap / kBin, 1e6));
    if (bin < kBins) {
      ++bins_.at(bin).gaps;
      bins_.at(bin).seconds += gap;
    }
  }
  last_ = first;
}

std::optional<PictureRate> PictureTimes::finish() {
  while (!waiting_.empty()) take_first();
  std::int64_t all = 0;
  for (const Bin& bin : bins_) all += bin.gaps;
  if (all < kFewestGaps) return std::nullopt;

  // The most frequent gap, and those that differ from it as rounded times do.
  constexpr auto kReach = static_cast<std::size_t>(kRounded / kBin);
  Bin most;
  for (std::size_t middle = 0; middle < kBins; ++middle) {
    Bin near;
    for (std::size_t i = middle - std::min(middle, kReach); i <= middle + kReach && i < kBins;
         ++i) {
      near.gaps += bins_.at(i).gaps;
      near.seconds += bins_.at(i).seconds;
    }
    if (near.gaps > most.gaps) most = near;
  }
  const double period = most.seconds / static_cast<double>(most.gaps);
  const double tolerated = std::max(kRounded, period * 0.06);

  std::int64_t regular = 0;
  std::int64_t single = 0;
  double periods = 0;
  double seconds = 0;
  for (const Bin& bin : bins_) {
    if (bin.gaps == 0) continue;
    const double gap = bin.seconds / static_cast<double>(bin.gaps);
    const double times = std::round(gap / period);
    if (times < 1 || std::abs(gap - times * period) > tolerated) continue;
    regular += bin.gaps;
    if (times == 1) single += bin.gaps;
    periods += times * static_cast<double>(bin.gaps);
    seconds += bin.seconds;
  }
  const auto least = [&](double part) { return part * static_cast<double>(all); };
  if (static_cast<double>(regular) < least(kRegular) ||
      static_cast<double>(single) < least(kSingle))
    return std::nullopt;
  return PictureRate{periods / seconds, std::min(0.01, 0.0003 + 2 * kRounded / seconds)};
}

}  // namespace svc::ingest
