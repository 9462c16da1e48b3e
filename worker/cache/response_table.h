// ResponseTable: cached responses in a worker's memory, limited in bytes and in number.
//
// A full table evicts entries that were not requested since the CLOCK hand last
// passed them. With a Sketch, an entry is admitted only if it is estimated to
// be requested more often than each entry that it would evict. So entries that
// are requested once do not evict hot ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/cached_response.h"
#include "cache/sketch.h"

namespace svc::cache {

class ResponseTable {
 public:
  // `judge` outlives the table. nullptr: every entry is admitted that fits into
  // an empty table.
  ResponseTable(std::size_t most_bytes, std::size_t most_entries, const Sketch* judge)
      : most_bytes_(most_bytes), most_entries_(most_entries), judge_(judge) {}

  // Returns nullptr if no entry matches the request. The pointer is valid
  // until the next call of a function that adds or deletes entries.
  const CachedResponse* find(std::uint64_t hash, std::string_view path, std::string_view query);

  // Adds an entry. Always deletes the former entry with this hash. Returns
  // false if the entry is not admitted: then no other entry is evicted, but
  // some may have lost their CLOCK reference bit.
  bool put(CachedResponse cached);

  // Deletes all entries that depend on that key. Returns their number.
  std::size_t drop_made_from(std::uint64_t key);
  void drop(std::uint64_t hash);
  void clear();

  std::size_t entries() const { return by_hash_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t evicted() const { return evicted_; }
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Entry {
    std::unique_ptr<CachedResponse> cached;
    std::size_t bytes = 0;
    bool asked = false;  // CLOCK reference bit: find() sets it, the hand clears it
    bool goes = false;   // set while remove() runs
  };
  using Number = std::uint32_t;  // index of an entry

  bool make_room(std::uint64_t hash, std::size_t bytes);
  void remove(const std::vector<Number>& numbers);

  const std::size_t most_bytes_;
  const std::size_t most_entries_;
  const Sketch* const judge_;
  std::vector<Entry> entries_;
  std::vector<Number> free_;
  std::unordered_map<std::uint64_t, Number> by_hash_;
  std::unordered_multimap<std::uint64_t, Number> by_key_;
  std::size_t hand_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t evicted_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace svc::cache
