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

namespace svc::stores {
namespace {

// Of client_registry.lua.
constexpr std::string_view kAnyTombstone = "*";
constexpr std::string_view kAllEntries = "*";

std::string word_of(char sign, const ClientEntry& entry) {
  const char index = entry.index == keys::kPublicClients ? 'p' : 'r';
  return std::string{sign, index} + entry.text;
}

}  // namespace

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
  std::vector<oauth::Client> clients = co_await find_all(ids);
  // The set may contain an application that has moved to another account.
  std::erase_if(clients, [&](const oauth::Client& client) { return client.account != account; });
  co_return clients;
}

loop::Task<ClientRegistry::Written> ClientRegistry::put(const oauth::Client& client,
                                                        const std::optional<oauth::Client>& stored,
                                                        std::string_view before,
                                                        std::optional<std::string_view> tombstone,
                                                        std::optional<std::int64_t> most) {
  const media::AccountId former = stored ? stored->account : client.account;
  functions::WriteClient run{.client = keys::client(client.id),
                             .clients = keys::account_clients(client.account),
                             .former = keys::account_clients(former),
                             .tombstone = keys::deleted_client(client.id),
                             .publics = keys::kPublicClients,
                             .resources = keys::kResources,
                             .records = keys::client({}),
                             .id = client.id.value(),
                             .account = client.account.value(),
                             .before = before,
                             .after = to_record(client, stored ? &*stored : nullptr),
                             .deleted = tombstone.value_or(kAnyTombstone),
                             .most = most ? std::to_string(*most) : "",
                             .entries = {}};
  const std::vector<ClientEntry> had = stored ? index_entries(*stored) : std::vector<ClientEntry>();
  const std::vector<ClientEntry> has = index_entries(client);
  for (const ClientEntry& entry : had) {
    if (std::ranges::find(has, entry) == has.end()) run.entries.emplace_back(word_of('-', entry));
  }
  for (const ClientEntry& entry : has) {
    if (std::ranges::find(had, entry) == had.end()) run.entries.emplace_back(word_of('+', entry));
  }
  const redis::Reply reply = co_await store_.call(std::move(run));
  const std::string_view outcome = reply.text().value_or("");
  if (outcome == "done") co_return Written::Done;
  if (outcome == "taken") co_return Written::ResourceTaken;
  co_return outcome == "full" ? Written::Full : Written::Changed;
}

loop::Task<std::optional<oauth::ApplicationRefusal>> ClientRegistry::add(
    const oauth::Client& client, std::int64_t most) {
  const Written written = co_await put(client, std::nullopt, "", std::nullopt, most);
  switch (written) {
    case Written::Done: break;
    case Written::Changed: co_return oauth::ApplicationRefusal::IdTaken;
    case Written::ResourceTaken: co_return oauth::ApplicationRefusal::ResourceTaken;
    case Written::Full: co_return oauth::ApplicationRefusal::TooManyApplications;
  }
  co_return std::nullopt;
}

loop::Task<bool> ClientRegistry::write(const oauth::Client& client, std::string_view before,
                                       std::string_view tombstone) {
  std::optional<oauth::Client> stored;
  if (auto read = parse(before)) stored = std::move(*read);
  const Written written = co_await put(client, stored, before, tombstone);
  co_return written == Written::Done;
}

loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> ClientRegistry::change(
    const oauth::ClientId& id, const Change& change) {
  const std::string key = keys::client(id);
  while (true) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await call;
    const auto before = reply.text();
    if (!before) co_return base::Refusal{oauth::ApplicationRefusal::NotFound};
    const std::optional<oauth::Client> client = read(key, *before);
    auto changed = change(*client);
    if (!changed) co_return changed;
    // Unchanged: write nothing.
    if (to_record(*changed, &*client) == to_record(*client, &*client)) co_return changed;
    const Written written = co_await put(*changed, client, *before);
    if (written == Written::Done) co_return changed;
    if (written == Written::ResourceTaken)
      co_return base::Refusal{oauth::ApplicationRefusal::ResourceTaken};
  }
}

loop::Task<bool> ClientRegistry::remove(const oauth::ClientId& id, std::int64_t now) {
  while (true) {
    redis::Store::Call get = store_.get(keys::client(id));
    const redis::Reply record = co_await get;
    const auto text = record.text();
    if (!text) co_return false;
    const auto client = parse(*text);
    // For an unreadable record, use the time in seconds: it is above any version, which counts
    // changes. A restored application gets a new permission version, so that consent to the deleted
    // application does not apply to it.
    const std::int64_t version = client ? client->permission_version : now;
    const std::string outcome = co_await take_out(id, *text, std::to_string(version + 1), now);
    if (outcome != "changed") co_return outcome == "done";
  }
}

loop::Task<std::string> ClientRegistry::take_out(const oauth::ClientId& id, std::string_view before,
                                                 std::string tombstone, std::int64_t now) {
  const auto client = parse(before);
  functions::RemoveClient run{
      .client = keys::client(id),
      // The account of an unreadable record is unknown. An id without a record is ignored there.
      .clients = keys::account_clients(client ? client->account : media::AccountId{}),
      .tombstone = keys::deleted_client(id),
      .ending = keys::kEndingClients,
      .publics = keys::kPublicClients,
      .resources = keys::kResources,
      .id = id.value(),
      .before = before,
      .deleted = std::move(tombstone),
      .time = now,
      .entries = {}};
  if (client) {
    for (const ClientEntry& entry : index_entries(*client))
      run.entries.emplace_back(word_of('-', entry));
  } else {
    run.entries.emplace_back(kAllEntries);
  }
  const redis::Reply reply = co_await store_.call(std::move(run));
  co_return std::string(reply.text().value_or(""));
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
  redis::Store::Call get = store_.get(keys::client(id));
  const redis::Reply record = co_await get;
  const auto text = record.text();
  if (!text) co_return false;
  // A record without a tombstone was restored by an import. Delete only the text that was read: the
  // id can be registered again at any time, and is then not ending.
  const std::string outcome = co_await take_out(id, *text, "", 0);
  co_return outcome == "restored";
}

loop::Task<> ClientRegistry::has_ended(const oauth::ClientId& id) {
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
