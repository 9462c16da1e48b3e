// number: text → number. The whole text, or the digits that it begins with.
#pragma once

#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace svc::base {

// Takes the number that `text` begins with off its front: digits of `base`, behind a minus sign if
// the type has one. Returns nothing, and leaves `text` as it is, if there is none or if it does not
// fit into the type.
template <class Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<Number>) {
    read = std::from_chars(text.data(), end, number);
  } else {
    read = std::from_chars(text.data(), end, number, base);
  }
  if (read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

// The number that the whole of `text` is, from `low` to `high`; nothing for any other text.
template <class Number>
std::optional<Number> parse_number(std::string_view text,
                                   Number low = std::numeric_limits<Number>::lowest(),
                                   Number high = std::numeric_limits<Number>::max(),
                                   int base = 10) {
  const std::optional<Number> number = take_number<Number>(text, base);
  // Written so that it refuses what is not a number.
  if (!number || !text.empty() || !(*number >= low && *number <= high)) return std::nullopt;
  return number;
}

}  // namespace svc::base
