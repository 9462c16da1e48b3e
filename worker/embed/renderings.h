// Renderings: where finished renderings and manifests of media, and what the answers of a playlist
// are made from, are kept for all workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "embed/embed_request.h"
#include "embed/media_url.h"
#include "embed/rendering.h"
#include "loop/task.h"
#include "media/id.h"
#include "media/reads.h"

namespace svc::embed {

class Renderings {
 public:
  virtual ~Renderings() = default;

  struct Found {
    std::string text;
    std::int64_t account = 0;  // whose media it is; 0 where that was not said
  };

  // What a find saw, for the keep() behind it.
  struct Search {
    std::optional<Found> found;   // nothing when there is none that is known to be true
    std::int64_t began = 0;       // ms since 1970
    std::size_t read_before = 0;  // number of records in `reads` then
  };

  // False where nothing of that kind can be found now: then the rest is not worth its trouble.
  virtual bool usable(MediaKind kind) const = 0;
  // Notes in `reads` what the rendering was made from. Never throws.
  virtual loop::Task<Search> find(const media::HashedId& id, std::string_view variant,
                                  media::Reads& reads) = 0;
  // Behind a search in vain. It depends on all records that were read since. Never waits, never
  // throws.
  virtual void keep(const media::HashedId& id, std::string_view variant, const Search& search,
                    const Found& rendering, const media::Reads& reads) = 0;
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
