// bytes: numbers in the headers of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::ingest {

enum class Order { Big, Little };

// Reads `length` bytes, at most eight. All of them must be in `bytes`.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t length,
                               Order order = Order::Big) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t from = order == Order::Big ? i : length - 1 - i;
    number = number << 8 | static_cast<unsigned char>(bytes[at + from]);
  }
  return number;
}

}  // namespace svc::ingest
