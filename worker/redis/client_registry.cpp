#include "redis/client_registry.h"

#include <vector>

#include "redis/kept_token.h"
#include "redis/keys.h"
#include "redis/record.h"
#include "redis/replace.h"
#include "redis/scan.h"
#include "redis/script.h"

namespace svc::redis {
namespace {

// KEYS: a record. ARGV: its text.
const Script kRemoveIfSame(R"(
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1)");

}  // namespace

base::Result<oauth::Client, std::string> ClientRegistry::parse(std::string_view text) {
  const auto value = document_.parse(text, text::json::Origin::Ours);
  if (!value) return base::Refusal{std::string(value.error())};
  text::JsonRecord record(*value);
  return oauth::client_from_record(record);
}

oauth::Client ClientRegistry::read(const std::string& key, std::string_view text) {
  return must_read(key, parse(text));
}

std::optional<oauth::Client> ClientRegistry::find(const oauth::ClientId& id) {
  const std::string key = keys::client(id);
  const Reply reply = connection_.read({"GET", key});
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return read(key, *text);
}

bool ClientRegistry::is_stored(const oauth::ClientId& id) {
  return connection_.read({"GET", keys::client(id)}).text().has_value();
}

// A round trip for all, and a key each: they lie in different slots.
std::vector<oauth::Client> ClientRegistry::find_all(const std::vector<oauth::ClientId>& ids) {
  for (const oauth::ClientId& id : ids) connection_.send({"GET", keys::client(id)});
  std::vector<Reply> records;
  for (std::size_t i = 0; i < ids.size(); ++i) records.push_back(connection_.receive());
  std::vector<oauth::Client> clients;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto text = records[i].text();
    if (!text) continue;
    if (auto client = parse(*text)) {
      clients.push_back(std::move(*client));
    } else {
      log_corrupt_record(keys::client(ids[i]), client.error());
    }
  }
  return clients;
}

std::vector<oauth::Client> ClientRegistry::of(media::AccountId account) {
  const Reply members = connection_.read({"SMEMBERS", keys::account_clients(account)});
  std::vector<oauth::ClientId> ids;
  for (std::size_t i = 0; i < members.size(); ++i)
    ids.push_back({std::string(members.at(i).text().value_or(""))});
  std::vector<oauth::Client> clients = find_all(ids);
  // One may have come to another account since.
  std::erase_if(clients, [&](const oauth::Client& client) { return client.account != account; });
  return clients;
}

// The list first: what it names and is not there is nothing, but an application that no list names
// could not be found.
bool ClientRegistry::add(const oauth::Client& client) {
  connection_.command({"SADD", keys::account_clients(client.account), client.id.text});
  return replace(connection_, keys::client(client.id), "", to_record(client));
}

base::Result<oauth::Client, std::string> ClientRegistry::change(const oauth::ClientId& id,
                                                                const Change& change) {
  const std::string key = keys::client(id);
  while (true) {
    const Reply reply = connection_.read({"GET", key});
    const auto before = reply.text();
    if (!before) return base::Refusal{"there is no application " + id.text};
    const oauth::Client client = read(key, *before);
    auto changed = change(client);
    if (!changed) return changed;
    const std::string after = to_record(*changed);
    // Nothing is written where nothing changed.
    if (after == to_record(client) || replace(connection_, key, *before, after)) return changed;
  }
}

// The note first, so that whatever is interrupted behind it is done by ending().
bool ClientRegistry::remove(const oauth::ClientId& id, std::int64_t now) {
  const std::string key = keys::client(id);
  const Reply record = connection_.read({"GET", key});
  const auto text = record.text();
  if (!text) return false;
  const auto client = parse(*text);
  // The time in seconds is above any version that counts changes of an unreadable record.
  const std::int64_t version = client ? client->permission_version : now;
  // The tombstone comes first, so that an import finds one for every deleted record. A restored
  // application gets a new permission version: consent to the deleted one is not consent to it.
  connection_.send({"SET", keys::deleted_client(id), std::to_string(version + 1)});
  connection_.send({"ZADD", keys::kEndingClients, std::to_string(now), id.text});
  // An unreadable record names no account. What a list names and is not there is nothing.
  if (client) connection_.send({"SREM", keys::account_clients(client->account), id.text});
  connection_.send({"DEL", key});
  for (int i = 0; i < (client ? 3 : 2); ++i) connection_.receive();
  return connection_.receive().integer() == 1;
}

bool ClientRegistry::is_ending(const oauth::ClientId& id) {
  return connection_.read({"ZSCORE", keys::kEndingClients, id.text}).text().has_value();
}

std::vector<oauth::Applications::Ending> ClientRegistry::ending() {
  constexpr std::string_view kLast = "99";  // so many, and one, at a time
  const Reply entries =
      connection_.read({"ZRANGE", keys::kEndingClients, "0", kLast, "WITHSCORES"});
  std::vector<Ending> all;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    Ending one{{std::string(field(entries, i))}, to_number(field(entries, i + 1))};
    const std::string key = keys::client(one.id);
    const Reply record = connection_.read({"GET", key});
    if (const auto text = record.text(); text && is_ending(one.id)) {
      // A record without a tombstone was restored by an import. The tombstone is read after the
      // record: an import that restores it in between changes the record, and the script leaves it.
      const Reply tombstone = connection_.read({"GET", keys::deleted_client(one.id)});
      one.restored = !tombstone.text();
      if (one.restored) {
        all.push_back(std::move(one));
        continue;
      }
      // Only this very record: the id may be given again at any moment, and then it is not ending.
      if (const auto client = parse(*text))
        connection_.command({"SREM", keys::account_clients(client->account), one.id.text});
      const std::vector<std::string> keys{key};
      const std::vector<std::string> before{std::string(*text)};
      connection_.eval(kRemoveIfSame, keys, before);
    }
    all.push_back(std::move(one));
  }
  return all;
}

void ClientRegistry::has_ended(const oauth::ClientId& id) {
  connection_.command({"ZREM", keys::kEndingClients, id.text});
}

void ClientRegistry::for_each(
    const std::function<void(const oauth::Client&)>& see,
    const std::function<void(const std::string&, const std::string&)>& unreadable) {
  scan(connection_, keys::client({"*"}), [&](const std::vector<std::string>& keys) {
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    const Reply records = connection_.read(words);
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
  });
}

}  // namespace svc::redis
