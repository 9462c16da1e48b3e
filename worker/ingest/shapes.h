// shapes: the sizes of the pictures of a film, which may change: a phone is turned, television
// switches between 4:3 and 16:9, a call begins small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/media.h"

namespace svc::ingest {

struct Shape {
  media::Dimensions coded;
  media::Dimensions seen;  // with square pixels, before it is turned
  bool operator==(const Shape&) const = default;
};

// Reads what shapes_command() prints.
class ShapeReader {
 public:
  static constexpr std::size_t kMostShapes = 64;

  // In pieces of any size.
  void read(std::string_view text);

  // Those that differ, in their order: at most kMostShapes.
  const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  void line(std::string_view text);

  std::vector<Shape> shapes_;
  std::string rest_;
};

// The same for VP9, whose decoder cannot skip pictures: reads what vp9_key_frames_command() prints,
// frames in IVF, and looks at their headers only.
class Vp9ShapeReader {
 public:
  void read(std::string_view text);
  const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  std::vector<Shape> shapes_;
  std::string rest_;         // of a header that is not whole
  std::uint64_t skip_ = 32;  // bytes, at first the file's header
};

// How a film is shown whose pictures change their shape: each as large as it fits, in the middle of
// the canvas.
struct Letterbox {
  media::Dimensions canvas;         // the largest shape, before it is turned
  bool changes_coded_size = false;  // not only the ratio of its pixels
};

// Returns nullopt if the shape does not change. Shapes that exceed `longest` do not count.
std::optional<Letterbox> letterbox(const std::vector<Shape>& shapes, int longest);

}  // namespace svc::ingest
