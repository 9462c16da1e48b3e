// Renderings: where finished renderings and manifests of media, and what the answers of a playlist
// are made from, are kept for all workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "embed/embed_request.h"
#include "embed/media_url.h"
#include "embed/rendering.h"
#include "media/id.h"

namespace svc::embed {

class Renderings {
 public:
  virtual ~Renderings() = default;

  struct Found {
    std::string text;
    std::int64_t account = 0;  // whose media it is; 0 where that was not said
  };

  // False where nothing of that kind can be found now: then the rest is not worth its trouble.
  virtual bool usable(MediaKind kind) const = 0;
  // Says that a find of the same is about to follow, so that several share one trip.
  virtual void expect(const media::HashedId&, std::string_view /*variant*/) {}
  // Nothing when there is none that is known to be true. Never throws.
  virtual std::optional<Found> find(const media::HashedId& id, std::string_view variant) = 0;
  // Behind a find of the same in vain. It depends on all records of the catalog that were read in
  // between. May be left out; never throws.
  virtual void keep(const media::HashedId& id, std::string_view variant,
                    const Found& rendering) = 0;
};

// Which of a media's renderings that is: the same for all requests that compare equal, and never
// with a callback in it. Longer than `kLongestVariant`, it is not worth to be kept.
std::string variant_of(Format format, const EmbedRequest& request);
constexpr std::size_t kLongestVariant = 200;
constexpr std::string_view kManifestVariant = "manifest";
// Of a playlist: what its embed codes and pages need of it, and what its player needs.
constexpr std::string_view kPlaylistVariant = "playlist";
constexpr std::string_view kPlayerDataVariant = "player_data";
// The text of either variant if the playlist exists and has no video.
constexpr std::string_view kNoVideo = R"({"no_video":true})";

}  // namespace svc::embed
