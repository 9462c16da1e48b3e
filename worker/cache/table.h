// Table: finished answers in a worker's memory, never more than so many bytes and so many of them.
//
// When it is full, what was not asked for lately has to go, going round (CLOCK). With a Sketch to
// judge, whoever wants in must have been asked for more often than each that would have to go: what
// is asked for once, however much of it, pushes out nothing that is hot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/kept.h"
#include "cache/sketch.h"

namespace svc::cache {

class Table {
 public:
  // `judge` may be null: then everybody gets in. It outlives the table.
  Table(std::size_t most_bytes, std::size_t most_entries, const Sketch* judge)
      : most_bytes_(most_bytes), most_entries_(most_entries), judge_(judge) {}

  // nullptr when it is not there. Lives until the next put or drop.
  const Kept* find(std::uint64_t hash, std::string_view path, std::string_view query);

  // In place of what was there for the same request. False, and nothing has gone, when it is not
  // let in.
  bool put(Kept kept);

  // Drops all that was made from that key; says how many.
  std::size_t drop_made_from(std::uint64_t key);
  void drop(std::uint64_t hash);
  void clear();

  std::size_t entries() const { return by_hash_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t evicted() const { return evicted_; }
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Place {
    std::unique_ptr<Kept> kept;
    std::size_t bytes = 0;
    bool asked = false;  // since the hand came by
    bool goes = false;   // in remove()
  };
  using Number = std::uint32_t;  // of a place

  bool make_room(std::uint64_t hash, std::size_t bytes);
  void remove(const std::vector<Number>& numbers);

  const std::size_t most_bytes_;
  const std::size_t most_entries_;
  const Sketch* const judge_;
  std::vector<Place> places_;
  std::vector<Number> free_;
  std::unordered_map<std::uint64_t, Number> by_hash_;
  std::unordered_multimap<std::uint64_t, Number> by_key_;
  std::size_t hand_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t evicted_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace svc::cache
