// Dimensions of a response, computed from the requested and the native size.
#pragma once

#include <optional>
#include <string_view>

#include "media/media.h"

namespace svc::embed {

inline constexpr int kMaxSide = 10'000;  // pixels

// Parses a number of pixels: decimal, also with a fraction or an exponent,
// alone or with the unit px, with blanks around it. Returns whole pixels, from
// 1 to kMaxSide: rounded down, so that no response is larger than requested.
// Returns nullopt for anything else, and for 0 and less: such a parameter is
// ignored.
std::optional<int> parse_side(std::string_view text);

struct SizeRequest {
  std::optional<int> width;
  std::optional<int> height;
  std::optional<int> max_width;
  std::optional<int> max_height;

  bool empty() const { return !width && !height && !max_width && !max_height; }
  bool operator==(const SizeRequest&) const = default;
};

// Without a request: the native size, with the width limited to 640 and the
// height to 360 independently. Otherwise the largest size with the native ratio
// that satisfies all given values. If only maxima are given, it is also limited
// to the native size. Rounded half up, at least 1. A media without a size
// counts as 16:9 of unlimited size, by default 640 × 360.
media::Dimensions fit(const SizeRequest& request, const std::optional<media::Dimensions>& native);

}  // namespace svc::embed
