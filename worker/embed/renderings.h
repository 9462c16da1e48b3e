// Renderings: a cache for all workers, with finished renderings and manifests
// of media and the playlist data that responses depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "embed/media_url.h"
#include "loop/task.h"
#include "media/id.h"
#include "media/reads.h"

namespace svc::embed {

struct EmbedRequest;
enum class Format;

class Renderings {
 public:
  virtual ~Renderings() = default;

  struct Found {
    std::string text;
    std::int64_t account = 0;  // owner of the media; 0: not stored
  };

  // The result of a find(), and the data for the keep() after it.
  struct Search {
    std::optional<Found> found;   // nullopt: no rendering, or it may be stale
    std::int64_t began = 0;       // ms since 1970
    std::size_t read_before = 0;  // number of records in `reads` at that time
  };

  // Returns false if nothing of that kind can be found at the moment: then skip
  // find() and keep().
  virtual bool usable(MediaKind kind) const = 0;
  // Adds the keys that the rendering depends on to `reads`. Never throws.
  virtual loop::Task<Search> find(const media::HashedId& id, std::string_view variant,
                                  media::Reads& reads) = 0;
  // Stores a rendering that find() did not return. It depends on all records
  // that were read since. Never waits, never throws.
  virtual void keep(const media::HashedId& id, std::string_view variant, const Search& search,
                    const Found& rendering, const media::Reads& reads) = 0;
};

// Returns the name of a rendering among those of its media: equal for requests
// that compare equal. Does not include the callback. A name longer than
// kLongestVariant is not cached.
std::string variant_of(Format format, const EmbedRequest& request);
constexpr std::size_t kLongestVariant = 200;
constexpr std::string_view kManifestVariant = "manifest";
// For a playlist: the data for its embed codes and pages, and the data for its
// player.
constexpr std::string_view kPlaylistVariant = "playlist";
constexpr std::string_view kPlayerDataVariant = "player_data";
// The text of both variants if the playlist exists but lacks videos.
constexpr std::string_view kNoVideo = R"({"no_video":true})";

}  // namespace svc::embed
