#include "stores/access/client_registry.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "redis/scan.h"
#include "stores/access/client_index.h"
#include "stores/access/client_registry.lua.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "stores/replace.h"

namespace svc::stores {
base::Result<oauth::Client, std::string> ClientRegistry::parse(std::string_view text) {
  return text::parse_record(document_, text, oauth::client_from_record);
}

oauth::Client ClientRegistry::read(const std::string& key, std::string_view text) {
  return must_read(key, parse(text));
}

loop::Task<std::optional<oauth::Client>> ClientRegistry::find(const oauth::ClientId& id) {
  const std::string key = keys::client(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return read(key, *text);
}

loop::Task<bool> ClientRegistry::is_stored(const oauth::ClientId& id) {
  redis::Store::Call call = store_.get(keys::client(id));
  const redis::Reply reply = co_await call;
  co_return reply.text().has_value();
}

loop::Task<bool> ClientRegistry::has(media::AccountId account, oauth::ClientId id) {
  redis::Store::Call call = store_.get(keys::client(id));
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return false;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (value && value->is_object()) {
    text::JsonRecord record(*value);
    const std::int64_t owner = record.integer("account_id", 1, media::kMaxIntegerId);
    if (record.ok()) co_return owner == account.value();
  }
  const std::vector<oauth::ClientId> ids = co_await ids_of(account);
  co_return std::ranges::find(ids, id) != ids.end();
}

// One round trip, but one GET per key: the keys are in different slots.
loop::Task<std::vector<oauth::Client>> ClientRegistry::find_all(
    const std::vector<oauth::ClientId>& ids) {
  redis::Store::Calls calls(store_);
  for (const oauth::ClientId& id : ids) calls.get(keys::client(id));
  std::vector<oauth::Client> clients;
  for (const oauth::ClientId& id : ids) {
    const std::string key = keys::client(id);
    redis::Store::Call& call = calls.next();
    try {
      const redis::Reply record = co_await RecordRead{call, key};
      const auto text = record.text();
      if (!text) continue;
      if (auto client = parse(*text)) {
        clients.push_back(std::move(*client));
      } else {
        log_corrupt_record(key, client.error());
      }
    } catch (const base::Unreadable&) {
      // Of another type: it is logged.
    }
  }
  co_return clients;
}

loop::Task<std::vector<oauth::ClientId>> ClientRegistry::ids_of(media::AccountId account) {
  redis::Store::Call call = store_.read({"SMEMBERS", keys::account_clients(account)});
  const redis::Reply members = co_await call;
  std::vector<oauth::ClientId> ids;
  for (std::size_t i = 0; i < members.size(); ++i)
    ids.push_back({std::string(members.at(i).text().value_or(""))});
  co_return ids;
}

loop::Task<std::vector<oauth::Client>> ClientRegistry::of(media::AccountId account) {
  const std::vector<oauth::ClientId> ids = co_await ids_of(account);
  co_return co_await listed_of(account, ids);
}

loop::Task<std::vector<oauth::Client>> ClientRegistry::listed_of(
    media::AccountId account, const std::vector<oauth::ClientId>& ids) {
  std::vector<oauth::Client> clients = co_await find_all(ids);
  // The set may contain an application that has moved to another account.
  std::erase_if(clients, [&](const oauth::Client& client) { return client.account != account; });
  co_return clients;
}

// Add the id to the account's set first. An id without a record is ignored, but
// a record must be in a set to be found. Records and set are in several slots, so count after the
// record is written: the last of several writers sees the records of all. A writer takes its id
// back only if the number of ids is still the number that it saw, so of two writers only one does.
loop::Task<std::optional<oauth::ApplicationRefusal>> ClientRegistry::add(
    const oauth::Client& client, std::int64_t most) {
  const std::string key = keys::client(client.id);
  const std::string record = to_record(client);
  co_await list(client);
  const bool is_indexed = !index_entries(client).empty();
  if (is_indexed) {
    const bool is_shared = co_await shares_resource(client);
    if (is_shared) {
      co_await index(client.id);
      co_return oauth::ApplicationRefusal::ResourceTaken;
    }
  }
  const bool is_added = co_await replace(store_, key, "", record);
  if (!is_added) {
    if (is_indexed) co_await index(client.id);
    co_return oauth::ApplicationRefusal::IdTaken;
  }
  while (true) {
    const std::vector<oauth::ClientId> listed = co_await ids_of(client.account);
    const std::vector<oauth::Client> all = co_await listed_of(client.account, listed);
    if (std::ssize(all) <= most) co_return std::nullopt;
    functions::UnlistClient taking_back{.clients = keys::account_clients(client.account),
                                        .id = client.id.value(),
                                        .count = listed.size()};
    const redis::Reply taken = co_await store_.call(std::move(taking_back));
    if (taken.integer() == 1) break;
  }
  co_await release(store_, key, record);
  if (is_indexed) co_await index(client.id);
  co_return oauth::ApplicationRefusal::TooManyApplications;
}

loop::Task<bool> ClientRegistry::write(const oauth::Client& client, std::string_view before,
                                       std::string_view tombstone) {
  const std::string key = keys::client(client.id);
  const std::string tombstone_key = keys::deleted_client(client.id);
  text::json::Document document;
  const auto stored = text::parse_record(document, before, oauth::client_from_record);
  const std::string record = to_record(client, stored ? &*stored : nullptr);
  co_await list(client);
  bool is_written = co_await replace(store_, key, before, record);
  if (is_written) {
    is_written = co_await release(store_, tombstone_key, tombstone);
    // It was deleted after it was read, so the record was missing as expected.
    if (!is_written) co_await release(store_, key, record);
  }
  if (!index_entries(client).empty()) co_await index(client.id);
  co_return is_written;
}

loop::Task<> ClientRegistry::list(const oauth::Client& client) {
  redis::Store::Call listing =
      store_.command({"SADD", keys::account_clients(client.account), client.id.value()});
  co_await announce(client);
  co_await listing;
}

loop::Task<> ClientRegistry::announce(const oauth::Client& client) {
  const std::vector<ClientEntry> entries = index_entries(client);
  redis::Store::Calls calls(store_);
  for (const ClientEntry& entry : entries) calls.command({"ZADD", entry.index, "0", entry.text});
  while (calls.left() > 0) co_await calls.next();
}

loop::Task<bool> ClientRegistry::shares_resource(const oauth::Client& client) {
  const std::vector<ClientEntry> entries = index_entries(client);
  for (const ClientEntry& entry : entries) {
    if (entry.index != keys::kResources) continue;
    std::string resource = entry.text.substr(0, entry.text.find(' '));
    const std::vector<oauth::ClientId> owners =
        co_await clients_with(store_, entry.index, std::move(resource));
    if (owners.size() > 1) co_return true;
  }
  co_return false;
}

// Ends when it has read a record and its entries. So the entries of a later record are written by
// the writer of that record, after these.
loop::Task<> ClientRegistry::index(const oauth::ClientId& id) {
  while (true) {
    redis::Store::Calls reads(store_);
    reads.get(keys::client(id));
    for (const std::string_view key : kClientIndexes) reads.read({"ZRANGE", key, "0", "-1"});
    const redis::Reply record = co_await reads.next();
    std::vector<ClientEntry> missing;
    if (const auto text = record.text()) {
      const auto client = parse(*text);
      if (!client) co_return;
      missing = index_entries(*client);
    }
    redis::Store::Calls changes(store_);
    for (const std::string_view key : kClientIndexes) {
      const redis::Reply all = co_await reads.next();
      for (std::size_t i = 0; i < all.size(); ++i) {
        const ClientEntry entry{key, std::string(field(all, i))};
        if (client_in(entry.text) == id.value() && std::erase(missing, entry) == 0)
          changes.command({"ZREM", key, entry.text});
      }
    }
    for (const ClientEntry& entry : missing)
      changes.command({"ZADD", entry.index, "0", entry.text});
    if (changes.left() == 0) co_return;
    while (changes.left() > 0) co_await changes.next();
  }
}

loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> ClientRegistry::change(
    const oauth::ClientId& id, const Change& change) {
  bool is_announced = false;
  auto changed = co_await change_record(id, change, is_announced);
  if (is_announced) co_await index(id);
  co_return changed;
}

loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> ClientRegistry::change_record(
    const oauth::ClientId& id, const Change& change, bool& is_announced) {
  const std::string key = keys::client(id);
  while (true) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await call;
    const auto before = reply.text();
    if (!before) co_return base::Refusal{oauth::ApplicationRefusal::NotFound};
    const oauth::Client client = read(key, *before);
    auto changed = change(client);
    if (!changed) co_return changed;
    const std::string after = to_record(*changed, &client);
    // Unchanged: write nothing.
    if (after == to_record(client, &client)) co_return changed;
    if (index_entries(*changed) != index_entries(client)) {
      is_announced = true;
      co_await announce(*changed);
      const bool is_shared = co_await shares_resource(*changed);
      if (is_shared) co_return base::Refusal{oauth::ApplicationRefusal::ResourceTaken};
    }
    const bool written = co_await replace(store_, key, *before, after);
    if (written) co_return changed;
  }
}

// Marks the application as ending before it deletes the record, so that
// ending() completes an interrupted removal.
loop::Task<bool> ClientRegistry::remove(const oauth::ClientId& id, std::int64_t now) {
  const std::string key = keys::client(id);
  redis::Store::Call get = store_.get(key);
  const redis::Reply record = co_await get;
  const auto text = record.text();
  if (!text) co_return false;
  const auto client = parse(*text);
  // For an unreadable record, use the time in seconds: it is above any version,
  // which counts changes.
  const std::int64_t version = client ? client->permission_version : now;
  redis::Store::Calls calls(store_);
  // The tombstone comes first, so that an import finds one for every deleted
  // record. A restored application gets a new permission version, so that
  // consent to the deleted application does not apply to it.
  calls.command({"SET", keys::deleted_client(id), std::to_string(version + 1)});
  calls.command({"ZADD", keys::kEndingClients, std::to_string(now), id.value()});
  // First: a Redis that is full refuses these, but not the deletion.
  while (calls.left() > 0) co_await calls.next();
  // The account of an unreadable record is unknown. An id without a record in
  // the account's set is ignored.
  if (client) calls.command({"SREM", keys::account_clients(client->account), id.value()});
  calls.command({"DEL", key});
  while (calls.left() > 1) co_await calls.next();
  const redis::Reply deleted = co_await calls.next();
  const bool may_have_entries = !client || !index_entries(*client).empty();
  if (may_have_entries) co_await index(id);
  co_return deleted.integer() == 1;
}

loop::Task<bool> ClientRegistry::is_ending(const oauth::ClientId& id) {
  redis::Store::Call call = store_.read({"ZSCORE", keys::kEndingClients, id.value()});
  const redis::Reply score = co_await call;
  co_return score.text().has_value();
}

loop::Task<std::vector<oauth::Applications::Ending>> ClientRegistry::ending() {
  constexpr std::string_view kLast = "99";  // index: 100 at a time
  redis::Store::Call call = store_.read({"ZRANGE", keys::kEndingClients, "0", kLast, "WITHSCORES"});
  const redis::Reply entries = co_await call;
  std::vector<Ending> all;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    Ending one{{std::string(field(entries, i))}, to_number(field(entries, i + 1))};
    one.restored = co_await end_record(one.id);
    all.push_back(std::move(one));
  }
  co_return all;
}

loop::Task<bool> ClientRegistry::end_record(const oauth::ClientId& id) {
  const std::string key = keys::client(id);
  redis::Store::Call get = store_.get(key);
  const redis::Reply record = co_await get;
  const auto text = record.text();
  if (!text) co_return false;
  const bool still_ending = co_await is_ending(id);
  if (!still_ending) co_return false;
  // A record without a tombstone was restored by an import. The tombstone is read after the
  // record: an import that restores it in between changes the record, which stays then.
  redis::Store::Call get_tombstone = store_.get(keys::deleted_client(id));
  const redis::Reply tombstone = co_await get_tombstone;
  if (!tombstone.text()) co_return true;
  // Delete only the text that was read: the id can be registered again at any
  // time, and is then not ending.
  if (const auto client = parse(*text)) {
    redis::Store::Call unlist =
        store_.command({"SREM", keys::account_clients(client->account), id.value()});
    co_await unlist;
  }
  co_await release(store_, key, *text);
  co_return false;
}

loop::Task<> ClientRegistry::has_ended(const oauth::ClientId& id) {
  // Its removal, or that of end_record(), may have been interrupted.
  co_await index(id);
  redis::Store::Call call = store_.command({"ZREM", keys::kEndingClients, id.value()});
  co_await call;
}

loop::Task<> ClientRegistry::for_each(See see, Unreadable unreadable) {
  redis::Scan scan(store_, keys::client({"*"}));
  while (true) {
    const std::vector<std::string> keys = co_await scan.next();
    if (keys.empty()) co_return;
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    redis::Store::Call call = store_.read(words);
    const redis::Reply records = co_await call;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto text = records.at(i).text();
      if (!text) continue;
      const auto client = parse(*text);
      if (client) {
        see(*client);
      } else if (unreadable) {
        unreadable(keys[i], client.error());
      } else {
        corrupt_record(keys[i], client.error());
      }
    }
  }
}

}  // namespace svc::stores
