// number: text → number. Reads the whole text, or the digits at its beginning.
#pragma once

#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace svc::base {

// Removes the number at the beginning of `text`: digits of `base`, after a
// minus sign if the type is signed. Returns nullopt and leaves `text` unchanged
// if `text` does not begin with a number, or if the number does not fit the
// type.
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

// Returns the number if the whole text is one, from `low` to `high`. Otherwise
// returns nullopt.
template <class Number>
std::optional<Number> parse_number(std::string_view text,
                                   Number low = std::numeric_limits<Number>::lowest(),
                                   Number high = std::numeric_limits<Number>::max(),
                                   int base = 10) {
  const std::optional<Number> number = take_number<Number>(text, base);
  // Written so that NaN is refused.
  if (!number || !text.empty() || !(*number >= low && *number <= high)) return std::nullopt;
  return number;
}

}  // namespace svc::base
