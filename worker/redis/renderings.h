// Renderings in the cache Redis: a hash a media or playlist, a field a variant, so that one
// deletion drops them all. All go together, after a lifetime that differs a little from media to
// media; of variants beyond the cap none is kept.
//
// One is only used by who hears of changes (cache/link), or did until a moment ago: it must have
// been begun a while after the last change, that was heard, of any record that it was made from,
// and after the worker began to hear. So a change of one media of a playlist ends what was made
// from it without a deletion. Cache errors count as misses. A cache that hangs delays a
// request by the channel's timeout, once per retry of its breaker.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/link.h"
#include "embed/media_url.h"
#include "embed/renderings.h"
#include "redis/channel.h"
#include "redis/recent_changes.h"

namespace svc::redis {

struct RenderingSettings {
  bool of_media = false;       // one trip more where it is not found, for what one trip makes
  bool of_playlists = true;    // made from up to a thousand records
  std::int64_t lifetime = 60;  // seconds
  std::int64_t per_media = 50;
  // How long a rendering is used without contact to the state Redis.
  base::Duration unheard = cache::kUnheard;

  bool is_on() const { return of_media || of_playlists; }
};

class Renderings : public embed::Renderings, public cache::Changes {
 public:
  // `configuration` tells apart what differently configured pools make. All outlive it.
  Renderings(Channel& cache, const cache::Link& link, const RenderingSettings& settings,
             std::string_view configuration, const base::Clock& clock);

  bool usable(embed::MediaKind kind) const override {
    return hears() &&
           (kind == embed::MediaKind::Playlist ? settings_.of_playlists : settings_.of_media);
  }
  loop::Task<Search> find(const media::HashedId& id, std::string_view variant,
                          media::Reads& reads) override;
  void keep(const media::HashedId& id, std::string_view variant, const Search& search,
            const Found& rendering, const media::Reads& reads) override;

  void changed(std::string_view key) override;
  void everything_changed() override;
  void heard_from_now_on() override;

 private:
  struct Stored {
    std::string key;
    std::int64_t at = 0;
  };
  std::string field(std::string_view variant) const { return prefix_ + std::string(variant); }
  bool hears() const {
    return settings_.is_on() && link_.is_up() &&
           clock_.now() - link_.heard_until() <= settings_.unheard;
  }
  bool is_true(std::string_view key, std::int64_t begun) const;
  // What was kept as `text`, if it is known to be true; then notes what it was made from.
  std::optional<Found> take_if_true(const media::HashedId& id, std::string_view text,
                                    media::Reads& reads) const;

  Channel& cache_;
  const cache::Link& link_;
  const RenderingSettings settings_;
  const std::string prefix_;
  const base::Clock& clock_;
  // Times are ms since 1970, as other machines have them too.
  // A rendering may depend on a change that was missed before the invalidation connection was up:
  // then all keys count as changed.
  RecentChanges changes_;
  std::vector<Stored> stored_;  // what was kept lately, by the key's hash
};

// Drops all renderings of these media. Throws base::Unavailable.
loop::Task<> drop_renderings(Channel& cache, const std::vector<media::HashedId>& medias);

}  // namespace svc::redis
