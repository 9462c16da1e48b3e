#include "stores/catalog/unindexed.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "stores/catalog/commit.lua.h"
#include "stores/catalog/index_places.h"
#include "stores/catalog/index_set.lua.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::size_t kNotesPerCall = 200;
// Before an intended state, with its epoch (index_set.lua).
constexpr char kIntent = '\x02';
constexpr std::size_t kTag = 1 + functions::kNoEpoch.size();
constexpr int kMostTries = 100;  // for a write that others interfere with

std::optional<IndexedFields> fields_in(const IndexedRecord& record, std::string_view state) {
  return state.empty() ? std::nullopt : std::optional(fields_of(record.id, state));
}

// As commit.lua writes it. nullopt: no note.
std::optional<Unindexed::Note> note_in(const IndexedRecord& record, std::string_view text) {
  Unindexed::Note note;
  while (true) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto length = base::parse_number<std::int64_t>(text.substr(0, colon), 0);
    text.remove_prefix(colon + 1);
    if (!length || static_cast<std::size_t>(*length) > text.size()) return std::nullopt;
    std::string_view state = text.substr(0, static_cast<std::size_t>(*length));
    if (state.starts_with(kIntent)) state.remove_prefix(std::min(kTag, state.size()));
    auto fields = fields_in(record, state);
    text.remove_prefix(static_cast<std::size_t>(*length));
    if (text.empty()) {
      note.now = std::move(fields);
      return note;
    }
    if (fields) note.was.push_back(*std::move(fields));
  }
}

std::string state_in(const std::optional<IndexedFields>& fields) {
  return fields ? state_of(*fields) : "";
}

// A record whose note is put into the index.
struct Noted {
  IndexedRecord record;
  Unindexed::Note note;
};

// Those of the records that have a note.
loop::Task<std::vector<Noted>> notes_of(redis::Store& store, media::AccountId account,
                                        const std::vector<IndexedRecord>& records) {
  const std::string key = keys::unindexed(account);
  redis::Store::Calls calls(store);
  for (std::size_t i = 0; i < records.size(); i += kNotesPerCall) {
    std::vector<std::string> words{"HMGET", key};
    for (std::size_t k = i; k < std::min(i + kNotesPerCall, records.size()); ++k)
      words.push_back(to_text(records[k]));
    const std::vector<std::string_view> views(words.begin(), words.end());
    calls.read(views);
  }
  std::vector<Noted> found;
  for (std::size_t i = 0; i < records.size(); i += kNotesPerCall) {
    const redis::Reply reply = co_await calls.next();
    for (std::size_t k = 0; k < reply.size(); ++k) {
      const auto text = reply.at(k).text();
      if (!text) continue;
      if (auto note = note_in(records[i + k], *text))
        found.push_back({records[i + k], *std::move(note)});
    }
  }
  co_return found;
}

// Changes the blocks. Returns false if another writer was faster.
loop::Task<bool> try_write(redis::Store& store, media::AccountId account,
                           const std::vector<IndexedRecord>& records) {
  IndexEdit edit(store, account);
  co_await edit.begin();
  std::map<std::string, std::vector<std::string>> touched;  // keys by set
  for (const IndexedRecord& record : records) touched[state_set(record.kind)].push_back(record.id);
  for (auto& [set, keys] : touched) {
    co_await edit.load(set, std::move(keys));
  }
  // After the states: a writer that removes one of these notes now changes a block, so commit()
  // refuses.
  const std::vector<Noted> noted = co_await notes_of(store, account, records);
  std::vector<IndexNote> notes;
  for (const auto& [record, note] : noted) notes.push_back({to_text(record), state_in(note.now)});
  std::vector<IndexNote> intended = notes;
  const bool is_current = co_await edit.intend(std::move(intended));
  if (!is_current) co_return false;
  touched.clear();
  struct Difference {
    std::vector<IndexPlace> erased;
    std::vector<IndexPlace> put;
  };
  std::vector<Difference> differences;
  for (const auto& [record, note] : noted) {
    Difference& difference = differences.emplace_back();
    const std::string* const state = edit.find(state_set(record.kind), record.id);
    if (note.now) difference.put = sorted_places(record.kind, *note.now);
    const auto erase = [&, kind = record.kind](const IndexedFields& fields) {
      std::ranges::move(sorted_places(kind, fields), std::back_inserter(difference.erased));
    };
    if (state != nullptr) erase(fields_of(record.id, *state));
    std::ranges::for_each(note.was, erase);
    std::erase_if(difference.erased, [&](const IndexPlace& place) {
      return std::ranges::find(difference.put, place) != difference.put.end();
    });
    for (const std::vector<IndexPlace>* places : {&difference.erased, &difference.put}) {
      for (const IndexPlace& place : *places) touched[place.set].push_back(place.key);
    }
  }
  for (auto& [set, keys] : touched) {
    co_await edit.load(set, std::move(keys));
  }
  for (std::size_t i = 0; i < noted.size(); ++i) {
    const auto& [record, note] = noted[i];
    const std::string set = state_set(record.kind);
    const std::string state = notes[i].state;
    edit.settle(set, record.id, std::move(notes[i]));
    for (const IndexPlace& place : differences[i].erased) edit.erase(place.set, place.key);
    for (const IndexPlace& place : differences[i].put)
      edit.put(place.set, place.key, value_of(*note.now));
    note.now ? edit.put(set, record.id, state) : edit.erase(set, record.id);
  }
  std::vector<std::string> last{state_set(Indexed::Media), state_set(Indexed::Project)};
  co_return co_await edit.commit(std::move(last));
}

}  // namespace

loop::Task<Unindexed::State> Unindexed::read(redis::Store& store, media::AccountId account,
                                             std::size_t most) {
  notes_.clear();
  functions::Unindexed run{.index = keys::index(account),
                           .notes = keys::unindexed(account),
                           .changed = keys::changed(account),
                           .most = most};
  const redis::Reply reply = co_await store.call(std::move(run));
  if (reply.size() == 1) co_return reply.at(0).text() ? State::Unconverted : State::Many;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    auto record = parse_indexed_record(reply.at(i).text().value_or(""));
    if (!record) continue;
    auto note = note_in(*record, reply.at(i + 1).text().value_or(""));
    if (note) notes_.emplace(*std::move(record), *std::move(note));
  }
  co_return State::Read;
}

const Unindexed::Note* Unindexed::find(const IndexedRecord& record) const {
  const auto found = notes_.find(record);
  return found == notes_.end() ? nullptr : &found->second;
}

Unindexed::Changes Unindexed::changes_in(const IndexRange& range) const {
  Changes changes;
  const auto is_before = [&range](const std::string& one, const std::string& other) {
    return range.ascending ? one < other : other < one;
  };
  const auto is_wanted = [&](const IndexEntry& entry) {
    return entry.key.starts_with(range.prefix) &&
           (range.after.empty() || is_before(range.after, entry.key)) &&
           (!range.wanted || range.wanted(entry));
  };
  const auto entries_of = [&](const IndexedRecord& record, const IndexedFields& fields) {
    std::vector<IndexEntry> entries;
    if (range.set == state_set(record.kind)) entries.push_back({record.id, state_of(fields)});
    for (IndexPlace& place : sorted_places(record.kind, fields)) {
      if (place.set == range.set) entries.push_back({std::move(place.key), value_of(fields)});
    }
    std::erase_if(entries, [&](const IndexEntry& entry) { return !is_wanted(entry); });
    return entries;
  };
  for (const auto& [record, note] : notes_) {
    for (const IndexedFields& was : note.was) {
      for (IndexEntry& entry : entries_of(record, was))
        changes.erased.push_back(std::move(entry.key));
    }
    if (!note.now) continue;
    std::ranges::move(entries_of(record, *note.now), std::back_inserter(changes.put));
  }
  std::ranges::sort(changes.erased, is_before);
  changes.erased.erase(std::unique(changes.erased.begin(), changes.erased.end()),
                       changes.erased.end());
  std::ranges::sort(changes.put, is_before, &IndexEntry::key);
  return changes;
}

// The blocks can pass over entries by their counts, so the offset is theirs, less what the notes
// may add before it. From the first entry that is read, its rank in the list is known.
loop::Task<std::vector<IndexEntry>> Unindexed::read_index(redis::Store& store,
                                                          media::AccountId account,
                                                          IndexRange range) const {
  const Changes changes = changes_in(range);
  if (changes.erased.empty() && changes.put.empty())
    co_return co_await stores::read_index(store, account, std::move(range));
  const auto is_before = [ascending = range.ascending](const std::string& one,
                                                       const std::string& other) {
    return ascending ? one < other : other < one;
  };
  IndexRange of_blocks = range;
  of_blocks.offset = range.offset - std::min(range.offset, changes.put.size());
  of_blocks.count = range.offset - of_blocks.offset + range.count + changes.erased.size();
  const std::size_t passed = of_blocks.offset;
  std::vector<IndexEntry> blocks =
      co_await stores::read_index(store, account, std::move(of_blocks));
  std::vector<IndexEntry> found;
  if (passed > 0 && blocks.empty()) co_return found;
  auto put = changes.put.begin();
  std::size_t rank = 0;
  if (passed > 0) {
    const std::string& first = blocks.front().key;
    put = std::ranges::lower_bound(changes.put, first, is_before, &IndexEntry::key);
    const auto erased = std::ranges::lower_bound(changes.erased, first, is_before);
    rank = passed + static_cast<std::size_t>(put - changes.put.begin()) -
           std::min(passed, static_cast<std::size_t>(erased - changes.erased.begin()));
  }
  const auto take = [&](IndexEntry entry) {
    if (rank++ >= range.offset && found.size() < range.count) found.push_back(std::move(entry));
  };
  for (IndexEntry& entry : blocks) {
    for (; put != changes.put.end() && is_before(put->key, entry.key); ++put) take(*put);
    // Of a note that is in the blocks since it was read.
    if (put != changes.put.end() && put->key == entry.key) continue;
    if (!std::ranges::binary_search(changes.erased, entry.key, is_before)) take(std::move(entry));
  }
  for (; put != changes.put.end(); ++put) take(*put);
  co_return found;
}

loop::Task<> write_index(redis::Store& store, media::AccountId account,
                         std::vector<IndexedRecord> records) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const bool is_written = co_await try_write(store, account, records);
    if (is_written) co_return;
  }
  throw base::Unavailable("the index of an account changes all the time");
}

loop::Task<std::size_t> write_index(redis::Store& store, media::AccountId account,
                                    std::size_t most) {
  const std::string key = keys::unindexed(account);
  const std::string count = std::to_string(most);
  redis::Store::Call call = store.read({"HRANDFIELD", key, count});
  const redis::Reply reply = co_await call;
  std::vector<IndexedRecord> records;
  for (std::size_t i = 0; i < reply.size(); ++i) {
    if (auto record = parse_indexed_record(reply.at(i).text().value_or("")))
      records.push_back(*std::move(record));
  }
  const std::size_t found = records.size();
  if (found > 0) {
    co_await write_index(store, account, std::move(records));
  }
  co_return found;
}

loop::Task<std::optional<IndexedFields>> find_indexed(redis::Store& store, media::AccountId account,
                                                      IndexedRecord record) {
  const std::string key = keys::unindexed(account);
  const std::string member = to_text(record);
  redis::Store::Call call = store.read({"HGET", key, member});
  const redis::Reply reply = co_await call;
  if (const auto text = reply.text()) {
    if (const auto note = note_in(record, *text)) co_return note->now;
  }
  IndexRange range{.set = state_set(record.kind), .prefix = record.id, .count = 1};
  const std::vector<IndexEntry> entries = co_await read_index(store, account, std::move(range));
  if (entries.empty() || entries.front().key != record.id) co_return std::nullopt;
  co_return fields_of(record.id, entries.front().value);
}

}  // namespace svc::stores
