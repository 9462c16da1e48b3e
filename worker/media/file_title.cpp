#include "media/file_title.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "text/ascii.h"
#include "text/characters.h"

namespace svc::media {
namespace {

constexpr std::string_view kEndings[] = {
    "3g2",  "3gp",  "aac",  "aif", "aiff", "avi",  "avif", "bmp",  "flac", "flv", "gif",
    "heic", "heif", "jpeg", "jpg", "m2ts", "m4a",  "m4v",  "mkv",  "mov",  "mp3", "mp4",
    "mpeg", "mpg",  "mts",  "mxf", "oga",  "ogg",  "ogv",  "opus", "pdf",  "png", "svg",
    "tif",  "tiff", "ts",   "vob", "wav",  "weba", "webm", "webp", "wma",  "wmv"};

}  // namespace

std::string title_of_file(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return name;
  std::string ending;
  for (const char c : std::string_view(name).substr(dot + 1)) ending += text::to_lower(c);
  if (std::ranges::find(kEndings, ending) == std::end(kEndings)) return name;
  const std::string_view title = text::trimmed(std::string_view(name).substr(0, dot));
  return text::has_visible(title) ? std::string(title) : name;
}

}  // namespace svc::media
