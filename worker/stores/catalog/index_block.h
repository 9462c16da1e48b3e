// index_block: a sorted run of entries as one value of Redis. stores/catalog/index_set.h is
// made of these.
//
// Header: a version, which is a hash of the rest, in 8 bytes; the number of entries in 4; the
// bytes of the body before its compression in 4; all little-endian. Then the body, compressed by
// Zstandard (RFC 8878): the first key of the next block, and the entries, each key without the
// beginning that it shares with the previous key.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::stores {

struct IndexEntry {
  std::string key;
  std::string value;
  bool operator==(const IndexEntry&) const = default;
};

struct IndexBlock {
  std::vector<IndexEntry> entries;  // sorted by key; no key twice
  // Where the next block begins: a reader whose directory is older than a split notices. Empty:
  // this block is the last.
  std::string end;
  bool operator==(const IndexBlock&) const = default;
};

inline constexpr std::size_t kBlockVersionBytes = 8;
inline constexpr std::size_t kBlockCountBytes = 4;  // after the version

std::string to_text(const IndexBlock& block);
// Returns nullopt if the text is not a block.
std::optional<IndexBlock> block_of(std::string_view text);

// Returns the version in a block's text; "" if the text is empty.
std::string_view block_version(std::string_view text);
// Returns the number in the kBlockCountBytes after the version; 0 if there are not as many.
std::size_t block_count(std::string_view bytes);

// Returns the entries in runs, each of which fits into a block: the whole if it does, otherwise
// parts that leave room for more.
std::vector<std::span<const IndexEntry>> split_for_blocks(std::span<const IndexEntry> entries);

// Returns the shortest text that is not before `key` and after `before`: where a block begins.
// `before` < `key`.
std::string_view shortest_between(std::string_view before, std::string_view key);

}  // namespace svc::stores
