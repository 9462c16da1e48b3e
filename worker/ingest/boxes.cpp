#include "ingest/boxes.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/files.h"

namespace svc::ingest {
namespace {

constexpr std::size_t kHeader = 16;  // bytes, with a size of 64 bits
constexpr int kMostBoxes = 200'000;  // 24 hours of fragments of a second

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

struct Box {
  std::string type;
  std::uint64_t length = 0;
};

// Returns nullopt if the bytes there are not a box.
std::optional<Box> box_at(const std::string& path, std::uint64_t at) {
  const std::optional<std::string> header = read_file(path, at, kHeader);
  if (!header || header->size() < kHeader / 2) return std::nullopt;
  std::uint64_t length = number_in(std::string_view(*header).substr(0, 4));
  if (length == 1 && header->size() == kHeader)
    length = number_in(std::string_view(*header).substr(kHeader / 2));
  if (length < kHeader / 2) return std::nullopt;
  return Box{header->substr(4, 4), length};
}

}  // namespace

bool has_whole_boxes(const std::string& path) {
  const std::optional<std::uint64_t> size = size_of(path);
  if (!size) return false;
  std::uint64_t at = 0;
  while (at < *size) {
    const std::optional<Box> box = box_at(path, at);
    if (!box || box->length > *size - at) return false;
    at += box->length;
  }
  return at > 0;
}

std::uint64_t length_of_whole_fragments(const std::string& path, std::uint64_t offset,
                                        std::uint64_t length) {
  bool has_fragments = false;
  std::uint64_t at = 0;
  for (int boxes = 0; at < length && boxes < kMostBoxes; ++boxes) {
    const std::optional<Box> box = box_at(path, offset + at);
    if (!box || length - at < kHeader / 2) return has_fragments ? at : length;
    has_fragments = has_fragments || box->type == "moof";
    if (box->length > length - at) return has_fragments && box->type == "moof" ? at : length;
    at += box->length;
  }
  return length;
}

}  // namespace svc::ingest
