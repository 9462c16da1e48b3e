// SiteRules in Redis: the records of accounts, with the rules that a worker has read. A rule is
// used again while the invalidation connection says that its record has not changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "cache/invalidation_feed.h"
#include "media/site_rules.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class SiteRules : public media::SiteRules, public cache::InvalidationListener {
 public:
  // Without contact to the store for this long, a rule is read again. Twice the interval of the
  // connection's PING.
  static constexpr base::Duration kMostSilence = std::chrono::seconds(2);
  static constexpr std::size_t kMost = 10'000;  // rules

  // All references outlive it.
  SiteRules(redis::Store& store, const cache::InvalidationFeed& feed, const base::Clock& clock)
      : store_(store), feed_(feed), clock_(clock) {}

  loop::Task<media::SiteRule> of_account(media::AccountId id, media::Reads& reads) override;
  loop::Task<std::optional<media::Owner>> owner_of(media::AccountId id,
                                                   media::Reads& reads) override;

  void invalidated(std::string_view key) override;
  void all_invalidated() override { forget_all(); }
  void feed_began() override { forget_all(); }

 private:
  bool hears() const {
    return feed_.is_up() && clock_.now() - feed_.received_until() <= kMostSilence;
  }
  void forget_all();

  redis::Store& store_;
  const cache::InvalidationFeed& feed_;
  const base::Clock& clock_;
  text::json::Document document_;  // scratch space, not in use across a co_await
  std::unordered_map<std::int64_t, media::SiteRule> rules_;
  std::uint64_t changes_ = 0;  // of records of accounts
};

}  // namespace svc::stores
