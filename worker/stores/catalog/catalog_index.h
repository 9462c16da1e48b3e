// CatalogIndex: the media and projects of an account in the order of their creation, change and
// name, for lists: the blocks of its index (index_set.h), with the notes of what changed since
// (unindexed.h).
//
// A list reads the records of its entries, and leaves out what is not, or not any more, what its
// entry says.
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
#include "stores/catalog/index_set.h"
#include "stores/catalog/indexed_fields.h"
#include "stores/catalog/unindexed.h"
#include "text/json.h"

namespace svc::stores {

class CatalogIndex : public media::Listings {
 public:
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
  std::string place_of(const media::Media& media) const override;
  bool is_place(const std::string& text) const override;

  // Returns the indexed fields of at most `most` records, in the order of their ids, after the id
  // `after`.
  loop::Task<std::vector<IndexedFields>> indexed(media::AccountId account, Indexed kind,
                                                 std::string after, std::size_t most);
  // Returns the first set or count of the account that differs from the fields of indexed(); "" if
  // all are equal.
  loop::Task<std::string> disagreement(media::AccountId account);

 private:
  template <class Record>
  struct Page {
    std::vector<Record> records;
    bool is_current = true;               // each record is what its entry says
    bool is_whole = false;                // the page reaches the end of the range
    std::string last;                     // key of the last entry
    std::vector<std::string> unreadable;  // ids
  };

  // After work on so many entries.
  loop::Task<> pause(std::size_t entries);
  // Reads the notes of the account. If there are many, they are put into the index first.
  loop::Task<Unindexed> notes_of(media::AccountId account);
  // The two ways of search(): all media by their states, or the next names.
  loop::Task<media::FoundMedias> search_all(media::AccountId account,
                                            const media::MediaSearch& query);
  loop::Task<media::FoundMedias> search_names(media::AccountId account,
                                              const media::MediaSearch& query);
  loop::Task<std::vector<media::Media>> medias_of(media::AccountId account,
                                                  const std::vector<std::string>& ids);
  loop::Task<std::vector<std::string>> foreign_of(std::vector<std::string> missing);
  template <class Record>
  loop::Task<Page<Record>> read_page(media::AccountId account, const Unindexed& notes,
                                     media::SortBy by, std::string project, IndexRange range);
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

}  // namespace svc::stores
