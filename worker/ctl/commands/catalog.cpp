#include <algorithm>
#include <array>
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
#include "ctl/confirm.h"
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
#include "stores/catalog/commit.h"
#include "stores/catalog/index_build.h"
#include "stores/catalog/people.h"
#include "stores/catalog/uploads.h"
#include "stores/keys.h"
#include "stores/kinds.h"
#include "stores/record_scan.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

using stores::Indexed;

constexpr std::size_t kKeysPerDeletion = 500;
constexpr std::size_t kStatesPerCheck = 10'000;
constexpr std::size_t kWrongNamed = 20;  // wrong records that are named

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

void unlink(const Store& store, const std::vector<std::string>& keys) {
  for (std::size_t i = 0; i < keys.size(); i += kKeysPerDeletion) {
    std::vector<std::string_view> words{"UNLINK"};
    for (std::size_t k = i; k < std::min(i + kKeysPerDeletion, keys.size()); ++k)
      words.push_back(keys[k]);
    store.run(store.redis.command(words));
  }
}

void delete_index(const Store& store) {
  for (const char* kind : stores::keys::kOfIndex) {
    redis::Scan scan(store.redis, std::string(kind) + "*", redis::Scan::Repeats::Possible);
    while (true) {
      const std::vector<std::string> keys = store.run(scan.next());
      if (keys.empty()) break;
      unlink(store, keys);
    }
  }
}

// svc-keeper finds the media in the index.
void guard_again(const Store& store, const std::set<std::int64_t>& accounts) {
  stores::Uploads uploads(store.redis);
  std::vector<media::Guarded> all;
  for (const std::int64_t id : accounts)
    all.push_back({.account = {id}, .turn = media::Guarded::Turn::Again});
  store.run(uploads.guard(std::move(all)));
}

// Accounts with numbers, also those without any record.
void begin_known(const Store& store, std::set<std::int64_t>& accounts) {
  redis::Scan scan(store.redis, std::string(stores::keys::kIndexes) + "*",
                   redis::Scan::Repeats::Possible);
  while (true) {
    const std::vector<std::string> keys = store.run(scan.next());
    if (keys.empty()) return;
    for (const std::string& key : keys) {
      const auto account = stores::keys::account_of_index(key);
      if (!account || !accounts.insert(account->value()).second) continue;
      store.run(stores::begin_index(store.redis, *account));
    }
  }
}

// Notes the records of one account that are still as they were read.
void note_records(const Store& store, media::AccountId account, Indexed kind,
                  std::vector<std::pair<stores::StoredRecord, stores::IndexedFields>> records,
                  stores::IndexLoad& load) {
  text::json::Document document;
  while (!records.empty()) {
    stores::Commit commit(account);
    std::vector<stores::IndexedRecord> noted;
    std::size_t count = 0;
    for (; count < records.size() && !commit.is_full(); ++count) {
      const auto& [record, fields] = records[count];
      commit.must_be(record.key, record.text);
      commit.note({kind, fields.id}, std::nullopt, fields);
      noted.push_back({kind, fields.id});
    }
    if (store.run(commit.run(store.redis)) == stores::Commit::Outcome::Done) {
      for (stores::IndexedRecord& each : noted) load.add(account, std::move(each));
      records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
      continue;
    }
    std::vector<std::string> keys;
    for (const auto& [record, fields] : records) keys.push_back(record.key);
    records.clear();
    for (stores::StoredRecord& record :
         store.run(stores::read_records(store.redis, std::move(keys)))) {
      auto found = stores::indexed_in(document, kind, record.text);
      if (found && found->account == account)
        records.emplace_back(std::move(record), std::move(found->fields));
    }
  }
}

// A writer notes its own changes meanwhile. The numbers are counted at the end.
Outcome reindex(const Arguments& arguments, Context& context) {
  const Store& store = context.store;
  std::set<std::int64_t> accounts;
  begin_known(store, accounts);
  delete_index(store);
  stores::IndexLoad load(store.redis);
  text::json::Document document;
  std::map<Indexed, std::int64_t> indexed;
  std::int64_t unreadable = 0;
  for_each_batch(store, "records", [&](Indexed kind, const auto& records) {
    std::map<std::int64_t, std::vector<std::pair<stores::StoredRecord, stores::IndexedFields>>>
        by_account;
    for (const stores::StoredRecord& record : records) {
      auto found = stores::indexed_in(document, kind, record.text);
      if (!found) {
        ++unreadable;
        continue;
      }
      by_account[found->account.value()].emplace_back(record, std::move(found->fields));
      ++indexed[kind];
    }
    for (auto& [account, of_account] : by_account) {
      if (accounts.insert(account).second) store.run(stores::begin_index(store.redis, {account}));
      note_records(store, {account}, kind, std::move(of_account), load);
    }
    store.run(load.flush(false));
  });
  store.run(load.flush(true));
  for (const std::int64_t account : accounts)
    store.run(stores::finish_index(store.redis, {account}));
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

  void expect(Indexed kind, const stores::IndexedIn& found) {
    accounts_.insert(found.account.value());
    expected_[{kind, found.fields.id}] = {found.account.value(), digest_of(found.fields)};
  }
  // A record that cannot be read: lists leave it out, and its entries stay.
  void leave_out(Indexed kind, std::string id) { left_out_.insert({kind, std::move(id)}); }
  void expect_account(std::int64_t account) { accounts_.insert(account); }

  // Returns the wrong entries; `noted` counts those that are not in the blocks yet.
  std::vector<std::string> run(std::int64_t& noted) {
    std::vector<std::string> wrong;
    ProgressBar bar("accounts", accounts_.size());
    std::uint64_t seen = 0;
    for (const std::int64_t number : accounts_) {
      const media::AccountId account{number};
      const std::string key = stores::keys::unindexed(account);
      noted += store_.run(store_.redis.read({"HLEN", key})).integer();
      for (const Indexed kind : {Indexed::Media, Indexed::Project}) compare(account, kind, wrong);
      if (const std::string set = store_.run(index_.disagreement(account)); !set.empty())
        wrong.push_back("account " + std::to_string(number) + ": " + set);
      ++seen;
      bar.update(seen, seen);
    }
    for (const auto& [record, what] : expected_)
      wrong.push_back(to_text(stores::IndexedRecord{record.first, record.second}) + ": missing");
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
        const std::string member = to_text(stores::IndexedRecord{kind, fields.id});
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

// The kinds whose records check_index() reads.
bool is_record(const stores::Kind& kind) {
  const std::string_view begin = kind.key.substr(0, kind.key.find('<'));
  for (const std::string_view prefix :
       {std::string_view(stores::keys::kAccounts), std::string_view(stores::keys::kPlaylists),
        std::string_view(stores::keys::kContactRecords), std::string_view(stores::keys::kMedias),
        std::string_view(stores::keys::kProjects), std::string_view("oauth:client:")}) {
    if (begin == prefix) return true;
  }
  return false;
}

bool is_one_store(const Context& context) {
  return context.state.redis.address().to_text() == context.store.redis.address().to_text();
}

// Returns the problem; "" if the key is of no kind, or does not exist.
std::string why_not_of_type(const stores::Kind* kind, std::string_view type) {
  if (kind == nullptr || type == kind->type || type == "none") return "";
  return "its key has another type, " + std::string(type) + ": svcctl catalog discard";
}

// Names the keys of another type than that of their kind, except of records.
std::int64_t name_foreign(const Store& store, std::vector<std::string>& named) {
  std::int64_t count = 0;
  redis::Scan scan(store.redis, "*", redis::Scan::Repeats::Possible);
  while (true) {
    std::vector<std::string> keys = store.run(scan.next());
    if (keys.empty()) return count;
    std::erase_if(keys, [](const std::string& key) {
      const stores::Kind* const kind = stores::kind_of(key);
      return kind == nullptr || is_record(*kind);
    });
    redis::Store::Calls calls(store.redis);
    for (const std::string& key : keys) calls.read({"TYPE", key});
    for (const std::string& key : keys) {
      const redis::Reply reply = store.run(std::move(calls.next()));
      const std::string why = why_not_of_type(stores::kind_of(key), reply.text().value_or("none"));
      if (why.empty()) continue;
      ++count;
      named.push_back(key + ": " + why);
    }
  }
}

// Returns why the key of a record, a MGET of which returned `text`, cannot be read; "" if it can.
std::string why_unreadable(text::json::Document& document, std::string_view key,
                           std::string_view text) {
  const auto why = [](const auto& read) { return read ? std::string() : read.error(); };
  const auto parsed = [&](auto from_record) {
    return why(text::parse_record(document, text, from_record));
  };
  if (key.starts_with(stores::keys::kMedias))
    return why(stores::indexed_in(document, Indexed::Media, text));
  if (key.starts_with(stores::keys::kProjects))
    return why(stores::indexed_in(document, Indexed::Project, text));
  if (key.starts_with(stores::keys::kAccounts)) return parsed(media::account_from_record);
  if (key.starts_with(stores::keys::kPlaylists)) return parsed(media::playlist_from_record);
  if (key.starts_with(stores::keys::kContactRecords)) return parsed(media::contact_from_record);
  return parsed(oauth::client_from_record);
}

const Store& store_of(const Context& context, const stores::Kind& kind) {
  return kind.store == stores::Store::State ? context.state : context.store;
}

std::string type_of(const Store& store, const std::string& key) {
  return std::string(store.run(store.redis.read({"TYPE", key})).text().value_or("none"));
}

// Only those keys.
Outcome check_keys(const Arguments& arguments, const Context& context) {
  text::json::Document document;
  std::int64_t unreadable = 0;
  for (std::size_t i = 0; i < arguments.operands(); ++i) {
    const std::string& key = arguments.operand(i);
    const stores::Kind* const kind = stores::kind_of(key);
    if (kind == nullptr || kind->store == stores::Store::Cache) continue;
    const Store& store = store_of(context, *kind);
    std::string why = why_not_of_type(kind, type_of(store, key));
    if (is_record(*kind)) {
      const auto found = store.run(stores::read_records(store.redis, {key}));
      why = found.empty() ? "" : why_unreadable(document, key, found.front().text);
    }
    if (why.empty()) continue;
    ++unreadable;
    std::cerr << printable(key + ": " + (is_record(*kind) ? "cannot be read: " : "") + why) << "\n";
  }
  Report report;
  report.integer("unreadable", unreadable).print(std::cout, arguments.json());
  return unreadable == 0 ? kDone : kRefused;
}

// Which command deletes a record of that kind, with what belongs to it; "": none.
std::string_view own_command(const stores::Kind& kind) {
  for (const auto& [begin, command] :
       {std::pair<std::string_view, std::string_view>(stores::keys::kMedias, "svcctl media delete"),
        {stores::keys::kProjects, "svcctl project delete"},
        {stores::keys::kContactRecords, "svcctl user delete"},
        {"oauth:client:", "svcctl app delete"}}) {
    if (kind.key.starts_with(begin)) return command;
  }
  return "";
}

Outcome discard_key(const Arguments& arguments, Context& context) {
  const std::string& key = arguments.operand(0);
  const stores::Kind* const kind = stores::kind_of(key);
  if (kind == nullptr || kind->store == stores::Store::Cache)
    return Refusal{"the service does not store " + key + " there"};
  if (const std::string_view command = own_command(*kind); !command.empty())
    return Refusal{"use " + std::string(command) + ", which also deletes what belongs to it"};
  const Store& store = store_of(context, *kind);
  const std::string type = type_of(store, key);
  if (type == "none") return Refusal{"there is no " + key};
  Report report;
  report.text("key", key)
      .text("kind", kind->key)
      .text("holds", kind->holds)
      .text("type", type)
      .text("type_of_kind", kind->type);
  const Ending ending{.typed = key, .to_do = "delete it", .done = "deleted"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    return store.run(store.redis.command({"UNLINK", key})).integer() > 0;
  });
}

// Calls visit() with each batch of keys in one Redis that belong to the other one.
void for_each_stray(const Store& store, stores::Store other,
                    const std::function<void(const std::vector<std::string>&)>& visit) {
  redis::Scan scan(store.redis, "*", redis::Scan::Repeats::Possible);
  while (true) {
    std::vector<std::string> keys = store.run(scan.next());
    if (keys.empty()) return;
    std::erase_if(keys, [other](const std::string& key) {
      const stores::Kind* const kind = stores::kind_of(key);
      return kind == nullptr || kind->store != other;
    });
    if (!keys.empty()) visit(keys);
  }
}

Outcome prune(const Arguments& arguments, Context& context) {
  if (is_one_store(context))
    return Refusal{"redis-state and redis-catalog are the same Redis: nothing is in the wrong one"};
  redis::Scan accounts(context.store.redis, std::string(stores::keys::kAccounts) + "*");
  if (context.store.run(accounts.next()).empty())
    return Refusal{context.store.redis.address().to_text() +
                   " has no account: copy the catalog first"};
  const std::array<std::pair<const Store*, stores::Store>, 2> both{
      {{&context.state, stores::Store::Catalog}, {&context.store, stores::Store::State}}};
  std::array<std::int64_t, 2> strays{};
  for (std::size_t i = 0; i < both.size(); ++i) {
    for_each_stray(*both[i].first, both[i].second, [&](const std::vector<std::string>& keys) {
      strays[i] += static_cast<std::int64_t>(keys.size());
    });
  }
  Report report;
  report.integer("of_catalog_in_state", strays[0]).integer("of_state_in_catalog", strays[1]);
  const Ending ending{.typed = "delete", .to_do = "delete them", .done = "deleted"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    for (const auto& pair : both) {
      const Store& store = *pair.first;
      for_each_stray(store, pair.second,
                     [&store](const std::vector<std::string>& keys) { unlink(store, keys); });
    }
    return true;
  });
}

void print_named(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kWrongNamed); ++i)
    std::cerr << printable(lines[i]) << "\n";
  if (lines.size() > kWrongNamed) std::cerr << "and " << lines.size() - kWrongNamed << " more\n";
}

Outcome check_index(const Arguments& arguments, Context& context) {
  if (arguments.operands() > 0) return check_keys(arguments, context);
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
      name_unreadable(store, applications.c_str(), damaged, oauth::client_from_record) +
      name_foreign(store, damaged);
  if (!is_one_store(context)) unreadable += name_foreign(context.state, damaged);
  for_each_batch(store, "records", [&](Indexed kind, const auto& records) {
    for (const stores::StoredRecord& record : records) {
      const auto found = stores::indexed_in(document, kind, record.text);
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
           .summary = "Find what cannot be read, and compare the index with the records",
           .syntax = {.operands = {{.takes = Takes::text("KEY"),
                                    .help = "only what these keys of Redis hold, without the index",
                                    .count = Operand::Count::Any}},
                      .json = kJsonObject},
           .details = {"Lists of the API and the pages read an index of media and projects by "
                       "creation, change and name. Reads all records and the whole index, and "
                       "prints each difference. `noted` counts changes that lists merge, because "
                       "they are not in the index yet. "
                       "Changes during the check may be reported. Names each media, project, "
                       "playlist, account, user and application whose record cannot be read, with "
                       "the field: lists leave it out. An import of its line, svcctl media delete "
                       "or svcctl "
                       "project delete ends that. Names each key of another type than that of "
                       "its kind (svcctl catalog kinds), too: svcctl catalog discard ends that."},
           .only_reads = always,
           .run = check_index},
          {.name = "catalog reindex",
           .summary = "Make the index again from the records",
           .syntax = {.json = kJsonObject},
           .details = {"Once after an upgrade from a version without an index, after catalog check "
                       "found a difference, or to free the memory of an index from which many "
                       "media were deleted. The service may run: until it is done, lists are "
                       "incomplete. If it is interrupted, run it again. svc-keeper then marks the "
                       "folders of all media again: after files or records came from a backup."},
           .run = reindex},
          {.name = "catalog discard",
           .summary = "Delete a key that cannot be read",
           .syntax =
               {.operands = {{.takes = Takes::text("KEY"),
                              .help = "as record.corrupt in the log, or catalog check, names it"}},
                .flags = {yes_flag()},
                .json = kJsonObject},
           .details = {"Deletes a key of Redis, with all that it holds; the service makes it again "
                       "when it needs it. Only for a key that other software wrote, or that is "
                       "damaged: what it held is lost, such as the jobs of ingest:jobs or the "
                       "list of an account's tokens. Refuses records that have a command of their "
                       "own. Afterwards, catalog reindex if it began with catalog:index, "
                       "catalog:directory or catalog:block."},
           .run = discard_key},
          {.name = "catalog prune",
           .summary = "Delete from each Redis what belongs to the other one",
           .syntax = {.flags = {yes_flag()}, .json = kJsonObject},
           .details = {"Once after redis-catalog has become a Redis of its own, with a copy of all "
                       "that redis-state had. Refuses if that Redis has no account."},
           .run = prune},
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
