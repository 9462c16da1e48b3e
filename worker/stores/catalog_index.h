// CatalogIndex: the media and projects of an account in the order of their creation, change and
// name, for lists.
//
// Whoever writes a record notes it before and after (stores/change_note.h). A reader first brings
// the entries of noted records up to date, from the records as they are then. So a writer needs
// neither a script nor the former record, and wherever a crash ends it, a note is left. An entry
// says what the index has of a record; the record, which every list reads, what is true. If they
// differ, the reader mends the entry.
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

#include "loop/task.h"
#include "media/account.h"
#include "media/listings.h"
#include "media/media.h"
#include "redis/store.h"
#include "stores/change_note.h"
#include "stores/ordered_index.h"
#include "text/json.h"

namespace svc::stores {

// What the index has of a record.
struct IndexedFields {
  std::string id;
  std::string created;  // as sortable_time() returns it
  std::string updated;
  std::string name;
  std::string project;  // of a media; empty: none
  std::string type;     // of a media
  bool operator==(const IndexedFields&) const = default;
};
IndexedFields indexed_fields(const media::Media& media);
IndexedFields indexed_fields(const media::Project& project);

// Where an entry is.
struct IndexPlace {
  std::string set;
  std::string key;
  bool operator==(const IndexPlace&) const = default;
};

class CatalogIndex : public media::Listings {
 public:
  // A note that its writer has not confirmed is kept for this time: the record may follow.
  static constexpr std::chrono::seconds kWriting{60};
  // A reader updates the entries of at most so many records.
  static constexpr std::size_t kNotesPerRead = 2000;

  explicit CatalogIndex(redis::Store& store) : store_(store) {}

  loop::Task<std::vector<media::Media>> medias(media::AccountId account,
                                               media::MediaQuery query) override;
  loop::Task<std::vector<media::Project>> projects(media::AccountId account,
                                                   media::ListOrder order) override;
  loop::Task<media::CatalogCounts> counts(media::AccountId account,
                                          std::optional<media::ProjectId> project) override;
  std::string place_of(const media::Media& media) const override;
  bool is_place(const std::string& text) const override;

  // Updates the entries of noted records, of at most `most`. Returns how many notes there were.
  loop::Task<std::size_t> update(media::AccountId account, std::size_t most = kNotesPerRead);

  // A record that was written with a confirmed note of this time.
  struct Written {
    IndexedFields now;
    std::int64_t noted = 0;
  };
  // Updates the entries of many records at once, without reading the records. Leaves out those that
  // another client has noted since, or brought up to date.
  loop::Task<> update(media::AccountId account, Indexed kind, std::vector<Written> written);

  // What the index has of the account's records, in the order of their ids: at most `most`, behind
  // this id.
  loop::Task<std::vector<IndexedFields>> indexed(media::AccountId account, Indexed kind,
                                                 std::string after, std::size_t most);
  // Returns the first set or count of the account that does not agree with what indexed() returns
  // of both kinds; "" if all do.
  loop::Task<std::string> disagreement(media::AccountId account);

 private:
  // A record whose entries are to be updated.
  struct Subject {
    ChangedRecord record;
    std::int64_t score = 0;              // of its note; 0: there is none, or it stays
    std::optional<IndexedFields> now{};  // nullopt: there is no such record
    std::vector<IndexPlace> wrong{};     // entries that a reader found, and that are not its
  };
  template <class Record>
  struct Page {
    std::vector<Record> records;
    std::vector<Subject> wrong;  // records with entries that are not theirs
    bool is_whole = false;       // the range has no more entries
    std::string last;            // key of the last entry
  };

  loop::Task<std::vector<Subject>> noted(media::AccountId account, std::size_t most);
  loop::Task<> update_subjects(media::AccountId account, std::vector<Subject> subjects);
  loop::Task<bool> try_update(media::AccountId account, const std::vector<Subject>& subjects,
                              bool only_noted = false);
  loop::Task<std::vector<Subject>> read_now(media::AccountId account,
                                            std::vector<Subject> subjects);
  template <class Record>
  loop::Task<Page<Record>> read_page(media::AccountId account, media::SortBy by,
                                     std::string project, IndexRange range);
  template <class Record, class Wanted>
  loop::Task<std::vector<Record>> list(media::AccountId account, media::ListOrder order,
                                       std::string project, IndexRange range, Wanted wanted);
  template <class Record>
  loop::Task<std::vector<std::optional<Record>>> records(const std::vector<std::string>& ids);

  redis::Store& store_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

// Collects records that are written, and updates the index for many of them at once: an entry costs
// less if its block is written for several. What is not reached has its note.
class IndexLoad {
 public:
  explicit IndexLoad(CatalogIndex& index) : index_(index) {}

  void add(media::AccountId account, Indexed kind, IndexedFields now, std::int64_t noted);
  // Updates the index if many records wait, some 200 bytes each, or `all`.
  loop::Task<> flush(bool all);

 private:
  using Kinds = std::map<Indexed, std::vector<CatalogIndex::Written>>;

  CatalogIndex& index_;
  std::map<std::int64_t, Kinds> waiting_;  // by account
  std::size_t records_ = 0;
};

// A time in the order of texts. Unreadable times are before all others.
std::string sortable_time(std::string_view rfc3339);

}  // namespace svc::stores
