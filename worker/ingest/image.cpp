#include "ingest/image.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "ingest/bytes.h"

namespace svc::ingest {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kJpegStart = 2;                   // SOI
constexpr std::size_t kPngStart = 8 + 12 + 13;          // the signature and IHDR
constexpr std::string_view kExifHeader = "Exif\0\0"sv;  // of JPEG; some WebP have it, too

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

void append_little(std::string& out, std::uint64_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

// TIFF 6.0 §2: the first directory, whose entries have twelve bytes. Returns 1 for anything else.
int orientation_of(std::string_view exif) {
  constexpr unsigned kOrientation = 0x112;
  constexpr unsigned kShort = 3;
  if (exif.starts_with(kExifHeader)) exif.remove_prefix(kExifHeader.size());
  if (exif.size() < 8 || !(exif.starts_with("II*\0"sv) || exif.starts_with("MM\0*"sv))) return 1;
  const Order order = exif.front() == 'M' ? Order::Big : Order::Little;
  const std::size_t directory = number_at(exif, 4, 4, order);
  if (directory + 2 > exif.size()) return 1;
  const std::size_t entries = number_at(exif, directory, 2, order);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + i * 12;
    if (at + 12 > exif.size()) return 1;
    if (number_at(exif, at, 2, order) != kOrientation ||
        number_at(exif, at + 2, 2, order) != kShort)
      continue;
    const auto value = number_at(exif, at + 8, 2, order);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

// ITU-T T.81 table B.1: frames, tables, restart intervals and scans.
bool is_of_picture(unsigned char marker) {
  return (marker >= 0xc0 && marker <= 0xcf && marker != 0xc8) || (marker >= 0xda && marker <= 0xdd);
}

// ITU-T T.81 B.1.1: markers, most with a length and data. Bytes between them are left out, as
// decoders do. Restarts are the only markers in the data of a scan.
std::optional<CleanImage> clean_jpeg(std::string_view bytes) {
  CleanImage image{std::string(bytes.substr(0, kJpegStart)), 1, ""};
  bool has_scan = false;
  std::size_t at = kJpegStart;
  while (at + 4 <= bytes.size()) {
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    if (bytes[at] != '\xff' || marker == 0 || marker == 0xff ||
        (marker >= 0xd0 && marker <= 0xd8) || marker == 1) {
      ++at;
      continue;
    }
    if (marker == 0xd9) break;  // EOI
    const std::size_t length = number_at(bytes, at + 2, 2);
    const std::string_view segment = bytes.substr(at, 2 + length);
    const std::string_view data = segment.substr(std::min<std::size_t>(4, segment.size()));
    if (segment.size() < 2 + length) break;  // cut off
    at += segment.size();
    if (length < 2) continue;
    const bool is_profile = marker == 0xe2 && data.starts_with("ICC_PROFILE\0"sv);
    if (marker == 0xe1 && data.starts_with(kExifHeader)) image.orientation = orientation_of(data);
    if (is_profile) image.profile += segment;
    if (marker == 0xe0 && data.starts_with("JFIF\0"sv) && data.size() >= 14) {
      // Without its thumbnail.
      image.bytes += "\xff\xe0\0\x10"sv;
      image.bytes += data.substr(0, 12);
      image.bytes += "\0\0"sv;
      continue;
    }
    if (marker == 0xee && data.starts_with("Adobe") && data.size() >= 12) {
      // How samples become colours.
      image.bytes += "\xff\xee\0\x0e"sv;
      image.bytes += data.substr(0, 12);
      continue;
    }
    // Other applications' data, comments and unknown markers go.
    if (!is_profile && !is_of_picture(marker)) continue;
    image.bytes += segment;
    if (marker != 0xda) continue;
    has_scan = true;
    const std::size_t begin = at;
    while (at < bytes.size()) {
      at = std::min(bytes.find('\xff', at), bytes.size());
      if (at + 1 >= bytes.size()) {
        at = bytes.size();
        break;
      }
      const auto next = static_cast<unsigned char>(bytes[at + 1]);
      if (next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7)) break;
      at += next == 0xff ? 1 : 2;
    }
    image.bytes += bytes.substr(begin, at - begin);
  }
  if (!has_scan) return std::nullopt;
  image.bytes += "\xff\xd9"sv;
  return image;
}

// PNG (third edition) §11: the chunks of a picture, and the most bytes of their data.
struct PngChunk {
  std::string_view name;
  std::size_t most = std::string_view::npos;
  bool is_colour = false;
};
constexpr PngChunk kPngChunks[] = {{"IHDR", 13},
                                   {"PLTE", 768},
                                   {"tRNS", 256},
                                   {"sBIT", 4},
                                   {"bKGD", 6},
                                   {"hIST", 512},
                                   {"pHYs", 9},
                                   {"acTL", 8},
                                   {"fcTL", 26},
                                   {"IDAT"},
                                   {"fdAT"},
                                   {"IEND", 0},
                                   {"cHRM", 32, true},
                                   {"gAMA", 4, true},
                                   {"sRGB", 1, true},
                                   {"cICP", 4, true},
                                   {"mDCV", 24, true},
                                   {"cLLI", 8, true},
                                   {"iCCP", std::string_view::npos, true}};

// PNG (third edition) §5.3: the length of the data, a name, the data, a checksum.
std::optional<CleanImage> clean_png(std::string_view bytes) {
  CleanImage image{std::string(bytes.substr(0, 8)), 1, ""};
  bool has_data = false;
  bool moves = false;
  std::string_view name;
  for (std::size_t at = 8; at + 12 <= bytes.size() && name != "IEND";) {
    const std::size_t length = number_at(bytes, at, 4);
    name = bytes.substr(at + 4, 4);
    const std::string_view chunk = bytes.substr(at, 12 + length);
    at += chunk.size();
    if (name == "eXIf") image.orientation = orientation_of(chunk.substr(8));
    has_data = has_data || name == "IDAT";
    moves = moves || name == "acTL";
    const auto known = std::ranges::find(kPngChunks, name, &PngChunk::name);
    if (known == std::end(kPngChunks) || length > known->most) continue;
    if (known->is_colour) image.profile += chunk;
    image.bytes += chunk;
  }
  if (!has_data) return std::nullopt;
  if (moves) image.orientation = 1;
  return image;
}

// GIF89a §15: data in blocks, each with its length first, up to an empty block. Returns the place
// after the empty block; npos if the data is cut off.
std::size_t after_blocks(std::string_view bytes, std::size_t at) {
  while (at < bytes.size()) {
    const auto length = static_cast<unsigned char>(bytes[at]);
    at += 1 + std::size_t{length};
    if (length == 0) return at;
  }
  return std::string_view::npos;
}

// GIF89a §18: bytes of the table of colours that these flags announce.
std::size_t table_size(char flags) {
  const auto bits = static_cast<unsigned char>(flags);
  return (bits & 0x80) != 0 ? std::size_t{3} << ((bits & 7) + 1) : 0;
}

// When a picture is shown, how often, and its colours. Not: comments, XMP, or more than
// these blocks have.
bool is_of_gif(std::string_view extension) {
  constexpr std::size_t kControl = 8;
  constexpr std::size_t kLoop = 19;
  if (extension[1] == '\xf9') return extension.size() == kControl;
  const std::string_view application =
      extension.substr(std::min<std::size_t>(3, extension.size()), 11);
  if (extension[1] != '\xff') return false;
  return application == "ICCRGBG1012" ||
         (is_any(application, {"NETSCAPE2.0", "ANIMEXTS1.0"}) && extension.size() == kLoop);
}

std::optional<CleanImage> clean_gif(std::string_view bytes) {
  constexpr std::size_t kHeader = 13;
  if (bytes.size() < kHeader) return std::nullopt;
  std::size_t at = std::min(bytes.size(), kHeader + table_size(bytes[10]));
  CleanImage image{std::string(bytes.substr(0, at)), 1, ""};
  bool has_picture = false;
  while (at != std::string_view::npos && at + 2 < bytes.size()) {
    const std::size_t begin = at;
    bool stays = false;
    if (bytes[at] == '!') {
      at = after_blocks(bytes, at + 2);
      stays = is_of_gif(bytes.substr(begin, at - begin));
    } else if (bytes[at] == ',' && at + 10 < bytes.size()) {
      stays = has_picture = true;
      // After the descriptor and its colours, a byte precedes the blocks.
      at = after_blocks(bytes, at + 10 + table_size(bytes[at + 9]) + 1);
    } else {
      break;
    }
    if (stays) image.bytes += bytes.substr(begin, at - begin);
  }
  if (!has_picture) return std::nullopt;
  if (at != std::string_view::npos) image.bytes += ';';
  return image;
}

// RFC 9649 §2.3: a name, the length of the data, the data, a byte if the length is odd.
struct WebpParts {
  bool picture = false;
  bool moves = false;
};
// A frame cannot contain frames.
void clean_webp_chunks(std::string_view bytes, CleanImage& image, WebpParts& parts,
                       bool in_frame = false) {
  constexpr std::size_t kFrameHeader = 16;
  while (bytes.size() >= 8) {
    const std::string_view name = bytes.substr(0, 4);
    const std::size_t length = number_at(bytes, 4, 4, Order::Little);
    const std::string_view data = bytes.substr(8, length);
    bytes.remove_prefix(std::min(bytes.size(), 8 + length + length % 2));
    std::string kept;
    if (name == "VP8X" && !data.empty()) {
      constexpr int kExifAndXmp = 0x0c;
      kept = data;
      kept[0] = static_cast<char>(kept[0] & ~kExifAndXmp);
    } else if (name == "ANMF" && !in_frame && data.size() >= kFrameHeader) {
      CleanImage frame{std::string(data.substr(0, kFrameHeader)), 1, ""};
      clean_webp_chunks(data.substr(kFrameHeader), frame, parts, true);
      parts.moves = true;
      kept = std::move(frame.bytes);
    } else if (is_any(name, {"VP8 ", "VP8L", "ALPH", "ANIM", "ICCP"})) {
      kept = data;
      parts.picture = parts.picture || name.starts_with("VP8");
    } else {
      if (name == "EXIF") image.orientation = orientation_of(data);
      continue;
    }
    image.bytes += name;
    append_little(image.bytes, kept.size());
    image.bytes += kept;
    if (kept.size() % 2 == 1) image.bytes += '\0';
  }
}

std::optional<CleanImage> clean_webp(std::string_view bytes) {
  constexpr std::size_t kHeader = 12;  // "RIFF", the length, "WEBP"
  CleanImage image;
  WebpParts parts;
  clean_webp_chunks(bytes.substr(std::min(kHeader, bytes.size())), image, parts);
  if (!parts.picture) return std::nullopt;
  if (parts.moves) image.orientation = 1;
  std::string header = "RIFF";
  append_little(header, image.bytes.size() + 4);
  image.bytes.insert(0, header + "WEBP");
  return image;
}

}  // namespace

std::optional<CleanImage> clean_image(std::string_view ending, std::string_view bytes) {
  if (ending == "jpg") return clean_jpeg(bytes);
  if (ending == "png") return clean_png(bytes);
  if (ending == "gif") return clean_gif(bytes);
  if (ending == "webp") return clean_webp(bytes);
  return std::nullopt;
}

std::string with_profile(std::string_view ending, std::string bytes, std::string_view profile) {
  const std::size_t start = ending == "jpg" ? kJpegStart : kPngStart;
  if ((ending == "jpg" || ending == "png") && bytes.size() >= start) bytes.insert(start, profile);
  return bytes;
}

}  // namespace svc::ingest
