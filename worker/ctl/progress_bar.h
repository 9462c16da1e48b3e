// ProgressBar: how far something is, on a terminal; nothing anywhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace svc::ctl {

// The total of a ProgressBar over the whole store, and the part of it that is done.
inline constexpr std::uint64_t kWholeStore = 1'000'000;
inline std::uint64_t part_of_store(double fraction) {
  return static_cast<std::uint64_t>(fraction * static_cast<double>(kWholeStore));
}

class ProgressBar {
 public:
  // Draws on standard error when that is a terminal. `total` is in the unit of update()'s `done`.
  ProgressBar(std::string label, std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Cheap to call often: redraws ten times a second at most. `records` is for the rate.
  void update(std::uint64_t done, std::uint64_t records);

 private:
  void draw(std::uint64_t done, std::uint64_t records);

  using Clock = std::chrono::steady_clock;
  const std::string label_;
  const std::uint64_t total_;
  const bool terminal_;
  const Clock::time_point started_;
  Clock::time_point drawn_;
};

}  // namespace svc::ctl
