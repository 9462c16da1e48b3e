// utf16: RFC 2781. A character above U+FFFF is a pair of surrogates: a high one, then a low one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace svc::text {

constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
constexpr bool is_surrogate(char32_t unit) { return unit >= 0xd800 && unit < 0xe000; }
constexpr char32_t character_of(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}
constexpr char32_t high_surrogate_of(char32_t character) {
  return 0xd800 + ((character - 0x10000) >> 10);
}
constexpr char32_t low_surrogate_of(char32_t character) {
  return 0xdc00 + ((character - 0x10000) & 0x3ff);
}

enum class ByteOrder : bool { BigEndian, LittleEndian };
// Byte order marks.
inline constexpr std::string_view kUtf16BigMark = "\xfe\xff";
inline constexpr std::string_view kUtf16LittleMark = "\xff\xfe";

// Removes a unit of `size` bytes, at most four, from the beginning of `bytes`, which has as many.
constexpr char32_t take_unit(std::string_view& bytes, std::size_t size, ByteOrder order) {
  char32_t unit = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = order == ByteOrder::LittleEndian ? size - 1 - i : i;
    unit = unit << 8 | static_cast<unsigned char>(bytes[at]);
  }
  bytes.remove_prefix(size);
  return unit;
}

// Removes a character from the beginning of `bytes`, which has at least two. Returns nullopt, and
// removes one unit, if that is a surrogate without the other half of its pair.
constexpr std::optional<char32_t> take_utf16(std::string_view& bytes, ByteOrder order) {
  const char32_t unit = take_unit(bytes, 2, order);
  if (!is_surrogate(unit)) return unit;
  if (is_low_surrogate(unit) || bytes.size() < 2) return std::nullopt;
  std::string_view rest = bytes;
  const char32_t low = take_unit(rest, 2, order);
  if (!is_low_surrogate(low)) return std::nullopt;
  bytes = rest;
  return character_of(unit, low);
}

}  // namespace svc::text
