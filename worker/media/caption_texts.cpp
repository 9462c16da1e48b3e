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

}  // namespace svc::media
