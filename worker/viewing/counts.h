// Counts: how often a media was loaded and played, and which hundredths of it were seen (api-T3 to
// api-T5). In memory, and as stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::viewing {

inline constexpr std::size_t kParts = 100;  // hundredths of a media's duration

// Sessions per hundredth of a media.
using Curve = std::array<std::uint32_t, kParts>;

struct Counts {
  std::uint64_t loads = 0;     // sessions
  std::uint64_t plays = 0;     // sessions that played
  std::uint64_t watched = 0;   // ms; a part counts twice at most in a session
  std::uint64_t visitors = 0;  // the sum of those of each day
  Curve seen{};                // sessions that saw it
  Curve again{};               // sessions that saw it more than once

  bool operator==(const Counts&) const = default;
  bool empty() const { return *this == Counts(); }
  Counts& operator+=(const Counts& other);

  // The mean share of the media that a session that played saw: 0 to 1; 0 without plays.
  double engagement() const;
  // Plays per load: 0 to 1; 0 without loads.
  double play_rate() const;
  double hours_watched() const { return static_cast<double>(watched) / 3'600'000; }
};

// The stored form: numbers of seven bits per byte, the lowest first; curves as differences from
// one hundredth to the next, with runs. Some hundred bytes for a film that many have seen.
std::string to_bytes(const Counts& counts);
// Returns nullopt if another version wrote it, or it is damaged.
std::optional<Counts> from_bytes(std::string_view bytes);

}  // namespace svc::viewing
