// sniff: the kind of a file, by its first bytes. Neither its name nor the media
// type that a client sent counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "media/media.h"

namespace svc::ingest {

enum class Kind {
  Unknown,  // perhaps audio or video: ffprobe decides
  Image,
  Pdf,
  Refused,  // text, markup, an archive, a program, another image: never given to ffprobe
};

struct Sniffed {
  Kind kind = Kind::Unknown;
  std::string ending;                     // for an image or a PDF, without a dot
  std::optional<media::Dimensions> size;  // for an image, if its header is in the given bytes
  std::string reason;                     // why the file is refused, for the user
};

inline constexpr std::size_t kSniffedBytes = 1 << 20;

// `head` is the first kSniffedBytes of the file, or all of it.
Sniffed sniff(std::string_view head);

}  // namespace svc::ingest
