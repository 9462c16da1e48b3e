#include "stores/catalog/catalog_index.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/number.h"
#include "stores/catalog/commit.lua.h"
#include "stores/catalog/index_build.h"
#include "stores/catalog/index_places.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "text/rfc3339.h"
#include "text/unicode.h"

namespace svc::stores {
namespace {

using media::SortBy;

constexpr std::size_t kRecordsPerRead = 100;
// Media of equal names up to this number are read and sorted; if there are more, the order of the
// list is walked through, which finds them soon.
constexpr std::size_t kMostOfOneName = 2000;
// Of a list whose records change between its entries and its records.
constexpr int kMostReads = 3;
constexpr std::size_t kNotesPerWrite = 500;
constexpr int kMostWrites = 1000;
constexpr std::size_t kEntriesPerRead = 10'000;
// A search looks at a name in about a microsecond: each of these reads is a piece.
constexpr std::size_t kEntriesPerSearch = 1000;
constexpr std::size_t kBytesPerEntry = loop::Pieces::kBytes / kEntriesPerSearch + 1;

template <class Record>
constexpr Indexed kKindOf =
    std::is_same_v<Record, media::Media> ? Indexed::Media : Indexed::Project;

bool is_full(const redis::ErrorReply& error) {
  return std::string_view(error.what()).starts_with("OOM");
}

// `text` is folded.
bool has_text(std::string_view name, std::string_view text) {
  return text.empty() || text::folded(name).find(text) != std::string::npos;
}

// Systems write the same name in other bytes: é as one character, or as a letter and an accent.
bool is_same_name(const std::string& one, const std::string& other) {
  return one == other || text::nfc(one) == text::nfc(other);
}

// The ways in which a name can be in the index: as it is now, and as earlier versions wrote it.
std::vector<std::string> forms_of(const std::string& name) {
  std::vector<std::string> forms{name};
  for (std::string& form : std::array{text::nfc(name), text::nfd(name)}) {
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  }
  return forms;
}

bool has_one_of(const std::vector<media::Status>& statuses, media::Status status) {
  return statuses.empty() || std::ranges::find(statuses, status) != statuses.end();
}

base::Result<media::Media, std::string> parse(text::json::Document& document, std::string_view text,
                                              const media::Media* /*type*/) {
  return media::media_from_stored(document, text, media::Detail::All);
}
base::Result<media::Project, std::string> parse(text::json::Document& document,
                                                std::string_view text,
                                                const media::Project* /*type*/) {
  return text::parse_record(document, text, media::project_from_record);
}

template <class Record>
void sort_records(std::vector<Record>& records, const media::ListOrder& order) {
  std::ranges::sort(records, [&](const Record& one, const Record& other) {
    const std::string first = sort_key(indexed_fields(one), order.by);
    const std::string second = sort_key(indexed_fields(other), order.by);
    return order.ascending ? first < second : second < first;
  });
}

template <class Record>
std::vector<Record> page_of(std::vector<Record> records, const media::ListOrder& order) {
  sort_records(records, order);
  const std::size_t first = std::min(order.offset, records.size());
  const std::size_t last = std::min(first + order.count, records.size());
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(last), records.end());
  records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(first));
  return records;
}

}  // namespace

std::string CatalogIndex::place_of(const media::Media& media) const {
  return sort_key(indexed_fields(media), SortBy::Created);
}

bool CatalogIndex::is_place(const std::string& text) const {
  const std::size_t end = text.find(kSeparator);
  return end != std::string::npos && media::HashedId::parse(text.substr(end + 1));
}

// Returns those of the keys that have another type, for which MGET returns nil.
loop::Task<std::vector<std::string>> CatalogIndex::foreign_of(std::vector<std::string> missing) {
  std::vector<std::string> foreign;
  if (missing.empty()) co_return foreign;
  std::vector<std::string_view> words{"EXISTS"};
  words.insert(words.end(), missing.begin(), missing.end());
  redis::Store::Call asking = store_.read(words);
  const redis::Reply any = co_await asking;
  if (any.integer() == 0) co_return foreign;
  redis::Store::Calls calls(store_);
  for (const std::string& key : missing) calls.read({"EXISTS", key});
  for (std::string& key : missing) {
    const redis::Reply exists = co_await calls.next();
    if (exists.integer() == 1) foreign.push_back(std::move(key));
  }
  co_return foreign;
}

// A full store refuses to put them into the index. Then lists are as the index has them.
loop::Task<Unindexed> CatalogIndex::notes_of(media::AccountId account) {
  Unindexed notes;
  try {
    for (int writes = 0; writes < kMostWrites; ++writes) {
      const Unindexed::State state = co_await notes.read(store_, account);
      if (state == Unindexed::State::Read) break;
      if (state == Unindexed::State::Unconverted) {
        co_await build_index(store_, account);
      } else {
        co_await write_index(store_, account, kNotesPerWrite);
      }
      co_await pause(kNotesPerWrite);
    }
  } catch (const redis::ErrorReply& error) {
    if (!is_full(error)) throw;
  }
  co_return notes;
}

loop::Task<std::vector<IndexedFields>> CatalogIndex::indexed(media::AccountId account, Indexed kind,
                                                             std::string after, std::size_t most) {
  IndexRange range{.set = state_set(kind), .after = std::move(after), .count = most};
  const Unindexed notes = co_await notes_of(account);
  const std::vector<IndexEntry> entries =
      co_await notes.read_index(store_, account, std::move(range));
  std::vector<IndexedFields> found;
  for (const IndexEntry& entry : entries) found.push_back(fields_of(entry.key, entry.value));
  co_return found;
}

loop::Task<std::string> CatalogIndex::disagreement(media::AccountId account) {
  // For each set, the sum of the hashes of its entries: equal sets have equal sums.
  std::map<std::string, std::size_t> sums;
  std::map<std::string, std::int64_t> counts;
  const auto add = [&sums](const std::string& set, const std::string& key, std::string_view value) {
    sums[set] += std::hash<std::string>()(key + kSeparator + std::string(value));
  };
  const std::set<std::string> uploads = co_await uploads_of(store_, account);
  for (const Indexed kind : {Indexed::Media, Indexed::Project}) {
    std::string after;
    while (true) {
      const std::vector<IndexedFields> states =
          co_await indexed(account, kind, after, kEntriesPerRead);
      for (const IndexedFields& fields : states) {
        for (const IndexPlace& place : sorted_places(kind, fields))
          add(place.set, place.key, value_of(fields));
        ++counts[count_of(kind)];
        if (is_unfinished(fields.status) && uploads.contains(fields.id))
          ++counts[std::string(kUnfinishedCount)];
        if (!fields.project.empty()) ++counts[count_of_project(fields.project)];
      }
      if (states.size() < kEntriesPerRead) break;
      after = states.back().id;
    }
  }
  const Unindexed notes = co_await notes_of(account);
  for (const Indexed kind : {Indexed::Media, Indexed::Project}) {
    for (const std::string& set : sorted_sets(kind)) {
      IndexRange range{.set = set, .count = kEntriesPerRead};
      std::size_t expected = sums[set];
      while (true) {
        const std::vector<IndexEntry> entries = co_await notes.read_index(store_, account, range);
        sums[set] = 0;
        for (const IndexEntry& entry : entries) add(set, entry.key, entry.value);
        expected -= sums[set];
        if (entries.size() < range.count) break;
        range.after = entries.back().key;
      }
      if (expected != 0) co_return "the set " + set;
    }
  }
  counts.try_emplace(std::string(kUnfinishedCount), 0);
  for (const auto& [field, count] : counts) {
    redis::Store::Call call = store_.read({"HMGET", keys::index(account), field, "numbers"});
    const redis::Reply reply = co_await call;
    const bool is_kept = field != kUnfinishedCount || reply.at(1).number() == functions::kNumbers;
    if (is_kept && reply.at(0).number() != count) co_return "the number of " + field;
  }
  co_return "";
}

loop::Task<> CatalogIndex::pause(std::size_t entries) {
  if (pieces_ == nullptr) co_return;
  co_await pieces_->add(entries * kBytesPerEntry);
}

// A record that cannot be read is left out of every list, and logged.
template <class Record>
loop::Task<std::vector<CatalogIndex::Read<Record>>> CatalogIndex::records(
    const std::vector<std::string>& ids) {
  std::vector<Read<Record>> found;
  std::vector<std::size_t> missing;
  redis::Store::Calls calls(store_);
  for (std::size_t i = 0; i < ids.size(); i += kRecordsPerRead) {
    std::vector<std::string> keys;
    for (std::size_t k = i; k < std::min(i + kRecordsPerRead, ids.size()); ++k)
      keys.push_back(key_of({kKindOf<Record>, ids[k]}));
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    calls.read(words);
  }
  while (calls.left() > 0) {
    const redis::Reply reply = co_await calls.next();
    for (std::size_t k = 0; k < reply.size(); ++k) {
      const auto text = reply.at(k).text();
      const std::string& id = ids[found.size()];
      if (!text) missing.push_back(found.size());
      Read<Record>& read = found.emplace_back();
      if (!text) continue;
      auto record = parse(document_, *text, static_cast<const Record*>(nullptr));
      if (record) {
        read.record = *std::move(record);
      } else {
        read.is_unreadable = true;
        log_corrupt_record(key_of({kKindOf<Record>, id}), record.error());
      }
      if (pieces_ == nullptr) continue;
      co_await pieces_->add(text->size());
    }
  }
  const auto key_at = [&](std::size_t at) { return key_of({kKindOf<Record>, ids[at]}); };
  std::vector<std::string> keys;
  for (const std::size_t at : missing) keys.push_back(key_at(at));
  const std::vector<std::string> foreign = co_await foreign_of(std::move(keys));
  for (const std::size_t at : missing) {
    const std::string key = key_at(at);
    if (std::ranges::find(foreign, key) == foreign.end()) continue;
    found[at].is_unreadable = true;
    log_corrupt_record(key, kForeignType);
  }
  co_return found;
}

// Reads entries and their records. `project`: the beginning of all keys of this set, if it is a set
// of a project.
template <class Record>
loop::Task<CatalogIndex::Page<Record>> CatalogIndex::read_page(media::AccountId account,
                                                               const Unindexed& notes, SortBy by,
                                                               std::string project,
                                                               IndexRange range) {
  Page<Record> page;
  const std::size_t asked = range.count;
  const std::vector<IndexEntry> entries =
      co_await notes.read_index(store_, account, std::move(range));
  page.is_whole = entries.size() < asked;
  if (entries.empty()) co_return page;
  page.last = entries.back().key;
  std::vector<std::string> ids;
  for (const IndexEntry& entry : entries) ids.emplace_back(id_in(entry.key));
  std::vector<Read<Record>> found = co_await records<Record>(ids);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (found[i].is_unreadable) {
      page.unreadable.push_back(std::move(ids[i]));
      continue;
    }
    std::optional<Record>& record = found[i].record;
    const bool is_its = record && record->account == account;
    if (is_its) {
      const IndexedFields fields = indexed_fields(*record);
      if ((project.empty() || project == fields.project + kSeparator) &&
          entries[i].key == project + sort_key(fields, by)) {
        page.records.push_back(std::move(*record));
        continue;
      }
    }
    page.is_current = false;
  }
  co_return page;
}

// Reads until the page is full. If a record changes between its entry and its record, begins again:
// it may belong to another place. An entry that is never right is left out.
template <class Record, class Wanted>
loop::Task<std::vector<Record>> CatalogIndex::list(media::AccountId account, media::ListOrder order,
                                                   std::string project, IndexRange range,
                                                   Wanted wanted,
                                                   std::vector<std::string>* unreadable) {
  for (int reads = 1;; ++reads) {
    const Unindexed notes = co_await notes_of(account);
    if (unreadable != nullptr) unreadable->clear();
    IndexRange rest = range;
    rest.ascending = order.ascending;
    // The index can leave out entries itself only if it knows which of them are wanted.
    std::size_t to_leave_out = wanted ? order.offset : 0;
    rest.offset = wanted ? 0 : order.offset;
    std::vector<Record> found;
    bool is_current = true;
    bool is_whole = order.count == 0;
    while (found.size() < order.count && !is_whole) {
      rest.count = wanted ? kRecordsPerRead : order.count - found.size();
      Page<Record> page = co_await read_page<Record>(account, notes, order.by, project, rest);
      is_whole = page.is_whole;
      is_current = is_current && page.is_current;
      if (unreadable != nullptr)
        std::ranges::move(page.unreadable, std::back_inserter(*unreadable));
      for (Record& record : page.records) {
        if (found.size() == order.count) break;
        if (wanted && !wanted(record)) continue;
        if (to_leave_out > 0) {
          --to_leave_out;
        } else {
          found.push_back(std::move(record));
        }
      }
      rest.after = page.last;
      rest.offset = 0;
    }
    if (is_current || reads == kMostReads) co_return found;
  }
}

loop::Task<std::vector<media::Media>> CatalogIndex::medias(media::AccountId account,
                                                           media::MediaQuery query) {
  using Wanted = std::function<bool(const media::Media&)>;
  const Wanted fits = [account, &query](const media::Media& media) {
    return media.account == account && (!query.project || media.project == query.project) &&
           (!query.name || is_same_name(media.name, *query.name)) &&
           (!query.type || media.type == *query.type);
  };
  media::ListOrder& order = query.order;
  if (query.ids) {
    std::vector<std::string> ids;
    for (const media::HashedId& id : *query.ids) {
      if (std::ranges::find(ids, id.value()) == ids.end()) ids.push_back(id.value());
    }
    std::vector<Read<media::Media>> all = co_await records<media::Media>(ids);
    std::vector<media::Media> found;
    for (auto& [media, is_unreadable] : all) {
      if (media && fits(*media)) found.push_back(std::move(*media));
    }
    co_return page_of(std::move(found), order);
  }
  const std::string project = query.project ? project_prefix(*query.project) : "";
  const auto set_of = [&](SortBy by) {
    return query.project ? sorted_set_in_project(by) : sorted_set(Indexed::Media, by);
  };
  if (query.name) {
    const media::ListOrder all{.by = SortBy::Name, .count = kMostOfOneName + 1};
    std::vector<media::Media> found;
    for (const std::string& form : forms_of(*query.name)) {
      IndexRange range{.set = set_of(SortBy::Name),
                       .prefix = project + without_separator(form) + kSeparator};
      std::vector<media::Media> of_form =
          co_await list<media::Media>(account, all, project, range, fits);
      std::ranges::move(of_form, std::back_inserter(found));
    }
    if (found.size() <= kMostOfOneName) co_return page_of(std::move(found), order);
  }
  IndexRange range{.set = set_of(order.by), .prefix = project};
  if (query.type) {
    range.wanted = [type = without_marks(*query.type)](const IndexEntry& entry) {
      return type_in(entry.value) == type;
    };
  }
  if (query.from) {
    range.after = project + *query.from;
    order.ascending ^= query.backwards;
  }
  Wanted wanted;
  if (query.name) wanted = fits;
  std::vector<std::string> unreadable;
  std::vector<media::Media> found =
      co_await list<media::Media>(account, order, project, range, std::move(wanted), &unreadable);
  if (query.backwards) std::ranges::reverse(found);
  for (const std::string& id : unreadable) {
    const auto hashed = media::HashedId::parse(id);
    if (hashed && query.unreadable != nullptr) query.unreadable->push_back(*hashed);
  }
  co_return found;
}

// Leaves out media that were deleted or moved to another account since the index was read.
loop::Task<std::vector<media::Media>> CatalogIndex::medias_of(media::AccountId account,
                                                              const std::vector<std::string>& ids) {
  std::vector<Read<media::Media>> all = co_await records<media::Media>(ids);
  std::vector<media::Media> found;
  for (auto& [media, is_unreadable] : all) {
    if (media && media->account == account) found.push_back(std::move(*media));
  }
  co_return found;
}

loop::Task<media::FoundMedias> CatalogIndex::search(media::AccountId account,
                                                    media::MediaSearch query) {
  std::optional<media::ProjectId> all_projects;
  const media::CatalogCounts counted = co_await counts(account, std::move(all_projects));
  const bool is_small = counted.medias <= static_cast<std::int64_t>(kMostSearched);
  query.text = text::folded(query.text);
  if (is_small) co_return co_await search_all(account, query);
  co_return co_await search_names(account, query);
}

// Each part of the index is sorted for itself, then the parts are merged up to the end of the page:
// all of it in pieces.
loop::Task<media::FoundMedias> CatalogIndex::search_all(media::AccountId account,
                                                        const media::MediaSearch& query) {
  std::vector<std::vector<std::string>> parts;
  const Unindexed notes = co_await notes_of(account);
  IndexRange range{.set = state_set(Indexed::Media), .count = kEntriesPerSearch};
  const auto is_before = [&query](const std::string& one, const std::string& other) {
    return query.order.ascending ? one < other : other < one;
  };
  std::size_t all = 0;
  for (std::size_t looked_at = 0; looked_at <= kMostSearched; looked_at += kEntriesPerSearch) {
    const std::vector<IndexEntry> entries = co_await notes.read_index(store_, account, range);
    std::vector<std::string>& keys = parts.emplace_back();
    for (const IndexEntry& entry : entries) {
      const IndexedFields fields = fields_of(entry.key, entry.value);
      if ((!query.project || fields.project == query.project->value()) &&
          has_one_of(query.statuses, fields.status) && has_text(fields.name, query.text))
        keys.push_back(sort_key(fields, query.order.by));
    }
    std::ranges::sort(keys, is_before);
    all += keys.size();
    if (entries.size() < kEntriesPerSearch) break;
    range.after = entries.back().key;
    co_await pause(entries.size());
  }
  media::FoundMedias found;
  found.all = static_cast<std::int64_t>(all);
  // The places in the parts, the one with the first key on top.
  struct Head {
    const std::vector<std::string>* part;
    std::size_t at;
  };
  std::vector<Head> heads;
  for (const std::vector<std::string>& part : parts) {
    if (!part.empty()) heads.push_back({&part, 0});
  }
  const auto is_after = [&is_before](const Head& one, const Head& other) {
    return is_before((*other.part)[other.at], (*one.part)[one.at]);
  };
  std::ranges::make_heap(heads, is_after);
  std::vector<std::string> ids;
  const std::size_t last = query.order.offset + query.order.count;
  for (std::size_t i = 0; i < last && !heads.empty(); ++i) {
    std::ranges::pop_heap(heads, is_after);
    Head& head = heads.back();
    if (i >= query.order.offset) ids.emplace_back(id_in((*head.part)[head.at]));
    if (++head.at < head.part->size()) {
      std::ranges::push_heap(heads, is_after);
    } else {
      heads.pop_back();
    }
    if ((i + 1) % kEntriesPerSearch != 0) continue;
    co_await pause(kEntriesPerSearch);
  }
  found.medias = co_await medias_of(account, ids);
  co_return found;
}

loop::Task<media::FoundMedias> CatalogIndex::search_names(media::AccountId account,
                                                          const media::MediaSearch& query) {
  const std::string project = query.project ? project_prefix(*query.project) : "";
  const Unindexed notes = co_await notes_of(account);
  IndexRange range{.set = query.project ? sorted_set_in_project(SortBy::Name)
                                        : sorted_set(Indexed::Media, SortBy::Name),
                   .prefix = project,
                   .ascending = query.order.by != SortBy::Name || query.order.ascending,
                   .after = query.after.empty() ? "" : project + query.after,
                   .count = kEntriesPerSearch};
  media::FoundMedias found;
  std::vector<std::string> ids;
  bool is_whole = false;
  for (std::size_t looked_at = 0;
       looked_at < kMostSearched && !is_whole && ids.size() < query.order.count;
       looked_at += kEntriesPerSearch) {
    const std::vector<IndexEntry> entries = co_await notes.read_index(store_, account, range);
    is_whole = entries.size() < range.count;
    for (const IndexEntry& entry : entries) {
      range.after = entry.key;
      const std::string_view key = std::string_view(entry.key).substr(project.size());
      const std::string_view name = key.substr(0, key.rfind(kSeparator));
      if (!has_one_of(query.statuses, status_in(entry.value)) || !has_text(name, query.text))
        continue;
      ids.emplace_back(id_in(key));
      if (ids.size() == query.order.count) break;
    }
    co_await pause(entries.size());
  }
  const bool is_full = ids.size() == query.order.count;
  if (!is_whole || is_full) found.rest = range.after.substr(project.size());
  found.medias = co_await medias_of(account, ids);
  co_return found;
}

loop::Task<std::vector<media::ListedMedia>> CatalogIndex::listed(media::AccountId account,
                                                                 media::ProjectId project,
                                                                 std::string after,
                                                                 std::size_t count) {
  const Unindexed notes = co_await notes_of(account);
  const std::string prefix = project_prefix(project);
  IndexRange range{.set = sorted_set_in_project(SortBy::Created), .prefix = prefix, .count = count};
  if (!after.empty()) range.after = prefix + after;
  const std::vector<IndexEntry> entries =
      co_await notes.read_index(store_, account, std::move(range));
  std::vector<media::ListedMedia> found;
  for (const IndexEntry& entry : entries) {
    auto id = media::HashedId::parse(id_in(entry.key));
    if (id)
      found.push_back(
          {*std::move(id), std::string(type_in(entry.value)), entry.key.substr(prefix.size())});
  }
  co_return found;
}

loop::Task<std::vector<media::Project>> CatalogIndex::projects(media::AccountId account,
                                                               media::ListOrder order) {
  IndexRange range{.set = sorted_set(Indexed::Project, order.by)};
  std::string all_projects;
  std::function<bool(const media::Project&)> every;
  co_return co_await list<media::Project>(account, order, std::move(all_projects), range,
                                          std::move(every));
}

loop::Task<std::vector<media::NamedProject>> CatalogIndex::named_projects(media::AccountId account,
                                                                          std::size_t count) {
  const Unindexed notes = co_await notes_of(account);
  IndexRange range{.set = sorted_set(Indexed::Project, SortBy::Name), .count = count};
  const std::vector<IndexEntry> entries =
      co_await notes.read_index(store_, account, std::move(range));
  std::vector<media::NamedProject> found;
  for (const IndexEntry& entry : entries) {
    auto id = media::ProjectId::parse(id_in(entry.key));
    if (id) found.push_back({*std::move(id), entry.key.substr(0, entry.key.rfind(kSeparator))});
  }
  co_return found;
}

loop::Task<media::CatalogCounts> CatalogIndex::counts(media::AccountId account,
                                                      std::optional<media::ProjectId> project) {
  const std::string medias =
      project ? count_of_project(project->value()) : count_of(Indexed::Media);
  const std::string index = keys::index(account);
  const std::string projects = count_of(Indexed::Project);
  redis::Store::Call call = store_.read({"HMGET", index, medias, projects, "format"});
  const redis::Reply reply = co_await call;
  if (reply.at(2).text())
    co_return media::CatalogCounts{reply.at(0).number(), reply.at(1).number()};
  // It has none yet, or is of an earlier version.
  co_await notes_of(account);
  redis::Store::Call again = store_.read({"HMGET", index, medias, projects});
  const redis::Reply now = co_await again;
  co_return media::CatalogCounts{now.at(0).number(), now.at(1).number()};
}

}  // namespace svc::stores
