// index_set: sorted sets of entries in Redis which take a tenth of the memory of a ZSET, and of
// which a page or a place costs the same however many entries there are. A change of several
// sets of an account is atomic.
//
// A set is a chain of blocks (stores/catalog/index_block.h), and a directory with the key at which
// each begins, but the first. Blocks are split when they grow, and never removed. A block knows
// where the next block begins, so a reader notices a split that is newer than its directory.
//
// All throw base::Unavailable, base::Unreadable for a value that is not a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"
#include "stores/catalog/index_block.h"

namespace svc::stores {

// Which entries of a set to read.
struct IndexRange {
  std::string set{};
  std::string prefix{};  // the beginning of their keys
  bool ascending = true;
  std::string after{};     // in this direction, after this key; empty: from the beginning
  std::size_t offset = 0;  // entries to leave out, of those that are wanted
  std::size_t count = 0;   // at most
  // nullptr: all. Reads blocks until it has found enough.
  std::function<bool(const IndexEntry&)> wanted{};
};

// Reads a range. If the sets change during the read, an entry that is in the set all the time is
// returned exactly once.
loop::Task<std::vector<IndexEntry>> read_index(redis::Store& store, media::AccountId account,
                                               IndexRange range);

// A note of keys::unindexed() whose record the blocks have now (commit.lua).
struct IndexNote {
  std::string member;
  std::string state;
};

// IndexEdit: changes of an account's sets. begin(), load(), then find(), put() and erase(), then
// commit(). An edit with notes also says first what it intends.
class IndexEdit {
 public:
  IndexEdit(redis::Store& store, media::AccountId account) : store_(store), account_(account) {}

  loop::Task<> begin();
  // Notes what is about to be put, before the first step. Returns false if others have written
  // since begin(); then the edit may be made again from the beginning.
  loop::Task<bool> intend(std::vector<IndexNote> notes);
  // Reads the blocks that have or would have these keys.
  loop::Task<> load(std::string set, std::vector<std::string> keys);
  // The next functions need loaded blocks. find() returns nullptr if the entry does not exist.
  const std::string* find(const std::string& set, const std::string& key);
  void put(const std::string& set, const std::string& key, std::string value);
  void erase(const std::string& set, const std::string& key);

  // Together with the entry of this key, a note is taken away, unless it is a later one.
  void settle(const std::string& set, const std::string& key, IndexNote note);

  // Writes everything, in one step unless it is much. Then the sets `last` follow the others, each
  // block with its notes. Returns false if another client changed one of the blocks;
  // then the loaded blocks are out of date, and the edit may be made again from the beginning.
  loop::Task<bool> commit(std::vector<std::string> last);

 private:
  struct Loaded {
    std::string version;  // "": there was no such block
    IndexBlock block;
    std::map<std::string, std::optional<std::string>> changes;  // nullopt: erased
    std::vector<IndexNote> notes;
  };
  using BlockId = std::pair<std::string, std::string>;  // set, where the block begins
  // The changes that one run of the script writes.
  struct Step {
    std::vector<std::string> blocks;                          // keys
    std::vector<std::string> texts;                           // version and text of each
    std::vector<std::pair<std::string, std::string>> begins;  // set, where a new block begins
    std::vector<IndexNote> notes;
    std::size_t bytes = 0;
  };

  loop::Task<std::vector<std::string>> begins_of(std::string set, std::vector<std::string> keys);
  Loaded& block_of_key(const std::string& set, const std::string& key);
  void write(const BlockId& block_id, Loaded& loaded, Step& step) const;
  loop::Task<bool> run(Step step);

  redis::Store& store_;
  const media::AccountId account_;
  std::string epoch_;  // index_set.lua
  base::SystemEntropy entropy_;
  std::map<BlockId, Loaded> blocks_;
};

}  // namespace svc::stores
