#include "ingest/boxes.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/files.h"

namespace svc::ingest {
namespace {

constexpr std::size_t kHeader = 16;  // bytes, with a size of 64 bits

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace

bool has_whole_boxes(const std::string& path) {
  const std::optional<std::uint64_t> size = size_of(path);
  if (!size) return false;
  std::uint64_t at = 0;
  while (at < *size) {
    const std::optional<std::string> header = read_file(path, at, kHeader);
    if (!header || header->size() < kHeader / 2) return false;
    std::uint64_t length = number_in(std::string_view(*header).substr(0, 4));
    if (length == 1 && header->size() == kHeader)
      length = number_in(std::string_view(*header).substr(kHeader / 2));
    if (length < kHeader / 2 || length > *size - at) return false;
    at += length;
  }
  return at > 0;
}

}  // namespace svc::ingest
