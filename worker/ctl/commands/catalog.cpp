#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/result.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/kinds.h"
#include "ctl/printable.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "media/account.h"
#include "media/contact.h"
#include "media/guard.h"
#include "media/media.h"
#include "media/playlist.h"
#include "oauth/client.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/change_note.h"
#include "stores/catalog/people.h"
#include "stores/catalog/uploads.h"
#include "stores/keys.h"
#include "stores/record_scan.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

using stores::Indexed;

constexpr std::size_t kKeysPerDeletion = 500;
constexpr std::size_t kStatesPerCheck = 10'000;
constexpr std::size_t kWrongNamed = 20;  // wrong records that are named

struct IndexedRecord {
  media::AccountId account;
  stores::IndexedFields fields;
};

using Parsed = base::Result<IndexedRecord, std::string>;

template <class Record>
Parsed as_indexed(const base::Result<Record, std::string>& read) {
  if (!read) return base::Refusal{read.error()};
  return IndexedRecord{read->account, stores::indexed_fields(*read)};
}

// The refusal says why the record cannot be read.
Parsed parse_indexed(text::json::Document& document, Indexed kind, std::string_view text) {
  return kind == Indexed::Media
             ? as_indexed(media::media_from_stored(document, text, media::Detail::All))
             : as_indexed(text::parse_record(document, text, media::project_from_record));
}

const char* prefix_of(Indexed kind) {
  return kind == Indexed::Media ? stores::keys::kMedias : stores::keys::kProjects;
}

// Calls visit() with each batch of the records of both kinds.
void for_each_batch(
    const Store& store, const char* name,
    const std::function<void(Indexed, const std::vector<stores::StoredRecord>&)>& visit) {
  ProgressBar bar(name, kWholeStore);
  std::uint64_t seen = 0;
  for (const Indexed kind : {Indexed::Project, Indexed::Media}) {
    stores::RecordScan scan(store.redis, prefix_of(kind), redis::Scan::Repeats::Possible);
    while (const auto records = store.run(scan.next())) {
      visit(kind, *records);
      seen += records->size();
      bar.update(part_of_store(scan.fraction_done()), seen);
    }
  }
}

void delete_index(const Store& store) {
  for (const char* kind : stores::keys::kOfIndex) {
    redis::Scan scan(store.redis, std::string(kind) + "*", redis::Scan::Repeats::Possible);
    while (true) {
      const std::vector<std::string> keys = store.run(scan.next());
      if (keys.empty()) break;
      for (std::size_t i = 0; i < keys.size(); i += kKeysPerDeletion) {
        std::vector<std::string_view> words{"UNLINK"};
        for (std::size_t k = i; k < std::min(i + kKeysPerDeletion, keys.size()); ++k)
          words.push_back(keys[k]);
        store.run(store.redis.command(words));
      }
    }
  }
}

// svc-ingest finds the media in the index.
void guard_again(const Store& store, const std::set<std::int64_t>& accounts) {
  stores::Uploads uploads(store.redis);
  std::vector<media::Guarded> all;
  for (const std::int64_t id : accounts)
    all.push_back({.account = {id}, .turn = media::Guarded::Turn::Again});
  store.run(uploads.guard(std::move(all)));
}

// Each record is noted before it is read: a writer that changes it after that read notes it later.
Outcome reindex(const Arguments& arguments, Context& context) {
  const Store& store = context.store;
  delete_index(store);
  stores::CatalogIndex index(store.redis);
  stores::IndexLoad load(index);
  text::json::Document document;
  std::map<Indexed, std::int64_t> indexed;
  std::set<std::int64_t> accounts;
  std::int64_t unreadable = 0;
  for_each_batch(store, "records", [&](Indexed kind, const auto& records) {
    const std::int64_t time = stores::note_time();
    std::map<std::int64_t, stores::NotedChange> changes;
    std::vector<std::string> keys;
    for (const stores::StoredRecord& record : records) {
      const auto found = parse_indexed(document, kind, record.text);
      if (!found) continue;
      stores::NotedChange& change = changes[found->account.value()];
      change.account = found->account;
      change.records.push_back({kind, found->fields.id});
      keys.push_back(record.key);
    }
    std::vector<stores::NotedChange> noted;
    for (auto& [account, change] : changes) noted.push_back(std::move(change));
    store.run(stores::note(store.redis, noted, time, stores::NoteAt::After));
    unreadable += static_cast<std::int64_t>(records.size() - keys.size());
    for (const stores::StoredRecord& record :
         store.run(stores::read_records(store.redis, std::move(keys)))) {
      auto found = parse_indexed(document, kind, record.text);
      if (!found) continue;
      accounts.insert(found->account.value());
      load.add(found->account, kind, std::move(found->fields), time);
      ++indexed[kind];
    }
    store.run(load.flush(false));
  });
  store.run(load.flush(true));
  guard_again(store, accounts);
  Report report;
  report.integer("media", indexed[Indexed::Media])
      .integer("projects", indexed[Indexed::Project])
      .integer("unreadable", unreadable)
      .print(std::cout, arguments.json());
  return unreadable > 0 ? kRefused : kDone;
}

// Expected the index should have, by the records.
class Comparison {
 public:
  explicit Comparison(const Store& store) : store_(store), index_(store.redis) {}

  void expect(Indexed kind, const IndexedRecord& found) {
    accounts_.insert(found.account.value());
    expected_[{kind, found.fields.id}] = {found.account.value(), digest_of(found.fields)};
  }
  // A record that cannot be read: lists leave it out, and its entries stay.
  void leave_out(Indexed kind, std::string id) { left_out_.insert({kind, std::move(id)}); }
  void expect_account(std::int64_t account) { accounts_.insert(account); }

  // Returns the wrong entries; `noted` counts those that the next reader brings up to date.
  std::vector<std::string> run(std::int64_t& noted) {
    std::vector<std::string> wrong;
    std::set<std::string> notes;
    ProgressBar bar("accounts", accounts_.size());
    std::uint64_t seen = 0;
    for (const std::int64_t number : accounts_) {
      const media::AccountId account{number};
      for (const std::string& member : store_.run(stores::noted_members(store_.redis, account)))
        notes.insert(member);
      for (const Indexed kind : {Indexed::Media, Indexed::Project}) compare(account, kind, wrong);
      if (const std::string set = store_.run(index_.disagreement(account)); !set.empty())
        wrong.push_back("account " + std::to_string(number) + ": " + set);
      ++seen;
      bar.update(seen, seen);
    }
    for (const auto& [record, what] : expected_)
      wrong.push_back(stores::note_member({record.first, record.second}) + ": missing");
    const auto is_noted = [&](const std::string& text) {
      return notes.contains(text.substr(0, text.find(':')));
    };
    noted = static_cast<std::int64_t>(std::erase_if(wrong, is_noted));
    return wrong;
  }

 private:
  struct Expected {
    std::int64_t account = 0;
    std::size_t digest = 0;
  };

  static std::size_t digest_of(const stores::IndexedFields& fields) {
    std::string all;
    for (const std::string* text :
         {&fields.created, &fields.updated, &fields.project, &fields.type, &fields.name})
      all.append(*text) += '\0';
    all.append(to_text(fields.status));
    return std::hash<std::string>()(all);
  }

  void compare(media::AccountId account, Indexed kind, std::vector<std::string>& wrong) {
    std::string after;
    while (true) {
      const std::vector<stores::IndexedFields> states =
          store_.run(index_.indexed(account, kind, after, kStatesPerCheck));
      for (const stores::IndexedFields& fields : states) {
        if (left_out_.contains({kind, fields.id})) continue;
        const auto at = expected_.find({kind, fields.id});
        const std::string member = stores::note_member({kind, fields.id});
        if (at == expected_.end() || at->second.account != account.value()) {
          wrong.push_back(member + ": not in the catalog of this account");
          continue;
        }
        if (at->second.digest != digest_of(fields)) wrong.push_back(member + ": out of date");
        expected_.erase(at);
      }
      if (states.size() < kStatesPerCheck) return;
      after = states.back().id;
    }
  }

  const Store& store_;
  stores::CatalogIndex index_;
  std::set<std::int64_t> accounts_;
  std::map<std::pair<Indexed, std::string>, Expected> expected_;
  std::set<std::pair<Indexed, std::string>> left_out_;
};

// Names the records of one kind that cannot be read, besides those of the index.
template <class Record>
std::int64_t name_unreadable(const Store& store, const char* prefix,
                             std::vector<std::string>& named,
                             base::Result<Record, std::string> (*from_record)(text::JsonRecord&)) {
  text::json::Document document;
  std::int64_t count = 0;
  stores::RecordScan scan(store.redis, prefix, redis::Scan::Repeats::Possible);
  while (const auto records = store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      const auto read = text::parse_record(document, record.text, from_record);
      if (read) continue;
      ++count;
      named.push_back(record.key + ": cannot be read: " + read.error());
    }
  }
  return count;
}

void print_named(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kWrongNamed); ++i)
    std::cerr << printable(lines[i]) << "\n";
  if (lines.size() > kWrongNamed) std::cerr << "and " << lines.size() - kWrongNamed << " more\n";
}

Outcome check_index(const Arguments& arguments, Context& context) {
  const Store& store = context.store;
  Comparison comparison(store);
  text::json::Document document;
  std::int64_t records_seen = 0;
  stores::RecordScan accounts(store.redis, stores::keys::kAccounts, redis::Scan::Repeats::Possible);
  while (const auto records = store.run(accounts.next())) {
    for (const stores::StoredRecord& record : *records) {
      const auto id = base::parse_number<std::int64_t>(
          record.key.substr(std::string_view(stores::keys::kAccounts).size()), 1);
      if (id) comparison.expect_account(*id);
    }
  }
  std::vector<std::string> damaged;
  const std::string applications = stores::keys::client({});
  std::int64_t unreadable =
      name_unreadable(store, stores::keys::kAccounts, damaged, media::account_from_record) +
      name_unreadable(store, stores::keys::kPlaylists, damaged, media::playlist_from_record) +
      name_unreadable(store, stores::keys::kContactRecords, damaged, media::contact_from_record) +
      name_unreadable(store, applications.c_str(), damaged, oauth::client_from_record);
  for_each_batch(store, "records", [&](Indexed kind, const auto& records) {
    for (const stores::StoredRecord& record : records) {
      const auto found = parse_indexed(document, kind, record.text);
      if (found) {
        ++records_seen;
        comparison.expect(kind, *found);
        continue;
      }
      ++unreadable;
      damaged.push_back(record.key + ": cannot be read: " + found.error());
      comparison.leave_out(kind, record.key.substr(std::string_view(prefix_of(kind)).size()));
    }
  });
  std::int64_t noted = 0;
  const std::vector<std::string> wrong = comparison.run(noted);
  print_named(damaged);
  print_named(wrong);
  if (!wrong.empty()) std::cerr << "svcctl catalog reindex makes the index again\n";
  Report report;
  report.integer("records", records_seen)
      .integer("unreadable", unreadable)
      .integer("wrong", static_cast<std::int64_t>(wrong.size()))
      .integer("noted", noted)
      .print(std::cout, arguments.json());
  return wrong.empty() && unreadable == 0 ? kDone : kRefused;
}

}  // namespace

const Group& catalog_commands() {
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "catalog",
      .subjects = "Records",
      .commands = {
          {.name = "catalog check",
           .summary = "Compare the index with the records",
           .syntax = {.json = kJsonObject},
           .details = {"Lists of the API and the pages read an index of media and projects by "
                       "creation, change and name. Reads all records and the whole index, and "
                       "prints each difference. Records that were written since the index was "
                       "last read are noted, and counted apart: the next list brings them up to "
                       "date. Changes during the check may be reported. Names each media, project, "
                       "playlist, account, user and application whose record cannot be read, with "
                       "the field: lists leave it out. An import of its line, svcctl media delete "
                       "or svcctl "
                       "project delete ends that."},
           .only_reads = always,
           .run = check_index},
          {.name = "catalog reindex",
           .summary = "Make the index again from the records",
           .syntax = {.json = kJsonObject},
           .details = {"Once after an upgrade from a version without an index, after catalog check "
                       "found a difference, or to free the memory of an index from which many "
                       "media were deleted. The service may run: until it is done, lists are "
                       "incomplete. If it is interrupted, run it again. svc-ingest then marks the "
                       "folders of all media again: after files or records came from a backup."},
           .run = reindex},
          {.name = "catalog kinds",
           .summary = "Print what the service stores in Redis",
           .syntax = {.operands = {{.takes = Takes::text("PREFIX"),
                                    .help = "only the kinds that begin with it, such as oauth:",
                                    .count = Operand::Count::Optional}},
                      .json = kJsonLines},
           .details =
               {"Each kind of record: its key, store and type, how long it lives, what makes "
                "it, the largest value and what bounds their number, and which users of Redis "
                "may run which commands on it. A store is the Redis that the setting of that "
                "name has; only redis-cache evicts. \"operator\" means that no client can make "
                "one. What functions do with it is more: `svcctl catalog functions`. Redis takes "
                "about 100 bytes more per key. Names in lines with rights alone, such as "
                "catalog:*, stand for all "
                "kinds that match."},
           .needs = Needs::Nothing,
           .run = print_kinds},
          functions_command(),
          load_functions_command()}};
  return kGroup;
}

}  // namespace svc::ctl
