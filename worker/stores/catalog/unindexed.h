// unindexed: records that changed since the index of their account was written. Each commit notes
// what lists had of a record and what they have now (commit.lua); readers merge these notes into
// what they read, and put them into the index if there are many. So a list is exact, and no reader
// reads a record to find out.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"
#include "stores/catalog/index_set.h"
#include "stores/catalog/indexed_fields.h"

namespace svc::stores {

class Unindexed {
 public:
  // A reader that finds more puts them into the index.
  static constexpr std::size_t kMostMerged = 500;

  struct Note {
    std::vector<IndexedFields> was{};  // what the blocks of the index have, or may have
    std::optional<IndexedFields> now{};
  };

  // How notes were found.
  enum class State : std::uint8_t {
    Read,
    Many,        // more than kMostMerged: none was read
    Unconverted  // the index is of an earlier version (build_index())
  };
  // Reads the notes of an account.
  loop::Task<State> read(redis::Store& store, media::AccountId account,
                         std::size_t most = kMostMerged);

  // nullptr: the record has none.
  const Note* find(const IndexedRecord& record) const;
  const std::map<IndexedRecord, Note>& all() const { return notes_; }

  // As read_index(), with the notes. What changes during the read may be missing.
  loop::Task<std::vector<IndexEntry>> read_index(redis::Store& store, media::AccountId account,
                                                 IndexRange range) const;

 private:
  struct Changes {
    std::vector<std::string> erased;  // keys that the blocks have
    std::vector<IndexEntry> put;
  };
  Changes changes_in(const IndexRange& range) const;

  std::map<IndexedRecord, Note> notes_;
};

// Puts what is noted of these records into the blocks of the index. Later changes stay
// noted. Throws base::Unavailable.
loop::Task<> write_index(redis::Store& store, media::AccountId account,
                         std::vector<IndexedRecord> records);
// Does so for at most `most` notes, any. Returns how many there were.
loop::Task<std::size_t> write_index(redis::Store& store, media::AccountId account,
                                    std::size_t most);

// Returns what the index has of a record, without reading the record.
loop::Task<std::optional<IndexedFields>> find_indexed(redis::Store& store, media::AccountId account,
                                                      IndexedRecord record);

}  // namespace svc::stores
