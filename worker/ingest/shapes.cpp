#include "ingest/shapes.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "ingest/bytes.h"

namespace svc::ingest {
namespace {

constexpr std::size_t kLongestShape = 256;
constexpr int kLongestSide = 1'000'000;  // per side

void add_shape(std::vector<Shape>& shapes, const Shape& shape) {
  if (shapes.size() < ShapeReader::kMostShapes && std::ranges::find(shapes, shape) == shapes.end())
    shapes.push_back(shape);
}

// Reads bits, the highest first; zeros after the end.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}
  unsigned take(int count) {
    unsigned value = 0;
    for (; count > 0; --count, ++at_) {
      const std::size_t byte = at_ / 8;
      const unsigned bit = byte < bytes_.size()
                               ? static_cast<unsigned char>(bytes_[byte]) >> (7 - at_ % 8) & 1U
                               : 0U;
      value = value << 1 | bit;
    }
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// The uncompressed header of a key frame, VP9 bitstream specification §6.2.
std::optional<media::Dimensions> size_of_vp9(std::string_view frame) {
  constexpr unsigned kSync = 0x498342;
  constexpr unsigned kRgb = 7;
  Bits bits(frame);
  if (bits.take(2) != 2) return std::nullopt;
  const unsigned low = bits.take(1);
  const unsigned profile = low | bits.take(1) << 1;
  if (profile == 3) bits.take(1);
  if (bits.take(1) != 0 || bits.take(1) != 0) return std::nullopt;  // shown again; not a key frame
  bits.take(2);
  if (bits.take(24) != kSync) return std::nullopt;
  if (profile >= 2) bits.take(1);
  const bool is_rgb = bits.take(3) == kRgb;
  const bool is_odd = profile % 2 == 1;
  bits.take(is_rgb ? (is_odd ? 1 : 0) : (is_odd ? 4 : 1));
  const int width = static_cast<int>(bits.take(16)) + 1;
  const int height = static_cast<int>(bits.take(16)) + 1;
  return media::Dimensions{width, height};
}

}  // namespace

void Vp9ShapeReader::read(std::string_view text) {
  constexpr std::size_t kHeader = 12;  // size of the frame, time
  constexpr std::size_t kEnough = 16;  // bytes of the frame
  while (!text.empty()) {
    if (skip_ > 0) {
      const std::size_t part = std::min<std::uint64_t>(skip_, text.size());
      text.remove_prefix(part);
      skip_ -= part;
      continue;
    }
    const std::size_t part = std::min(kHeader + kEnough - rest_.size(), text.size());
    rest_ += text.substr(0, part);
    text.remove_prefix(part);
    if (rest_.size() < kHeader) return;
    const std::uint64_t size = number_at(rest_, 0, 4, Order::Little);
    const std::size_t looked_at = std::min<std::uint64_t>(size, kEnough);
    if (rest_.size() < kHeader + looked_at) return;
    const std::string after = rest_.substr(kHeader + looked_at);
    if (const auto seen = size_of_vp9(std::string_view(rest_).substr(kHeader, looked_at)))
      add_shape(shapes_, {*seen, *seen});
    rest_.clear();
    skip_ = size - looked_at;
    if (!after.empty()) read(after);  // a frame shorter than what is looked at
  }
}

void ShapeReader::read(std::string_view text) {
  rest_ += text;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
    line(std::string_view(rest_).substr(begin, end - begin));
  rest_.erase(0, begin);
  if (rest_.size() > kLongestShape) rest_.clear();
}

// "720,576,16:15", and perhaps more; "N/A" is a ratio that the file does not have.
void ShapeReader::line(std::string_view text) {
  const auto width = base::take_number<int>(text);
  if (!width || *width < 1 || !text.starts_with(',')) return;
  text.remove_prefix(1);
  const auto height = base::take_number<int>(text);
  if (!height || *height < 1) return;
  double ratio = 1;
  if (text.starts_with(',')) {
    text.remove_prefix(1);
    const auto over = base::take_number<int>(text);
    if (over && *over > 0 && text.starts_with(':')) {
      text.remove_prefix(1);
      const auto under = base::take_number<int>(text);
      if (under && *under > 0) ratio = static_cast<double>(*over) / *under;
    }
  }
  const double wide = std::clamp(*width * ratio, 1.0, static_cast<double>(kLongestSide));
  add_shape(shapes_, {{*width, *height}, {static_cast<int>(std::lround(wide)), *height}});
}

std::optional<Letterbox> letterbox(const std::vector<Shape>& shapes, int longest) {
  const auto pixels = [](media::Dimensions size) {
    return static_cast<std::int64_t>(size.width) * size.height;
  };
  std::vector<Shape> fit;
  std::ranges::copy_if(shapes, std::back_inserter(fit), [&](const Shape& shape) {
    return std::max(shape.seen.width, shape.seen.height) <= longest &&
           std::max(shape.coded.width, shape.coded.height) <= longest;
  });
  if (fit.size() < 2) return std::nullopt;
  const auto largest =
      std::ranges::max_element(fit, {}, [&](const Shape& shape) { return pixels(shape.seen); });
  return Letterbox{largest->seen, std::ranges::any_of(fit, [&](const Shape& shape) {
                     return shape.coded != fit.front().coded;
                   })};
}

}  // namespace svc::ingest
