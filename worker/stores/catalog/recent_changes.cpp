#include "stores/catalog/recent_changes.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace svc::stores {
namespace {

std::size_t hash_of(std::string_view key) { return std::hash<std::string_view>()(key); }

}  // namespace

void RecentChanges::note(std::string_view key, std::int64_t now) {
  const auto [found, is_new] = by_hash_.try_emplace(hash_of(key));
  if (is_new) {
    found->second = changes_.insert(changes_.end(), {found->first, now});
  } else {
    found->second->at = now;
    changes_.splice(changes_.end(), changes_, found->second);
  }
  while (changes_.size() > most_keys_ || changes_.front().at < now - lifetime_) forget_oldest();
}

void RecentChanges::forget_oldest() {
  const Change& oldest = changes_.front();
  all_at_ = std::max(all_at_, oldest.at);
  by_hash_.erase(oldest.hash);
  changes_.pop_front();
}

void RecentChanges::note_all(std::int64_t now) {
  changes_.clear();
  by_hash_.clear();
  all_at_ = now;
}

std::int64_t RecentChanges::last(std::string_view key) const {
  const auto found = by_hash_.find(hash_of(key));
  return found == by_hash_.end() ? all_at_ : std::max(all_at_, found->second->at);
}

}  // namespace svc::stores
