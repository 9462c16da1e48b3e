// Sketch: estimates how often something was requested recently, in constant
// memory of 1 to 256 KiB.
//
// A count-min sketch with conservative update: hash collisions only increase an
// estimate. Counts stop at 255. All counts are halved after every 4 to 8
// counted requests per column, so that they decay (TinyLFU, Einziger and others
// 2017).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svc::cache {

class Sketch {
 public:
  // `entries`: the approximate number of entries of the cache.
  explicit Sketch(std::size_t entries)
      : width_(std::bit_ceil(std::clamp<std::size_t>(entries * 4, 256, 65'536))),
        counts_(width_ * kRows, 0) {}

  void count(std::uint64_t hash) {
    const auto at = places(hash);
    const std::uint8_t least = estimate(at);
    if (least == kMost) return;
    for (const std::size_t place : at) {
      if (counts_[place] == least) ++counts_[place];
    }
    if (++counted_ < width_ * 8) return;
    counted_ /= 2;
    for (std::uint8_t& each : counts_) each = static_cast<std::uint8_t>(each / 2);
  }

  unsigned estimate(std::uint64_t hash) const { return estimate(places(hash)); }

 private:
  static constexpr std::size_t kRows = 4;
  static constexpr std::uint8_t kMost = 255;

  // Each row uses other 16 bits of the hash.
  std::array<std::size_t, kRows> places(std::uint64_t hash) const {
    std::array<std::size_t, kRows> at{};
    for (std::size_t row = 0; row < kRows; ++row) {
      at[row] = row * width_ + ((hash >> (16 * row)) & (width_ - 1));
    }
    return at;
  }
  std::uint8_t estimate(const std::array<std::size_t, kRows>& at) const {
    return std::min({counts_[at[0]], counts_[at[1]], counts_[at[2]], counts_[at[3]]});
  }

  const std::size_t width_;
  std::vector<std::uint8_t> counts_;
  std::size_t counted_ = 0;
};

}  // namespace svc::cache
