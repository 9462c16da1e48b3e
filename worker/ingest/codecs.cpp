#include "ingest/codecs.h"

#include <array>
#include <cstdint>

#include "base/hex.h"
#include "ingest/bytes.h"

namespace svc::ingest {
namespace {

// Bytes between a box's header and the boxes in it; nullopt: it contains data.
std::optional<std::size_t> boxes_begin_at(std::string_view type) {
  constexpr std::array<std::string_view, 5> kPlain{"moov", "trak", "mdia", "minf", "stbl"};
  for (const std::string_view plain : kPlain) {
    if (type == plain) return 0;
  }
  if (type == "stsd") return 8;   // version, flags, number of entries
  if (type == "avc1") return 78;  // a visual sample entry, ISO/IEC 14496-12 §12.1.3
  return std::nullopt;
}

struct Found {
  std::string avc;
  bool aac = false;
};

void search(std::string_view boxes, Found& found) {
  while (boxes.size() >= 8) {
    const std::size_t size = number_at(boxes, 0, 4);
    if (size < 8 || size > boxes.size()) return;
    const std::string_view type = boxes.substr(4, 4);
    const std::string_view body = boxes.substr(8, size - 8);
    if (type == "avcC" && body.size() >= 4 && found.avc.empty()) {
      found.avc = "avc1." + base::to_hex(body.substr(1, 3));
    } else if (type == "mp4a") {
      found.aac = true;
    } else if (const auto skipped = boxes_begin_at(type); skipped && body.size() >= *skipped) {
      search(body.substr(*skipped), found);
    }
    boxes.remove_prefix(size);
  }
}

}  // namespace

std::optional<std::string> codecs_of(std::string_view initialisation) {
  Found found;
  search(initialisation, found);
  if (found.avc.empty()) return std::nullopt;
  return found.aac ? found.avc + ",mp4a.40.2" : found.avc;
}

}  // namespace svc::ingest
