// Renderings in the cache Redis: a hash a media, a field a variant, so that one deletion drops them
// all. All go together, after a lifetime that differs a little from media to media; of variants
// beyond the cap none is kept.
//
// One is only used by who hears of changes (cache/link), or did until a moment ago: it must have
// been begun a while after the last change of its media that was heard, and after the worker began
// to hear. The cache being away costs nothing, and nobody is told.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/link.h"
#include "cache/reads.h"
#include "embed/renderings.h"
#include "redis/connection.h"

namespace svc::redis {

struct RenderingSettings {
  bool on = false;
  std::int64_t lifetime = 60;  // seconds
  std::int64_t per_media = 50;
  // How long one is used while nothing is heard of the store.
  base::Duration unheard = std::chrono::seconds(5);
};

class Renderings : public embed::Renderings, public cache::Changes {
 public:
  // `configuration` tells apart what differently configured pools make. All outlive it.
  Renderings(Connection& cache, const cache::Link& link, cache::Reads& reads,
             const RenderingSettings& settings, std::string_view configuration,
             const base::Clock& clock);

  bool usable() const override {
    return settings_.on && link_.is_up() && clock_.now() - link_.heard_until() <= settings_.unheard;
  }
  void expect(const media::HashedId& id, std::string_view variant) override;
  std::optional<Found> find(const media::HashedId& id, std::string_view variant) override;
  void keep(const media::HashedId& id, std::string_view variant, const Found& rendering) override;

  void changed(std::string_view key) override;
  void everything_changed() override;
  void heard_from_now_on() override;

 private:
  struct Kept {
    std::string key;
    std::int64_t at = 0;
  };
  std::string field(std::string_view variant) const { return prefix_ + std::string(variant); }
  bool is_true(std::string_view media_key, std::int64_t begun) const;

  Connection& cache_;
  const cache::Link& link_;
  cache::Reads& reads_;
  const RenderingSettings settings_;
  const std::string prefix_;
  const base::Clock& clock_;
  // Times are ms since 1970, as other machines have them too.
  std::vector<std::int64_t> changes_;  // when a key was heard to change, by its hash
  std::vector<Kept> kept_;             // what was kept lately, by the key's hash
  std::int64_t asked_at_ = 0;
  // What was begun until then may be from before a change that was not heard.
  std::int64_t unheard_to_ = 0;
};

// Drops all renderings of these media. Throws base::Unavailable.
void drop_renderings(Connection& cache, const std::vector<media::HashedId>& medias);

}  // namespace svc::redis
