// MultivariantPlaylist: the manifest that lists the variants of a media, RFC
// 8216 §4.3.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/media.h"

namespace svc::hls {

// One #EXT-X-MEDIA of TYPE=SUBTITLES, RFC 8216 §4.3.4.1. Neither text contains
// a double quote or a line break: media::media_from_record() refuses them.
struct Subtitles {
  std::string name;      // unique in the playlist
  std::string language;  // BCP 47
  bool by_default = false;
  bool auto_select = false;  // the player may choose it by the viewer's language
  std::string uri;           // absolute
};

// One #EXT-X-STREAM-INF and its URI. Unknown attributes are omitted.
struct Variant {
  std::int64_t bandwidth = 0;  // bit/s, of the peak segment
  std::optional<std::int64_t> average_bandwidth;
  std::string codecs;  // RFC 6381; empty: unknown
  std::optional<media::Dimensions> resolution;
  std::optional<double> frame_rate;
  std::string uri;  // absolute
};

class MultivariantPlaylist {
 public:
  // Lists the HLS assets of a media. Puts `asset_base` in front of URLs that
  // are paths. The first variant is the largest with a width of at most 960
  // pixels, or the smallest if all are wider; the others follow by descending
  // bandwidth. Captions that are segmented become one group of subtitles of all
  // variants. Returns nullopt if the media lacks HLS assets.
  static std::optional<MultivariantPlaylist> of(const media::Media& media,
                                                const std::string& asset_base);

  const std::vector<Variant>& variants() const { return variants_; }
  const std::vector<Subtitles>& subtitles() const { return subtitles_; }
  std::string to_text() const;

 private:
  std::vector<Variant> variants_;
  std::vector<Subtitles> subtitles_;  // in the order of the media's captions
};

}  // namespace svc::hls
