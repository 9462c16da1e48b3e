// Commit: one change of an account in the catalog: its records, its numbers and lists, what its
// index has of them, and jobs about its files. Redis applies all of it or nothing, as one function
// (commit.lua), which is one transaction of a replica or of the append-only file.
//
// A writer reads records, decides, and gives each that it depends on as it was read. If another
// writer was faster, nothing is written, and the writer begins again. No step depends on a clock.
// A commit may be sent twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/account.h"
#include "media/media.h"
#include "media/uploads.h"
#include "redis/function.h"
#include "redis/store.h"
#include "stores/catalog/indexed_fields.h"
#include "stores/catalog/ingest_job.h"

namespace svc::stores {

class Commit {
 public:
  // The most that one function call may have, which then takes some milliseconds.
  static constexpr std::size_t kMostRecords = 256;
  static constexpr std::size_t kMostBytes = 1 << 20;

  explicit Commit(media::AccountId account) : account_(account) {}

  // Records, by their keys. An empty text: there is none.
  void must_be(std::string key, std::string_view text);
  void must_exist(std::string key);
  void change(std::string key, std::string_view before, std::string_view after);
  // Whatever it is.
  void erase(std::string key);
  void put(std::string key, std::string_view text);
  // From a sorted set.
  void remove_from(std::string key, std::string_view member);

  // What lists have of a record before and after; nullopt: nothing. Counts it.
  void note(const IndexedRecord& record, const std::optional<IndexedFields>& was,
            const std::optional<IndexedFields>& now);
  // A number of the account (count_of()). `most`: it may not be above that if it grows.
  void add(const std::string& field, std::int64_t difference,
           std::optional<std::int64_t> most = std::nullopt);
  void must_have_none(const std::string& field);

  // The lists of uploads. nullopt: not in the list. `since`: seconds since 1970.
  void list_upload(const media::HashedId& id, std::optional<std::int64_t> since);
  void list_failed(const media::HashedId& id, std::optional<std::int64_t> since);
  // Bytes that limits count, whose sums are numbers of the account; 0: none.
  enum class Weight : std::uint8_t { LargeRecord, Files, Captions };
  void weigh(Weight weight, const media::HashedId& id, std::uint64_t bytes);
  // The sum may not be above that if the commit makes it larger.
  void limit(Weight weight, std::uint64_t most);

  // Texts of captions (caption_texts.h). must_be_staged(): or another writer has changed them.
  // keep_texts() deletes those that the record does not name, and weighs those that it names.
  // move_texts(): those of a media that ends with this commit become those of another one, which
  // loses its own.
  void must_be_staged(const media::HashedId& id, std::string_view version);
  void keep_texts(const media::Media& media);
  void move_texts(const media::HashedId& from, const media::HashedId& to);
  // The upload of this commit has this place, and its limits.
  void take_place(const media::UploadPlace& place);

  void add_job(const IngestJob& job);
  void add_job(const FilesJob& job);

  bool is_full() const { return records_.size() >= kMostRecords || bytes_ >= kMostBytes; }
  bool is_empty() const { return words_.empty() && numbers_.empty(); }

  enum class Outcome : std::uint8_t {
    Done,
    Changed,  // a record is not as it was read
    Gone,     // a record does not exist
    Full,     // a number would be above its limit: full()
    InUse     // a number is not 0
  };
  // Whether it may be written while the memory of Redis is full.
  enum class Size : std::uint8_t { More, Less };
  // Throws base::Unavailable: it may have been applied then; or it adds a record to an account that
  // ends (account_end.h).
  loop::Task<Outcome> run(redis::Store& store, Size size = Size::More,
                          redis::Durability durability = redis::Durability::Replicated);
  // The number, weight or list that is full, and what it has, after Full.
  struct FullOf {
    std::string field;
    std::int64_t has = 0;
  };
  const FullOf& full() const { return full_; }
  // Of "<field> <has>".
  static FullOf full_of(std::string_view text);

 private:
  std::size_t number_of(std::string key);
  void step(std::vector<redis::Argument> words);
  loop::Task<std::string> send(redis::Store& store, Size size, redis::Durability durability);

  struct Number {
    std::int64_t difference = 0;
    std::optional<std::int64_t> most{};
  };

  const media::AccountId account_;
  std::map<std::string, Number> numbers_;
  std::vector<redis::Argument> records_;  // keys
  std::vector<redis::Argument> words_;
  std::size_t bytes_ = 0;
  FullOf full_;
};

}  // namespace svc::stores
