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
#include "stores/keys.h"
#include "stores/record.h"
#include "text/rfc3339.h"
#include "text/unicode.h"

namespace svc::stores {
namespace {

using media::SortBy;

constexpr std::string_view kMediaCount = "medias";
constexpr std::string_view kProjectCount = "projects";
constexpr std::size_t kRecordsPerRead = 100;
// Media of equal names up to this number are read and sorted; if there are more, the order of the
// list is walked through, which finds them soon.
constexpr std::size_t kMostOfOneName = 2000;
constexpr int kMostTries = 100;  // for an update that others interfere with
constexpr const char* kChangesAllTheTime = "the index of an account changes all the time";
constexpr std::size_t kAllNotes = 0;
constexpr std::size_t kEntriesPerRead = 10'000;
// A search looks at a name in about a microsecond: each of these reads is a piece.
constexpr std::size_t kEntriesPerSearch = 1000;
constexpr std::size_t kBytesPerEntry = loop::Pieces::kBytes / kEntriesPerSearch + 1;
constexpr std::size_t kLoadedAtOnce = 100'000;

// The parts of a key are separated by this character, which is in none of them and before all.
constexpr char kSeparator = '\0';
// Between a type and a status.
constexpr char kStatusMark = '\x01';

struct Sets {
  std::string_view state;                  // id → what else the index has of the record
  std::array<std::string_view, 3> sorted;  // by SortBy
  std::array<std::string_view, 3> sorted_in_project;  // the same, after the project
};
constexpr Sets kOfMedia{"m", {"mc", "mu", "mn"}, {"pmc", "pmu", "pmn"}};
constexpr Sets kOfProjects{"p", {"pc", "pu", "pn"}, {}};

const Sets& sets_of(Indexed kind) { return kind == Indexed::Media ? kOfMedia : kOfProjects; }

template <class Record>
constexpr Indexed kKindOf =
    std::is_same_v<Record, media::Media> ? Indexed::Media : Indexed::Project;

std::string_view take_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(kSeparator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

const std::string& sorted_by(const IndexedFields& fields, SortBy by) {
  return by == SortBy::Created   ? fields.created
         : by == SortBy::Updated ? fields.updated
                                 : fields.name;
}

std::string sort_key(const IndexedFields& fields, SortBy by) {
  return sorted_by(fields, by) + kSeparator + fields.id;
}

std::string_view id_in(std::string_view key) { return key.substr(key.rfind(kSeparator) + 1); }

// The type, with the status if the media is not ready.
std::string value_of(const IndexedFields& fields) {
  if (fields.status == media::Status::Ready) return fields.type;
  return fields.type + kStatusMark + std::string(to_text(fields.status));
}
std::string_view type_in(std::string_view value) {
  return value.substr(0, value.find(kStatusMark));
}
media::Status status_in(std::string_view value) {
  const std::size_t mark = value.find(kStatusMark);
  if (mark == std::string_view::npos) return media::Status::Ready;
  const std::string_view name = value.substr(mark + 1);
  for (const media::Status status :
       {media::Status::Queued, media::Status::Processing, media::Status::Failed}) {
    if (to_text(status) == name) return status;
  }
  return media::Status::Ready;
}

// The name is last: it is the only part that users write.
std::string state_of(const IndexedFields& fields) {
  std::string state;
  const std::string value = value_of(fields);
  for (const std::string* part : {&fields.created, &fields.updated, &fields.project, &value})
    state.append(*part) += kSeparator;
  return state + fields.name;
}

IndexedFields fields_of(std::string_view id, std::string_view state) {
  IndexedFields fields;
  fields.id = id;
  for (std::string* part : {&fields.created, &fields.updated, &fields.project})
    *part = take_part(state);
  const std::string_view value = take_part(state);
  fields.type = type_in(value);
  fields.status = status_in(value);
  fields.name = state;
  return fields;
}

// All entries of a record but its state.
std::vector<IndexPlace> sorted_places(Indexed kind, const IndexedFields& fields) {
  std::vector<IndexPlace> keys;
  const Sets& sets = sets_of(kind);
  for (const SortBy by : {SortBy::Created, SortBy::Updated, SortBy::Name}) {
    const auto index = static_cast<std::size_t>(by);
    const std::string key = sort_key(fields, by);
    keys.push_back({std::string(sets.sorted.at(index)), key});
    if (!fields.project.empty()) {
      keys.push_back(
          {std::string(sets.sorted_in_project.at(index)), fields.project + kSeparator + key});
    }
  }
  return keys;
}

std::string count_of(Indexed kind) {
  return std::string(kind == Indexed::Media ? kMediaCount : kProjectCount);
}
std::string count_of_project(std::string_view project) {
  return std::string(kMediaCount) + ":" + std::string(project);
}

std::string record_key(const ChangedRecord& record) {
  return (record.kind == Indexed::Media ? keys::kMedias : keys::kProjects) + record.id;
}

bool is_full(const redis::ErrorReply& error) {
  return std::string_view(error.what()).starts_with("OOM");
}

std::string without_separator(std::string text) {
  std::erase(text, kSeparator);
  return text;
}
std::string without_marks(std::string type) {
  std::erase(type, kStatusMark);
  return without_separator(std::move(type));
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

loop::Task<bool> is_indexed(redis::Store& store, media::AccountId account, ChangedRecord record) {
  IndexRange range{.set = std::string(sets_of(record.kind).state), .prefix = record.id, .count = 1};
  const std::vector<IndexEntry> entries = co_await read_index(store, account, std::move(range));
  co_return !entries.empty() && entries.front().key == record.id;
}

std::string sortable_time(std::string_view rfc3339) {
  const auto seconds = text::seconds_of_rfc3339(rfc3339);
  if (!seconds) return "";
  constexpr std::int64_t kYearMinusOne = std::int64_t{1} << 36;  // before all years of four digits
  const std::int64_t since = *seconds + kYearMinusOne;
  char text[32];
  std::snprintf(text, sizeof text, "%010" PRIx64, static_cast<std::uint64_t>(since));
  std::string sortable = text;
  const std::size_t point = rfc3339.find('.');
  if (point == std::string_view::npos) return sortable;
  std::string_view fraction = rfc3339.substr(point);
  fraction = fraction.substr(0, fraction.find_first_not_of("0123456789", 1));
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  return fraction == "." ? sortable : sortable.append(fraction);
}

IndexedFields indexed_fields(const media::Media& media) {
  return {.id = media.id.value(),
          .created = sortable_time(media.created),
          .updated = sortable_time(media.updated),
          .name = without_separator(text::nfc(media.name)),
          .project = media.project ? media.project->value() : "",
          .type = without_marks(media.type),
          .status = media.status};
}

IndexedFields indexed_fields(const media::Project& project) {
  return {.id = project.id.value(),
          .created = sortable_time(project.created),
          .updated = sortable_time(project.updated),
          .name = without_separator(text::nfc(project.name)),
          .project = {},
          .type = {}};
}

std::string CatalogIndex::place_of(const media::Media& media) const {
  return sort_key(indexed_fields(media), SortBy::Created);
}

bool CatalogIndex::is_place(const std::string& text) const {
  const std::size_t end = text.find(kSeparator);
  return end != std::string::npos && media::HashedId::parse(text.substr(end + 1));
}

loop::Task<std::vector<CatalogIndex::Subject>> CatalogIndex::noted(media::AccountId account,
                                                                   std::size_t most) {
  const std::string key = keys::changed(account);
  const std::string last = most == kAllNotes ? "-1" : std::to_string(most - 1);
  redis::Store::Call call = store_.read({"ZRANGE", key, "0", last, "WITHSCORES"});
  const redis::Reply reply = co_await call;
  const std::int64_t long_ago =
      note_time() - std::chrono::duration_cast<std::chrono::microseconds>(kWriting).count();
  std::vector<Subject> subjects;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    const auto record = parse_note_member(reply.at(i).text().value_or(""));
    const auto score = base::parse_number<std::int64_t>(reply.at(i + 1).text().value_or(""));
    if (!record || !score) continue;
    const bool is_written = *score < 0 || *score < long_ago;
    subjects.push_back({.record = *record, .score = is_written ? *score : 0});
  }
  co_return subjects;
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

// Leaves out records that cannot be read: their entries and notes stay.
loop::Task<std::vector<CatalogIndex::Subject>> CatalogIndex::read_now(
    media::AccountId account, std::vector<Subject> subjects) {
  std::vector<Subject> read;
  for (std::size_t i = 0; i < subjects.size(); i += kRecordsPerRead) {
    const auto batch =
        std::span(subjects).subspan(i, std::min(kRecordsPerRead, subjects.size() - i));
    std::vector<std::string> keys;
    for (const Subject& subject : batch) keys.push_back(record_key(subject.record));
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    redis::Store::Call call = store_.read(words);
    const redis::Reply reply = co_await call;
    std::vector<std::string> missing;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if (!reply.at(k).text()) missing.push_back(keys[k]);
    }
    const std::vector<std::string> foreign = co_await foreign_of(std::move(missing));
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const auto keep = [&]<class Record>(const Record* type) {
        const auto text = reply.at(k).text();
        if (!text && std::ranges::find(foreign, keys[k]) != foreign.end())
          return log_corrupt_record(keys[k], kForeignType);
        if (text) {
          const auto record = parse(document_, *text, type);
          if (!record) return log_corrupt_record(keys[k], record.error());
          // It may belong to another account now.
          if (record->account == account) batch[k].now = indexed_fields(*record);
        }
        read.push_back(std::move(batch[k]));
      };
      batch[k].record.kind == Indexed::Media ? keep(static_cast<const media::Media*>(nullptr))
                                             : keep(static_cast<const media::Project*>(nullptr));
    }
  }
  co_return read;
}

loop::Task<bool> CatalogIndex::try_update(media::AccountId account, const std::vector<Subject>& all,
                                          bool only_noted) {
  IndexEdit edit(store_, account);
  std::map<std::string, std::vector<std::string>> touched;  // keys by set
  for (const Subject& subject : all)
    touched[std::string(sets_of(subject.record.kind).state)].push_back(subject.record.id);
  for (auto& [set, keys] : touched) {
    co_await edit.load(set, std::move(keys));
  }
  // After the states: a writer that updates one of these now changes a block, so commit() refuses.
  std::vector<const Subject*> subjects;
  if (only_noted) {
    const std::vector<Subject> notes = co_await noted(account, kAllNotes);
    std::unordered_map<std::string, std::int64_t> scores;
    for (const Subject& each : notes) scores[note_member(each.record)] = each.score;
    for (const Subject& subject : all) {
      const auto score = scores.find(note_member(subject.record));
      if (score != scores.end() && score->second == subject.score) subjects.push_back(&subject);
    }
  } else {
    for (const Subject& subject : all) subjects.push_back(&subject);
  }
  touched.clear();
  struct Difference {
    std::vector<IndexPlace> erased;
    std::vector<IndexPlace> put;
  };
  std::vector<Difference> differences;
  std::vector<std::optional<IndexedFields>> states;
  for (const Subject* subject : subjects) {
    const auto& [record, score, now, wrong] = *subject;
    const std::string* state = edit.find(std::string(sets_of(record.kind).state), record.id);
    states.push_back(state == nullptr ? std::nullopt : std::optional(fields_of(record.id, *state)));
    Difference& difference = differences.emplace_back();
    if (now) difference.put = sorted_places(record.kind, *now);
    difference.erased = wrong;
    if (states.back())
      std::ranges::move(sorted_places(record.kind, *states.back()),
                        std::back_inserter(difference.erased));
    std::erase_if(difference.erased, [&](const IndexPlace& place) {
      return std::ranges::find(difference.put, place) != difference.put.end();
    });
    if (states.back() == now) difference.put.clear();
    for (const std::vector<IndexPlace>* places : {&difference.erased, &difference.put}) {
      for (const IndexPlace& place : *places) touched[place.set].push_back(place.key);
    }
  }
  for (auto& [set, keys] : touched) {
    co_await edit.load(set, std::move(keys));
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto& [record, score, now, wrong] = *subjects[i];
    const std::string set(sets_of(record.kind).state);
    if (score != 0) edit.drop(set, record.id, {note_member(record), score});
    for (const IndexPlace& place : differences[i].erased) edit.erase(place.set, place.key);
    if (states[i] == now) continue;
    const auto count = [&edit, &set, &of = record](const IndexedFields& fields,
                                                   std::int64_t difference) {
      edit.count(set, of.id, count_of(of.kind), difference);
      if (!fields.project.empty())
        edit.count(set, of.id, count_of_project(fields.project), difference);
    };
    if (states[i]) count(*states[i], -1);
    if (!now) {
      edit.erase(set, record.id);
      continue;
    }
    count(*now, 1);
    for (const IndexPlace& place : differences[i].put)
      edit.put(place.set, place.key, value_of(*now));
    edit.put(set, record.id, state_of(*now));
  }
  std::vector<std::string> last{std::string(kOfMedia.state), std::string(kOfProjects.state)};
  co_return co_await edit.commit(std::move(last));
}

loop::Task<> CatalogIndex::update_subjects(media::AccountId account,
                                           std::vector<Subject> subjects) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::vector<Subject> now = co_await read_now(account, subjects);
    if (now.empty()) co_return;
    const bool updated = co_await try_update(account, now);
    if (updated) co_return;
  }
  throw base::Unavailable(kChangesAllTheTime);
}

loop::Task<std::size_t> CatalogIndex::update(media::AccountId account, std::size_t most) {
  std::vector<Subject> subjects = co_await noted(account, most);
  const std::size_t found = subjects.size();
  if (found == 0) co_return 0;
  co_await update_subjects(account, std::move(subjects));
  co_return found;
}

// A full store refuses the update. The list is then read as the index has it.
loop::Task<> CatalogIndex::update_if_room(media::AccountId account) {
  try {
    co_await update(account);
  } catch (const redis::ErrorReply& error) {
    if (!is_full(error)) throw;
  }
}

loop::Task<> CatalogIndex::update(media::AccountId account, Indexed kind,
                                  std::vector<Written> written) {
  std::vector<Subject> subjects;
  subjects.reserve(written.size());
  for (Written& each : written) {
    subjects.push_back({.record = {kind, each.now.id}, .score = -each.noted, .now = {}});
    subjects.back().now = std::move(each.now);
  }
  for (int tries = 0; tries < kMostTries; ++tries) {
    const bool updated = co_await try_update(account, subjects, true);
    if (updated) co_return;
  }
  throw base::Unavailable(kChangesAllTheTime);
}

loop::Task<std::vector<IndexedFields>> CatalogIndex::indexed(media::AccountId account, Indexed kind,
                                                             std::string after, std::size_t most) {
  IndexRange range{
      .set = std::string(sets_of(kind).state), .after = std::move(after), .count = most};
  const std::vector<IndexEntry> entries = co_await read_index(store_, account, std::move(range));
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
  for (const Indexed kind : {Indexed::Media, Indexed::Project}) {
    std::string after;
    while (true) {
      const std::vector<IndexedFields> states =
          co_await indexed(account, kind, after, kEntriesPerRead);
      for (const IndexedFields& fields : states) {
        for (const IndexPlace& place : sorted_places(kind, fields))
          add(place.set, place.key, value_of(fields));
        ++counts[count_of(kind)];
        if (!fields.project.empty()) ++counts[count_of_project(fields.project)];
      }
      if (states.size() < kEntriesPerRead) break;
      after = states.back().id;
    }
  }
  for (const Sets* sets : {&kOfMedia, &kOfProjects}) {
    for (const auto* names : {&sets->sorted, &sets->sorted_in_project}) {
      for (const std::string_view name : *names) {
        if (name.empty()) continue;
        IndexRange range{.set = std::string(name), .count = kEntriesPerRead};
        std::size_t expected = sums[range.set];
        while (true) {
          const std::vector<IndexEntry> entries = co_await read_index(store_, account, range);
          sums[range.set] = 0;
          for (const IndexEntry& entry : entries) add(range.set, entry.key, entry.value);
          expected -= sums[range.set];
          if (entries.size() < range.count) break;
          range.after = entries.back().key;
        }
        if (expected != 0) co_return "the set " + range.set;
      }
    }
  }
  for (const auto& [field, count] : counts) {
    redis::Store::Call call = store_.read({"HMGET", keys::index(account), field});
    const redis::Reply reply = co_await call;
    if (reply.at(0).number() != count) co_return "the number of " + field;
  }
  co_return "";
}

void IndexLoad::add(media::AccountId account, Indexed kind, IndexedFields now, std::int64_t noted) {
  waiting_[account.value()][kind].push_back({std::move(now), noted});
  ++records_;
}

loop::Task<> IndexLoad::flush(bool all) {
  if (records_ == 0 || (!all && records_ < kLoadedAtOnce)) co_return;
  for (auto& [account, kinds] : std::exchange(waiting_, {})) {
    for (auto& [kind, written] : kinds) {
      const media::AccountId id{account};
      co_await index_.update(id, kind, std::move(written));
    }
  }
  records_ = 0;
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
      keys.push_back(record_key({kKindOf<Record>, ids[k]}));
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
        log_corrupt_record(record_key({kKindOf<Record>, id}), record.error());
      }
      if (pieces_ == nullptr) continue;
      co_await pieces_->add(text->size());
    }
  }
  const auto key_of = [&](std::size_t at) { return record_key({kKindOf<Record>, ids[at]}); };
  std::vector<std::string> keys;
  for (const std::size_t at : missing) keys.push_back(key_of(at));
  const std::vector<std::string> foreign = co_await foreign_of(std::move(keys));
  for (const std::size_t at : missing) {
    const std::string key = key_of(at);
    if (std::ranges::find(foreign, key) == foreign.end()) continue;
    found[at].is_unreadable = true;
    log_corrupt_record(key, kForeignType);
  }
  co_return found;
}

// Reads entries and their records. `project`: the beginning of all keys of this set, if it is a set
// of a project.
template <class Record>
loop::Task<CatalogIndex::Page<Record>> CatalogIndex::read_page(media::AccountId account, SortBy by,
                                                               std::string project,
                                                               IndexRange range) {
  Page<Record> page;
  const std::size_t asked = range.count;
  const std::string set = range.set;
  const std::vector<IndexEntry> entries = co_await read_index(store_, account, std::move(range));
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
    bool is_right = record && record->account == account;
    if (is_right) {
      const IndexedFields fields = indexed_fields(*record);
      is_right = (project.empty() || project == fields.project + kSeparator) &&
                 entries[i].key == project + sort_key(fields, by);
    }
    if (is_right) {
      page.records.push_back(std::move(*record));
    } else {
      page.wrong.push_back(Subject{.record = {kKindOf<Record>, std::move(ids[i])},
                                   .wrong = {{set, entries[i].key}}});
    }
  }
  co_return page;
}

// Reads until the page is full. If an entry is wrong, mends it and begins again: it may belong to
// another place.
template <class Record, class Wanted>
loop::Task<std::vector<Record>> CatalogIndex::list(media::AccountId account, media::ListOrder order,
                                                   std::string project, IndexRange range,
                                                   Wanted wanted,
                                                   std::vector<std::string>* unreadable) {
  for (int tries = 0;; ++tries) {
    if (unreadable != nullptr) unreadable->clear();
    IndexRange rest = range;
    rest.ascending = order.ascending;
    // The index can leave out entries itself only if it knows which of them are wanted.
    std::size_t to_leave_out = wanted ? order.offset : 0;
    rest.offset = wanted ? 0 : order.offset;
    std::vector<Record> found;
    std::vector<Subject> wrong;
    bool is_whole = order.count == 0;
    while (found.size() < order.count && !is_whole) {
      rest.count = wanted ? kRecordsPerRead : order.count - found.size();
      Page<Record> page = co_await read_page<Record>(account, order.by, project, rest);
      is_whole = page.is_whole;
      std::ranges::move(page.wrong, std::back_inserter(wrong));
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
    if (wrong.empty() || tries == 2) co_return found;
    try {
      co_await update_subjects(account, std::move(wrong));
    } catch (const redis::ErrorReply& error) {
      if (!is_full(error)) throw;
      co_return found;
    }
  }
}

loop::Task<std::vector<media::Media>> CatalogIndex::medias(media::AccountId account,
                                                           media::MediaQuery query) {
  using Wanted = std::function<bool(const media::Media&)>;
  co_await update_if_room(account);
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
  const std::string project = query.project ? query.project->value() + kSeparator : "";
  const auto set_of = [&](SortBy by) {
    const auto index = static_cast<std::size_t>(by);
    return std::string(query.project ? kOfMedia.sorted_in_project.at(index)
                                     : kOfMedia.sorted.at(index));
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
  IndexRange range{.set = std::string(kOfMedia.state), .count = kEntriesPerSearch};
  const auto is_before = [&query](const std::string& one, const std::string& other) {
    return query.order.ascending ? one < other : other < one;
  };
  std::size_t all = 0;
  for (std::size_t looked_at = 0; looked_at <= kMostSearched; looked_at += kEntriesPerSearch) {
    const std::vector<IndexEntry> entries = co_await read_index(store_, account, range);
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
  const std::string project = query.project ? query.project->value() + kSeparator : "";
  constexpr auto kByName = static_cast<std::size_t>(SortBy::Name);
  IndexRange range{.set = std::string(query.project ? kOfMedia.sorted_in_project.at(kByName)
                                                    : kOfMedia.sorted.at(kByName)),
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
    const std::vector<IndexEntry> entries = co_await read_index(store_, account, range);
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
  co_await update_if_room(account);
  constexpr auto kByCreation = static_cast<std::size_t>(SortBy::Created);
  const std::string prefix = project.value() + kSeparator;
  IndexRange range{.set = std::string(kOfMedia.sorted_in_project.at(kByCreation)),
                   .prefix = prefix,
                   .count = count};
  if (!after.empty()) range.after = prefix + after;
  const std::vector<IndexEntry> entries = co_await read_index(store_, account, std::move(range));
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
  co_await update_if_room(account);
  IndexRange range{.set = std::string(kOfProjects.sorted.at(static_cast<std::size_t>(order.by)))};
  std::string all_projects;
  std::function<bool(const media::Project&)> every;
  co_return co_await list<media::Project>(account, order, std::move(all_projects), range,
                                          std::move(every));
}

loop::Task<std::vector<media::NamedProject>> CatalogIndex::named_projects(media::AccountId account,
                                                                          std::size_t count) {
  co_await update_if_room(account);
  IndexRange range{
      .set = std::string(kOfProjects.sorted.at(static_cast<std::size_t>(SortBy::Name))),
      .count = count};
  const std::vector<IndexEntry> entries = co_await read_index(store_, account, std::move(range));
  std::vector<media::NamedProject> found;
  for (const IndexEntry& entry : entries) {
    auto id = media::ProjectId::parse(id_in(entry.key));
    if (id) found.push_back({*std::move(id), entry.key.substr(0, entry.key.rfind(kSeparator))});
  }
  co_return found;
}

// Usually notes are absent, and one round trip is enough.
loop::Task<media::CatalogCounts> CatalogIndex::counts(media::AccountId account,
                                                      std::optional<media::ProjectId> project) {
  const std::string medias =
      project ? count_of_project(project->value()) : std::string(kMediaCount);
  const std::string index = keys::index(account);
  const std::string changed = keys::changed(account);
  redis::Store::Calls calls(store_);
  calls.read({"ZRANGE", changed, "0", "0"});
  calls.read({"HMGET", index, medias, kProjectCount});
  const redis::Reply notes = co_await calls.next();
  const redis::Reply reply = co_await calls.next();
  if (notes.size() == 0) co_return media::CatalogCounts{reply.at(0).number(), reply.at(1).number()};
  co_await update_if_room(account);
  redis::Store::Call again = store_.read({"HMGET", index, medias, kProjectCount});
  const redis::Reply now = co_await again;
  co_return media::CatalogCounts{now.at(0).number(), now.at(1).number()};
}

// The list corrects entries that are not those of their records, and then the number.
loop::Task<std::int64_t> CatalogIndex::count_exactly(media::AccountId account,
                                                     media::ProjectId project) {
  co_await update(account, kAllNotes);
  media::MediaQuery query{.order = {.count = 1}};
  query.project = project;
  const std::vector<media::Media> first = co_await medias(account, std::move(query));
  if (first.empty()) co_return 0;
  std::optional<media::ProjectId> of_project{project};
  const media::CatalogCounts counted = co_await counts(account, std::move(of_project));
  co_return std::max<std::int64_t>(counted.medias, 1);
}

}  // namespace svc::stores
