// ProgressBar: shows progress if standard error is a terminal; does nothing
// otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace svc::ctl {

// The total of a ProgressBar over the whole store, and the completed part of it
// for a fraction from 0 to 1.
inline constexpr std::uint64_t kWholeStore = 1'000'000;
inline std::uint64_t part_of_store(double fraction) {
  return static_cast<std::uint64_t>(fraction * static_cast<double>(kWholeStore));
}

class ProgressBar {
 public:
  // `total` has the unit of update()'s `done`.
  ProgressBar(std::string label, std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Cheap to call often: redraws at most ten times per second. `records` is the
  // number of records so far, for the rate.
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
