// RecentChanges: the time of each key's last change, for recent changes. Its
// memory is bounded: if a change is forgotten, every key counts as changed at
// that time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>
#include <unordered_map>

namespace svc::stores {

class RecentChanges {
 public:
  static constexpr std::size_t kMostKeys = 65'536;

  // Forgets changes more than `lifetime` ms older than the newest one. If more
  // than `most_keys` keys have changed, forgets the oldest ones too.
  explicit RecentChanges(std::int64_t lifetime, std::size_t most_keys = kMostKeys)
      : lifetime_(lifetime), most_keys_(most_keys) {}

  // `now` is in ms since 1970.
  void note(std::string_view key, std::int64_t now);
  // Every key counts as changed at `now`.
  void note_all(std::int64_t now);

  // Returns the time of the key's last change, or a later time; 0 if neither
  // this key nor any forgotten one changed.
  std::int64_t last(std::string_view key) const;

  std::size_t size() const { return changes_.size(); }

 private:
  struct Change {
    std::size_t hash;  // keys with equal hashes count as changed together
    std::int64_t at;
  };
  using Changes = std::list<Change>;

  void forget_oldest();

  const std::int64_t lifetime_;
  const std::size_t most_keys_;
  Changes changes_;  // one per hash, the oldest first
  std::unordered_map<std::size_t, Changes::iterator> by_hash_;
  std::int64_t all_at_ = 0;
};

}  // namespace svc::stores
