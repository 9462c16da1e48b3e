// image: uploaded images without the data of their files about place, device
// and author.
//
// Only parts that are on a list stay: those that browsers need to show the
// picture, with its colours and its animation. The bytes are the upload's. They
// are copied, never decompressed; time and memory grow with their size only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace svc::ingest {

inline constexpr std::size_t kMaxImageBytes = 64 << 20;

struct CleanImage {
  std::string bytes;
  // Exif 2.32 §4.6.4, 1 to 8: how the picture has to be turned. 1: as it is, as are
  // all moving pictures.
  int orientation = 1;
  std::string profile;  // parts of `bytes` that define colours; for with_profile()
};

// `ending` is that of Sniffed. Returns nullopt if the file lacks a picture.
// Leaves out the bytes after the picture's end.
std::optional<CleanImage> clean_image(std::string_view ending, std::string_view bytes);

// Returns a clean image with the profile of another one of the same format. The
// profile of a WebP is lost.
std::string with_profile(std::string_view ending, std::string bytes, std::string_view profile);

}  // namespace svc::ingest
