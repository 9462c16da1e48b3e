#include "cache/response_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::cache {

const CachedResponse* ResponseTable::find(std::uint64_t hash, std::string_view path,
                                          std::string_view query) {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return nullptr;
  Entry& entry = entries_[found->second];
  if (!entry.cached->answers(path, query)) return nullptr;
  entry.asked = true;
  return entry.cached.get();
}

bool ResponseTable::put(CachedResponse cached) {
  drop(cached.hash);
  const std::size_t bytes = cached.bytes();
  if (!make_room(cached.hash, bytes)) {
    ++rejected_;
    return false;
  }
  Number number = 0;
  if (free_.empty()) {
    number = static_cast<Number>(entries_.size());
    entries_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  by_hash_[cached.hash] = number;
  for (const std::uint64_t key : cached.made_from) by_key_.emplace(key, number);
  entries_[number] = {std::make_unique<CachedResponse>(std::move(cached)), bytes, false};
  bytes_ += bytes;
  return true;
}

// Chooses all victims first, and evicts only if they free enough space.
bool ResponseTable::make_room(std::uint64_t hash, std::size_t bytes) {
  if (bytes > most_bytes_ || most_entries_ == 0) return false;
  std::vector<Number> going;
  std::size_t freed = 0;
  const unsigned wanted = judge_ == nullptr ? 0 : judge_->estimate(hash);
  const auto enough = [&] {
    return bytes_ - freed + bytes <= most_bytes_ && entries() - going.size() < most_entries_;
  };
  // At most two passes: the first clears the reference bits.
  for (std::size_t steps = 0; !enough() && steps < entries_.size() * 2; ++steps) {
    const auto number = static_cast<Number>(hand_);
    hand_ = (hand_ + 1) % entries_.size();
    Entry& entry = entries_[number];
    if (!entry.cached || std::exchange(entry.asked, false)) continue;
    if (std::find(going.begin(), going.end(), number) != going.end()) continue;
    if (judge_ != nullptr && judge_->estimate(entry.cached->hash) >= wanted) return false;
    going.push_back(number);
    freed += entry.bytes;
  }
  if (!enough()) return false;
  remove(going);
  evicted_ += going.size();
  return true;
}

// Many responses of a playlist depend on the same thousand keys and are deleted
// together. So remove all of them from a key's list in one pass, instead of
// searching the list for each.
void ResponseTable::remove(const std::vector<Number>& numbers) {
  for (const Number number : numbers) entries_[number].goes = true;
  for (const Number number : numbers) {
    for (const std::uint64_t key : entries_[number].cached->made_from) {
      auto [at, end] = by_key_.equal_range(key);
      while (at != end) at = entries_[at->second].goes ? by_key_.erase(at) : std::next(at);
    }
  }
  for (const Number number : numbers) {
    Entry& entry = entries_[number];
    by_hash_.erase(entry.cached->hash);
    bytes_ -= entry.bytes;
    entry = {};
    free_.push_back(number);
  }
}

std::size_t ResponseTable::drop_made_from(std::uint64_t key) {
  std::vector<Number> numbers;
  for (auto [at, end] = by_key_.equal_range(key); at != end; ++at) numbers.push_back(at->second);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  remove(numbers);
  return numbers.size();
}

void ResponseTable::drop(std::uint64_t hash) {
  if (const auto found = by_hash_.find(hash); found != by_hash_.end()) remove({found->second});
}

void ResponseTable::clear() {
  entries_.clear();
  free_.clear();
  by_hash_.clear();
  by_key_.clear();
  hand_ = 0;
  bytes_ = 0;
}

}  // namespace svc::cache
