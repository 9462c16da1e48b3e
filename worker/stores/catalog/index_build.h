// index_build: makes the index and the numbers of an account right: those of an earlier version,
// and those that svcctl catalog reindex makes again.
//
// While an account is being built, commits note their changes but do not keep its numbers, which
// are counted at the end; a deletion that depends on them waits.
//
// All throw base::Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"
#include "stores/catalog/unindexed.h"
#include "text/json.h"

namespace svc::stores {

// Brings the noted records of an earlier version (keys::changed()) into the index, and counts.
loop::Task<> build_index(redis::Store& store, media::AccountId account);

// The ids of the media with bytes of files: uploads, not imported ones.
loop::Task<std::set<std::string>> uploads_of(redis::Store& store, media::AccountId account);

// The same in parts, for all records of an account whose index was deleted.
loop::Task<> begin_index(redis::Store& store, media::AccountId account);
loop::Task<> finish_index(redis::Store& store, media::AccountId account);

// Returns what lists are to have of a stored record; the refusal says why it cannot be read.
struct IndexedIn {
  media::AccountId account;
  IndexedFields fields;
};
base::Result<IndexedIn, std::string> indexed_in(text::json::Document& document, Indexed kind,
                                                std::string_view record);

// Collects records that were written and noted, and puts many of them together into the index,
// because one write of a block then serves several. After an interruption the notes of the rest
// remain.
class IndexLoad {
 public:
  explicit IndexLoad(redis::Store& store) : store_(store) {}

  void add(media::AccountId account, IndexedRecord record);
  // Writes if many records are collected (about 100 bytes each), or if `all`.
  loop::Task<> flush(bool all);

 private:
  redis::Store& store_;
  std::map<std::int64_t, std::vector<IndexedRecord>> waiting_;  // by account
  std::size_t records_ = 0;
};

}  // namespace svc::stores
