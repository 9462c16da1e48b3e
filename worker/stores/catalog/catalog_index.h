// CatalogIndex: the media and projects of an account in the order of their creation, change and
// name, for lists.
//
// A writer adds a note before and after it writes a record (stores/catalog/change_note.h). A reader
// first updates the entries of noted records from the present records. So a writer needs neither a
// script nor the former record, and a crash at any point leaves a note. A list reads the records of
// its entries. If an entry differs from its record, the reader corrects the entry.
//
// All throw base::Unavailable.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/pieces.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/listings.h"
#include "media/media.h"
#include "redis/store.h"
#include "stores/catalog/change_note.h"
#include "stores/catalog/index_set.h"
#include "text/json.h"

namespace svc::stores {

// The fields of a record that the index stores.
struct IndexedFields {
  std::string id;
  std::string created;  // as sortable_time() returns it
  std::string updated;
  std::string name;
  std::string project;                          // a media's; empty: none
  std::string type;                             // a media's
  media::Status status = media::Status::Ready;  // a media's
  bool operator==(const IndexedFields&) const = default;
};
IndexedFields indexed_fields(const media::Media& media);
IndexedFields indexed_fields(const media::Project& project);

// The place of an entry.
struct IndexPlace {
  std::string set;
  std::string key;
  bool operator==(const IndexPlace&) const = default;
};

class CatalogIndex : public media::Listings {
 public:
  // An unconfirmed note is kept for this time: its record may be written later.
  static constexpr std::chrono::seconds kWriting{60};
  // The maximum number of records that a reader updates.
  static constexpr std::size_t kNotesPerRead = 2000;

  // With `pieces`, long lists and searches let other requests run. Both outlive it.
  explicit CatalogIndex(redis::Store& store, loop::Pieces* pieces = nullptr)
      : store_(store), pieces_(pieces) {}

  loop::Task<std::vector<media::Media>> medias(media::AccountId account,
                                               media::MediaQuery query) override;
  loop::Task<media::FoundMedias> search(media::AccountId account,
                                        media::MediaSearch query) override;
  loop::Task<std::vector<media::ListedMedia>> listed(media::AccountId account,
                                                     media::ProjectId project, std::string after,
                                                     std::size_t count) override;
  loop::Task<std::vector<media::Project>> projects(media::AccountId account,
                                                   media::ListOrder order) override;
  loop::Task<std::vector<media::NamedProject>> named_projects(media::AccountId account,
                                                              std::size_t count) override;
  loop::Task<media::CatalogCounts> counts(media::AccountId account,
                                          std::optional<media::ProjectId> project) override;
  loop::Task<std::int64_t> count_exactly(media::AccountId account,
                                         media::ProjectId project) override;
  std::string place_of(const media::Media& media) const override;
  bool is_place(const std::string& text) const override;

  // Updates the entries of at most `most` noted records. Returns the number of notes that it read.
  loop::Task<std::size_t> update(media::AccountId account, std::size_t most = kNotesPerRead);

  // A record that was written with a confirmed note of this time.
  struct Written {
    IndexedFields now;
    std::int64_t noted = 0;
  };
  // Updates the entries of many records without reading the records. Skips a record if its note was
  // replaced or removed since.
  loop::Task<> update(media::AccountId account, Indexed kind, std::vector<Written> written);

  // Returns the indexed fields of at most `most` records, in the order of their ids, after the id
  // `after`.
  loop::Task<std::vector<IndexedFields>> indexed(media::AccountId account, Indexed kind,
                                                 std::string after, std::size_t most);
  // Returns the first set or count of the account that differs from the fields of indexed(); "" if
  // all are equal.
  loop::Task<std::string> disagreement(media::AccountId account);

 private:
  // A record whose entries are to be updated.
  struct Subject {
    ChangedRecord record;
    std::int64_t score = 0;              // its note's; 0: the note is missing or stays
    std::optional<IndexedFields> now{};  // nullopt: there is no such record
    std::vector<IndexPlace> wrong{};     // entries that a reader found, and that are not its
  };
  template <class Record>
  struct Page {
    std::vector<Record> records;
    std::vector<Subject> wrong;           // records with entries that are not theirs
    bool is_whole = false;                // the page reaches the end of the range
    std::string last;                     // key of the last entry
    std::vector<std::string> unreadable;  // ids
  };

  // After work on so many entries.
  loop::Task<> pause(std::size_t entries);
  loop::Task<> update_if_room(media::AccountId account);
  // The two ways of search(): all media by their states, or the next names.
  loop::Task<media::FoundMedias> search_all(media::AccountId account,
                                            const media::MediaSearch& query);
  loop::Task<media::FoundMedias> search_names(media::AccountId account,
                                              const media::MediaSearch& query);
  loop::Task<std::vector<media::Media>> medias_of(media::AccountId account,
                                                  const std::vector<std::string>& ids);
  loop::Task<std::vector<Subject>> noted(media::AccountId account, std::size_t most);
  loop::Task<> update_subjects(media::AccountId account, std::vector<Subject> subjects);
  loop::Task<bool> try_update(media::AccountId account, const std::vector<Subject>& subjects,
                              bool only_noted = false);
  loop::Task<std::vector<std::string>> foreign_of(std::vector<std::string> missing);
  loop::Task<std::vector<Subject>> read_now(media::AccountId account,
                                            std::vector<Subject> subjects);
  template <class Record>
  loop::Task<Page<Record>> read_page(media::AccountId account, media::SortBy by,
                                     std::string project, IndexRange range);
  template <class Record, class Wanted>
  loop::Task<std::vector<Record>> list(media::AccountId account, media::ListOrder order,
                                       std::string project, IndexRange range, Wanted wanted,
                                       std::vector<std::string>* unreadable = nullptr);
  // One of a list of records that were asked for. Neither: it does not exist.
  template <class Record>
  struct Read {
    std::optional<Record> record{};
    bool is_unreadable = false;
  };
  template <class Record>
  loop::Task<std::vector<Read<Record>>> records(const std::vector<std::string>& ids);

  redis::Store& store_;
  loop::Pieces* const pieces_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

// Collects written records and updates the index for many of them together, because one write of a
// block then serves several entries. After an interruption the notes of the rest remain.
class IndexLoad {
 public:
  explicit IndexLoad(CatalogIndex& index) : index_(index) {}

  void add(media::AccountId account, Indexed kind, IndexedFields now, std::int64_t noted);
  // Updates the index if many records are collected (about 200 bytes each), or if `all`.
  loop::Task<> flush(bool all);

 private:
  using Kinds = std::map<Indexed, std::vector<CatalogIndex::Written>>;

  CatalogIndex& index_;
  std::map<std::int64_t, Kinds> waiting_;  // by account
  std::size_t records_ = 0;
};

// Returns whether the index of the account has the record, without reading the record.
loop::Task<bool> is_indexed(redis::Store& store, media::AccountId account, ChangedRecord record);

// A time in the order of texts. Unreadable times are before all others.
std::string sortable_time(std::string_view rfc3339);

}  // namespace svc::stores
