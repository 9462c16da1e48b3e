#include "ingest/shapes.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace svc::ingest {
namespace {

constexpr std::size_t kLongestShape = 256;
constexpr int kLongestSide = 1'000'000;  // per side

}  // namespace

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
  const Shape shape{{*width, *height}, {static_cast<int>(std::lround(wide)), *height}};
  if (shapes_.size() < kMostShapes && std::ranges::find(shapes_, shape) == shapes_.end())
    shapes_.push_back(shape);
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
