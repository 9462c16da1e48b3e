// leb128: numbers as bytes of seven bits each, the lowest first. All but the last byte have the
// highest bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::base {

inline void append_leb128(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// Removes a number from the beginning of `bytes`. Returns nullopt if its end is missing, or if it
// has more than 64 bits.
inline std::optional<std::uint64_t> take_leb128(std::string_view& bytes) {
  constexpr int kBits = 64;
  std::uint64_t number = 0;
  for (int shift = 0; shift < kBits && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const std::uint64_t bits = byte & 0x7fU;
    if (bits << shift >> shift != bits) return std::nullopt;
    number |= bits << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

}  // namespace svc::base
