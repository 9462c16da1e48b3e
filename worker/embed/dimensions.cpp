#include "embed/dimensions.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

#include "text/ascii.h"
#include "text/characters.h"

namespace svc::embed {
namespace {

// a × b ÷ c, rounded half up, at least 1.
int scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<int>(std::max<std::int64_t>((2 * a * b + c) / (2 * c), 1));
}

}  // namespace

std::optional<int> parse_side(std::string_view text) {
  text = text::without_white_space(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  // from_chars() would also read a minus sign, "inf" and "nan".
  if (text.empty() || !(text::is_digit(text.front()) || text.front() == '.')) return std::nullopt;
  double pixels = kMaxSide;  // remains for a number that is too large for a double
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pixels);
  if (error == std::errc::invalid_argument || pixels <= 0) return std::nullopt;
  const std::string_view unit =
      text::without_white_space(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!unit.empty() && !text::equal_ignoring_case(unit, "px")) return std::nullopt;
  return static_cast<int>(std::clamp<double>(pixels, 1, kMaxSide));
}

media::Dimensions fit(const SizeRequest& request, const std::optional<media::Dimensions>& native) {
  const media::Dimensions ratio = native.value_or(media::kDefaultDimensions);
  if (request.empty()) {
    return {std::min(ratio.width, media::kDefaultDimensions.width),
            std::min(ratio.height, media::kDefaultDimensions.height)};
  }
  constexpr std::int64_t kUnbounded = std::numeric_limits<int>::max();
  std::int64_t width = std::min<std::int64_t>(request.width.value_or(kUnbounded),
                                              request.max_width.value_or(kUnbounded));
  std::int64_t height = std::min<std::int64_t>(request.height.value_or(kUnbounded),
                                               request.max_height.value_or(kUnbounded));
  if (!request.width && !request.height && native) {
    width = std::min<std::int64_t>(width, native->width);
    height = std::min<std::int64_t>(height, native->height);
  }
  // The side whose limit is reached first determines the scale.
  if (width * ratio.height <= height * ratio.width) {
    return {static_cast<int>(width), scaled(width, ratio.height, ratio.width)};
  }
  return {scaled(height, ratio.width, ratio.height), static_cast<int>(height)};
}

}  // namespace svc::embed
