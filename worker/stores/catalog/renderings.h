// Renderings in the cache Redis: one hash per media or playlist, one field per
// variant, so that a single deletion removes all of them. The hash expires as a
// whole, after half of `lifetime` to all of it. At most `per_media` variants
// are stored.
//
// find() returns a rendering only if all of this holds: this worker's
// invalidation connection is up; its last answered PING is at most `max_silence`
// old; the rendering's build began over 2 s after the last known change of
// every record it depends on, and over 2 s after this worker's subscription. So
// a change of one media also invalidates the renderings of its playlists,
// without a deletion. Cache errors count as misses. A cache that hangs delays a
// request by the store's timeout, once per retry of its breaker.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/invalidation_feed.h"
#include "embed/media_url.h"
#include "embed/renderings.h"
#include "redis/store.h"
#include "stores/catalog/recent_changes.h"

namespace svc::stores {

struct RenderingSettings {
  bool of_media = false;       // a miss costs one more round trip; a build takes one
  bool of_playlists = true;    // a build reads up to 1,000 records
  std::int64_t lifetime = 60;  // seconds
  std::int64_t per_media = 50;
  // How long renderings are used without contact to the state Redis.
  base::Duration max_silence = cache::kMaxSilence;

  bool is_on() const { return of_media || of_playlists; }
};

class Renderings : public embed::Renderings, public cache::InvalidationListener {
 public:
  // Pools with different `configuration` do not share renderings. All
  // references must outlive it.
  Renderings(redis::Store& cache, const cache::InvalidationFeed& feed,
             const RenderingSettings& settings, std::string_view configuration,
             const base::Clock& clock);

  bool usable(embed::MediaKind kind) const override {
    return hears() &&
           (kind == embed::MediaKind::Playlist ? settings_.of_playlists : settings_.of_media);
  }
  loop::Task<Search> find(const media::HashedId& id, std::string_view variant,
                          media::Reads& reads) override;
  void keep(const media::HashedId& id, std::string_view variant, const Search& search,
            const Found& rendering, const media::Reads& reads) override;

  void invalidated(std::string_view key) override;
  void all_invalidated() override;
  void feed_began() override;

 private:
  struct Stored {
    std::string key;
    std::int64_t at = 0;
  };
  std::string field(std::string_view variant) const { return prefix_ + std::string(variant); }
  bool hears() const {
    return settings_.is_on() && feed_.is_up() &&
           clock_.now() - feed_.received_until() <= settings_.max_silence;
  }
  bool is_true(std::string_view key, std::int64_t begun) const;
  // Parses a stored field. Returns nullopt if it is malformed or stale;
  // otherwise adds the records it depends on to `reads`.
  std::optional<Found> take_if_true(const media::HashedId& id, std::string_view text,
                                    media::Reads& reads) const;

  redis::Store& cache_;
  const cache::InvalidationFeed& feed_;
  const RenderingSettings settings_;
  const std::string prefix_;
  const base::Clock& clock_;
  // Times are ms since 1970: workers on several machines compare them. When the
  // invalidation connection is established, all keys count as changed, because
  // earlier changes may have been missed.
  RecentChanges changes_;
  std::vector<Stored> stored_;  // renderings that this worker stored, by the key's hash
};

// Deletes all renderings of these media. Throws base::Unavailable.
loop::Task<> drop_renderings(redis::Store& cache, const std::vector<media::HashedId>& medias);

}  // namespace svc::stores
