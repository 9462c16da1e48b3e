#include "media/caption_texts.h"

#include "base/number.h"

namespace svc::media {
namespace {

constexpr std::size_t kBytesDigits = 8;
constexpr int kHexadecimal = 16;

}  // namespace

std::size_t CaptionTexts::bytes_of_version(std::string_view version) {
  if (version.size() <= kBytesDigits) return 0;
  return base::parse_number<std::size_t>(version.substr(version.size() - kBytesDigits), 0,
                                         std::size_t{1} << 32, kHexadecimal)
      .value_or(0);
}

std::vector<std::string> CaptionTexts::versions_of(const Media& media) {
  std::vector<std::string> versions;
  for (const Captions& captions : media.captions) {
    if (!captions.version().empty()) versions.emplace_back(captions.version());
  }
  return versions;
}

std::size_t CaptionTexts::bytes_of(const Media& media) {
  std::size_t bytes = 0;
  for (const Captions& captions : media.captions) bytes += bytes_of_version(captions.version());
  return bytes;
}

}  // namespace svc::media
