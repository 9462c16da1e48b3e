#include "ingest/sniff.h"

#include <algorithm>
#include <array>
#include <cstdint>

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

Sniffed image(std::string ending, std::optional<Dimensions> size) {
  return {Kind::Image, std::move(ending), size, ""};
}

Sniffed refused(std::string reason) { return {Kind::Refused, "", std::nullopt, std::move(reason)}; }

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
  if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) return image("png", png_size(head));
  if (head.starts_with("\xff\xd8\xff"sv)) return image("jpg", jpeg_size(head));
  if (head.starts_with("GIF87a") || head.starts_with("GIF89a")) return image("gif", gif_size(head));
  if (head.starts_with("RIFF") && head.size() >= 12 && head.substr(8, 4) == "WEBP")
    return image("webp", webp_size(head));
  if (head.starts_with("%PDF-")) return {Kind::Pdf, "pdf", std::nullopt, ""};

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
    if (start.find("<svg") != std::string::npos) return refused("SVG images cannot be embedded.");
    return refused("The file is text, not a video, a sound, an image or a PDF.");
  }
  return {};
}

}  // namespace svc::ingest
