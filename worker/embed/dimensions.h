// Dimensions of an answer: what was asked for, and what the native size makes of it.
#pragma once

#include <optional>
#include <string_view>

#include "media/media.h"

namespace svc::embed {

// A side as a client writes it: decimal digits, 1 to 10000. Anything else is as if not given.
std::optional<int> parse_side(std::string_view text);

struct SizeRequest {
  std::optional<int> width;
  std::optional<int> height;
  std::optional<int> max_width;
  std::optional<int> max_height;

  bool empty() const { return !width && !height && !max_width && !max_height; }
  bool operator==(const SizeRequest&) const = default;
};

// Nothing asked: at most 640 wide and 360 high, each side by itself. Otherwise the largest size of
// the native ratio inside everything that was asked for; where only maxima were given, also inside
// the native size. Rounded half up, at least 1. A media that does not know its size counts as 16:9
// of any size.
media::Dimensions fit(const SizeRequest& request, const std::optional<media::Dimensions>& native);

}  // namespace svc::embed
