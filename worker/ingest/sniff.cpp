#include "ingest/sniff.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "ingest/bytes.h"
#include "text/ascii.h"

namespace svc::ingest {
namespace {

using namespace std::string_view_literals;
using media::Dimensions;

constexpr std::int64_t kMaxClaim = 1 << 30;  // keeps products of two sides below 2^60

std::optional<Dimensions> dimensions(std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0) return std::nullopt;
  const auto most = static_cast<std::uint64_t>(kMaxClaim);
  return Dimensions{static_cast<int>(std::min(width, most)),
                    static_cast<int>(std::min(height, most))};
}

std::optional<Dimensions> png_size(std::string_view bytes) {
  if (bytes.size() < 24 || bytes.substr(12, 4) != "IHDR") return std::nullopt;
  return dimensions(number_at(bytes, 16, 4), number_at(bytes, 20, 4));
}

std::optional<Dimensions> gif_size(std::string_view bytes) {
  if (bytes.size() < 10) return std::nullopt;
  return dimensions(number_at(bytes, 6, 2, Order::Little), number_at(bytes, 8, 2, Order::Little));
}

// ITU-T T.81 B.1.1.4: segments of a marker, a length and their data, up to the
// start of a frame, which has the size.
std::optional<Dimensions> jpeg_size(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && bytes[at] == '\xff') {
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    if (marker == 0xff) {
      ++at;
      continue;
    }
    const bool is_frame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_frame) return dimensions(number_at(bytes, at + 7, 2), number_at(bytes, at + 5, 2));
    at += 2 + number_at(bytes, at + 2, 2);
  }
  return std::nullopt;
}

// The three forms of WebP, RFC 9649 §2.5 to §2.7.
std::optional<Dimensions> webp_size(std::string_view bytes) {
  if (bytes.size() < 30) return std::nullopt;
  const std::string_view form = bytes.substr(12, 4);
  if (form == "VP8X")
    return dimensions(number_at(bytes, 24, 3, Order::Little) + 1,
                      number_at(bytes, 27, 3, Order::Little) + 1);
  if (form == "VP8 ")
    return dimensions(number_at(bytes, 26, 2, Order::Little) & 0x3fff,
                      number_at(bytes, 28, 2, Order::Little) & 0x3fff);
  if (form == "VP8L") {
    const std::uint64_t bits = number_at(bytes, 21, 4, Order::Little);
    return dimensions((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
  }
  return std::nullopt;
}

Sniffed refused(std::string reason) { return {Kind::Refused, "", std::nullopt, std::move(reason)}; }

// The images that are taken.
struct Taken {
  std::string_view name, ending;
  bool (*begins)(std::string_view head);
  std::optional<Dimensions> (*size)(std::string_view head);
};

constexpr std::array<Taken, 4> kTaken{
    {{"PNG", "png", [](std::string_view head) { return head.starts_with("\x89PNG\r\n\x1a\n"sv); },
      png_size},
     {"JPEG", "jpg", [](std::string_view head) { return head.starts_with("\xff\xd8\xff"sv); },
      jpeg_size},
     {"GIF", "gif",
      [](std::string_view head) {
        return head.starts_with("GIF87a") || head.starts_with("GIF89a");
      },
      gif_size},
     {"WebP", "webp",
      [](std::string_view head) {
        return head.starts_with("RIFF") && head.size() >= 12 && head.substr(8, 4) == "WEBP";
      },
      webp_size}}};

// Images and documents that programs for images write, by their first bytes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kOthers{
    {{"II*\0"sv, "TIFF or raw"},
     {"MM\0*"sv, "TIFF or raw"},
     {"II+\0"sv, "TIFF or raw"},
     {"MM\0+"sv, "TIFF or raw"},
     {"IIRO"sv, "raw"},
     {"IIRS"sv, "raw"},
     {"MMOR"sv, "raw"},
     {"IIU\0"sv, "raw"},
     {"FUJIFILMCCD-RAW"sv, "raw"},
     {"FOVb"sv, "raw"},
     {"II\x1a\0\0\0HEAPCCDR"sv, "raw"},
     {"II\xbc\1"sv, "JPEG XR"},
     {"\0\0\0\x0cJXL \r\n\x87\n"sv, "JPEG XL"},
     {"\xff\x0a"sv, "JPEG XL"},
     {"\0\0\0\x0cjP  \r\n\x87\n"sv, "JPEG 2000"},
     {"\xff\x4f\xff\x51"sv, "JPEG 2000"},
     {"8BPS"sv, "Photoshop"},
     {"gimp xcf"sv, "GIMP"},
     {"v/1\x01"sv, "OpenEXR"},
     {"#?RADIANCE"sv, "Radiance HDR"},
     {"DDS "sv, "DDS"},
     {"qoif"sv, "QOI"},
     {"BPG\xfb"sv, "BPG"},
     {"AT&TFORM"sv, "DjVu"},
     {"\xd7\xcd\xc6\x9a"sv, "WMF"}}};

// Brands of ISO/IEC 14496-12 whose files are images. A file of "mif1" has its codec among the other
// brands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kBrands{
    {{"heic", "HEIC"},
     {"heix", "HEIC"},
     {"heim", "HEIC"},
     {"heis", "HEIC"},
     {"hevc", "HEIC"},
     {"hevx", "HEIC"},
     {"hevm", "HEIC"},
     {"hevs", "HEIC"},
     {"avif", "AVIF"},
     {"avis", "AVIF"},
     {"crx ", "CR3"},
     {"jxl ", "JPEG XL"},
     {"mif1", "HEIF"},
     {"msf1", "HEIF"}}};

std::string_view name_of_brand(std::string_view brand) {
  const auto* const found =
      std::ranges::find(kBrands, brand, &std::pair<std::string_view, std::string_view>::first);
  return found == kBrands.end() ? "" : found->second;
}

std::string_view name_of_brands(std::string_view head) {
  if (head.size() < 16 || head.substr(4, 4) != "ftyp") return "";
  const std::string_view name = name_of_brand(head.substr(8, 4));
  if (name != "HEIF") return name;
  const std::size_t end = std::min<std::size_t>(head.size(), number_at(head, 0, 4));
  for (std::size_t at = 16; at + 4 <= end; at += 4) {
    const std::string_view other = name_of_brand(head.substr(at, 4));
    if (!other.empty() && other != name) return other;
  }
  return name;
}

// The sizes of the header that follow "BM" and twelve bytes.
bool is_bmp(std::string_view head) {
  constexpr std::array<std::uint64_t, 8> kHeaders{12, 16, 40, 52, 56, 64, 108, 124};
  return head.starts_with("BM") && head.size() >= 18 &&
         std::ranges::find(kHeaders, number_at(head, 14, 4, Order::Little)) != kHeaders.end();
}

// A directory of images whose entries have a reserved zero.
bool is_icon(std::string_view head) {
  return (head.starts_with("\0\0\1\0"sv) || head.starts_with("\0\0\2\0"sv)) && head.size() >= 22 &&
         head[4] != 0 && head[5] == 0 && head[9] == 0;
}

// Returns an empty text if the file is not an image that is known and not taken.
std::string_view name_of_other_image(std::string_view head) {
  for (const auto& [begin, name] : kOthers) {
    if (head.starts_with(begin)) return name;
  }
  if (is_bmp(head)) return "BMP";
  if (is_icon(head)) return "icon";
  return name_of_brands(head);
}

// "The file is an image of the kind HEIC. Images may be PNG, JPEG, GIF or WebP."
Sniffed refused_image(std::string_view name) {
  std::string text = "The file is an image of the kind " + std::string(name) + ". Images may be ";
  for (const Taken& taken : kTaken) {
    if (&taken == &kTaken.back())
      text += " or ";
    else if (&taken != &kTaken.front())
      text += ", ";
    text += taken.name;
  }
  return refused(text + ".");
}

// Returns true if the first 512 bytes are text: no control characters except
// white space. Formats of audio and video have such bytes in their headers.
bool is_text(std::string_view head) {
  const std::string_view start = head.substr(0, 512);
  return std::ranges::none_of(start, [](char c) {
    return text::is_control(c) && "\t\n\v\f\r\x1b"sv.find(c) == "\t"sv.npos;
  });
}

}  // namespace

Sniffed sniff(std::string_view head) {
  if (head.empty()) return refused("The file is empty.");
  for (const Taken& taken : kTaken) {
    if (taken.begins(head)) return {Kind::Image, std::string(taken.ending), taken.size(head), ""};
  }
  if (head.starts_with("%PDF-")) return {Kind::Pdf, "pdf", std::nullopt, ""};
  if (const std::string_view name = name_of_other_image(head); !name.empty())
    return refused_image(name);

  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("\x1f\x8b"sv) ||
      head.starts_with("Rar!") || head.starts_with("7z\xbc\xaf"sv) || head.starts_with("BZh") ||
      head.starts_with("\xfd"
                       "7zXZ"sv) ||
      head.starts_with("\x28\xb5\x2f\xfd"sv))
    return refused("Archives and office documents cannot be embedded.");
  if (head.starts_with("\x7f"
                       "ELF"sv) ||
      head.starts_with("MZ"))
    return refused("Programs cannot be embedded.");
  const std::string start = text::to_lower(head.substr(0, 4096));
  if (is_text(head) || start.starts_with("\xef\xbb\xbf") || start.starts_with("\xff\xfe")) {
    if (start.find("<svg") != std::string::npos) return refused_image("SVG");
    return refused("The file is text, not a video, a sound, an image or a PDF.");
  }
  return {};
}

}  // namespace svc::ingest
