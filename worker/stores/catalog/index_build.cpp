#include "stores/catalog/index_build.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/unavailable.h"
#include "stores/catalog/commit.h"
#include "stores/catalog/commit.lua.h"
#include "stores/catalog/index_places.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

constexpr std::size_t kRecordsPerCommit = 100;
constexpr std::size_t kNotesAtOnce = 500;
constexpr std::size_t kStatesPerRead = 10'000;
constexpr std::size_t kLoadedAtOnce = 100'000;
constexpr int kMostTries = 100;  // while others change the account
constexpr const char* kChangesAllTheTime = "an account changes all the time";

loop::Task<std::vector<IndexedRecord>> noted_before(redis::Store& store, media::AccountId account) {
  const std::string key = keys::changed(account);
  redis::Store::Call call = store.read({"ZRANGE", key, "0", "-1"});
  const redis::Reply reply = co_await call;
  std::vector<IndexedRecord> records;
  for (std::size_t i = 0; i < reply.size(); ++i) {
    if (auto record = parse_indexed_record(reply.at(i).text().value_or("")))
      records.push_back(*std::move(record));
  }
  co_return records;
}

// Notes what the records are now. Returns false if one was changed meanwhile. Leaves out those that
// cannot be read: their entries stay.
loop::Task<bool> note_records(redis::Store& store, media::AccountId account,
                              std::span<const IndexedRecord> records) {
  text::json::Document document;
  Commit commit(account);
  for (const IndexedRecord& record : records) {
    const std::string key = key_of(record);
    std::string text;
    try {
      redis::Store::Call call = store.get(key);
      const redis::Reply reply = co_await RecordRead{call, key};
      text = reply.text().value_or("");
    } catch (const base::Unreadable&) {
      continue;  // it is logged
    }
    std::optional<IndexedFields> now;
    if (!text.empty()) {
      auto found = indexed_in(document, record.kind, text);
      if (!found) {
        log_corrupt_record(key, found.error());
        continue;
      }
      if (found->account == account) now = std::move(found->fields);
    }
    const std::optional<IndexedFields> was = co_await find_indexed(store, account, record);
    if (was == now) continue;
    commit.must_be(key, text);
    commit.note(record, was, now);
  }
  if (commit.is_empty()) co_return true;
  const Commit::Outcome outcome = co_await commit.run(store);
  co_return outcome == Commit::Outcome::Done;
}

}  // namespace

base::Result<IndexedIn, std::string> indexed_in(text::json::Document& document, Indexed kind,
                                                std::string_view record) {
  const auto made = [](const auto& read) -> base::Result<IndexedIn, std::string> {
    if (!read) return base::Refusal{read.error()};
    return IndexedIn{read->account, indexed_fields(*read)};
  };
  return kind == Indexed::Media
             ? made(media::media_from_stored(document, record, media::Detail::All))
             : made(text::parse_record(document, record, media::project_from_record));
}

loop::Task<std::set<std::string>> uploads_of(redis::Store& store, media::AccountId account) {
  const std::string key = keys::ingest_bytes(account);
  redis::Store::Call call = store.read({"ZRANGE", key, "0", "-1"});
  const redis::Reply reply = co_await call;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < reply.size(); ++i) ids.emplace(reply.at(i).text().value_or(""));
  co_return ids;
}

loop::Task<> begin_index(redis::Store& store, media::AccountId account) {
  functions::BeginIndex run{.index = keys::index(account)};
  co_await store.call(std::move(run), redis::Durability::Replicated);
}

loop::Task<> finish_index(redis::Store& store, media::AccountId account) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::size_t noted = 1;
    while (noted > 0) {
      noted = co_await write_index(store, account, kNotesAtOnce);
    }
    const std::string key = keys::index(account);
    redis::Store::Call call = store.read({"HGET", key, "epoch"});
    const redis::Reply epoch = co_await call;
    std::map<std::string, std::int64_t> numbers;
    numbers["numbers"] = functions::kNumbers;
    const std::set<std::string> uploads = co_await uploads_of(store, account);
    for (const Indexed kind : {Indexed::Media, Indexed::Project}) {
      IndexRange range{.set = state_set(kind), .count = kStatesPerRead};
      while (true) {
        const std::vector<IndexEntry> entries = co_await read_index(store, account, range);
        for (const IndexEntry& entry : entries) {
          const IndexedFields fields = fields_of(entry.key, entry.value);
          ++numbers[count_of(kind)];
          if (is_unfinished(fields.status) && uploads.contains(entry.key))
            ++numbers[std::string(kUnfinishedCount)];
          if (!fields.project.empty()) ++numbers[count_of_project(fields.project)];
        }
        if (entries.size() < kStatesPerRead) break;
        range.after = entries.back().key;
      }
    }
    functions::FinishIndex run{.index = key,
                               .notes = keys::unindexed(account),
                               .changed = keys::changed(account),
                               .large = keys::ingest_large(account),
                               .bytes = keys::ingest_bytes(account),
                               .captioned = keys::captioned(account),
                               .epoch = epoch.text().value_or(""),
                               .numbers = {}};
    for (const auto& [field, number] : numbers) {
      run.numbers.emplace_back(field);
      run.numbers.emplace_back(number);
    }
    const redis::Reply reply = co_await store.call(std::move(run), redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
  throw base::Unavailable(kChangesAllTheTime);
}

loop::Task<> build_index(redis::Store& store, media::AccountId account) {
  co_await begin_index(store, account);
  const std::vector<IndexedRecord> records = co_await noted_before(store, account);
  for (std::size_t i = 0; i < records.size(); i += kRecordsPerCommit) {
    const auto batch =
        std::span(records).subspan(i, std::min(kRecordsPerCommit, records.size() - i));
    for (int tries = 0;; ++tries) {
      const bool is_noted = co_await note_records(store, account, batch);
      if (is_noted) break;
      if (tries == kMostTries) throw base::Unavailable(kChangesAllTheTime);
    }
  }
  co_await finish_index(store, account);
}

void IndexLoad::add(media::AccountId account, IndexedRecord record) {
  waiting_[account.value()].push_back(std::move(record));
  ++records_;
}

loop::Task<> IndexLoad::flush(bool all) {
  if (records_ == 0 || (!all && records_ < kLoadedAtOnce)) co_return;
  records_ = 0;
  for (auto& [account, records] : std::exchange(waiting_, {})) {
    const media::AccountId id{account};
    co_await write_index(store_, id, std::move(records));
  }
}

}  // namespace svc::stores
