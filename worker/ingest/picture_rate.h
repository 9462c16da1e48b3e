// picture_rate: how many pictures per second a film has, by the times of its pictures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace svc::ingest {

struct PictureRate {
  double rate = 0;   // per second
  double error = 0;  // the largest relative one that the times of the file allow
};

// Times of pictures, in the order of decoding. Memory does not grow with their number.
class PictureTimes {
 public:
  void add(double seconds);

  // Returns the rate if nearly all pictures follow each other after one time, or a multiple of it:
  // so pictures may be missing. Otherwise, and of few pictures, nullopt.
  std::optional<PictureRate> finish();

 private:
  static constexpr double kBin = 0.00025;  // seconds
  static constexpr std::size_t kBins = 4001;

  struct Bin {
    std::int64_t gaps = 0;
    double seconds = 0;
  };
  void take_first();

  // The latest pictures, the first one on top: at most 16 are decoded before an earlier one.
  std::priority_queue<double, std::vector<double>, std::greater<>> waiting_;
  std::optional<double> last_;
  std::array<Bin, kBins> bins_{};  // of the times between two pictures, up to a second
};

}  // namespace svc::ingest
