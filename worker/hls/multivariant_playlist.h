// MultivariantPlaylist: the manifest that lists a media's variants, RFC 8216 §4.3.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/media.h"

namespace svc::hls {

// One #EXT-X-STREAM-INF and its URI. What is not known is not written.
struct Variant {
  std::int64_t bandwidth = 0;  // bit/s, of the peak segment
  std::optional<std::int64_t> average_bandwidth;
  std::string codecs;  // RFC 6381, empty when unknown
  std::optional<media::Dimensions> resolution;
  std::optional<double> frame_rate;
  std::string uri;  // absolute
};

class MultivariantPlaylist {
 public:
  // The HLS assets of a media, `asset_base` in front of those that are paths. The default variant
  // first (the largest that is at most 960 wide, else the smallest), then by descending bandwidth.
  // Nothing when there is no such asset: a manifest without variants is none.
  static std::optional<MultivariantPlaylist> of(const media::Media& media,
                                                const std::string& asset_base);

  const std::vector<Variant>& variants() const { return variants_; }
  std::string to_text() const;

 private:
  std::vector<Variant> variants_;
};

}  // namespace svc::hls
