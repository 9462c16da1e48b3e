#include "redis/client_registry.h"

#include <vector>

#include "redis/keys.h"
#include "redis/record.h"
#include "redis/replace.h"
#include "redis/scan.h"

namespace svc::redis {

oauth::Client ClientRegistry::read(const std::string& key, std::string_view text) {
  const auto value = document_.parse(text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  return must_read(key, oauth::client_from_record(record));
}

std::optional<oauth::Client> ClientRegistry::find(const oauth::ClientId& id) {
  const std::string key = keys::client(id);
  const Reply reply = connection_.read({"GET", key});
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return read(key, *text);
}

std::vector<oauth::Client> ClientRegistry::of(media::AccountId account) {
  const Reply ids = connection_.read({"SMEMBERS", keys::account_clients(account)});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ids.size(); ++i)
    names.push_back(keys::client({std::string(ids.at(i).text().value_or(""))}));
  // A trip for all, and a key each: they lie in different slots.
  for (const std::string& name : names) connection_.send({"GET", name});
  std::vector<Reply> records;
  for (std::size_t i = 0; i < names.size(); ++i) records.push_back(connection_.receive());
  std::vector<oauth::Client> clients;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto text = records[i].text();
    if (!text) continue;
    oauth::Client client = read(names[i], *text);
    // It may have come to another account since.
    if (client.account == account) clients.push_back(std::move(client));
  }
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

bool ClientRegistry::remove(const oauth::ClientId& id) {
  const auto client = find(id);
  if (!client) return false;
  const bool removed = connection_.command({"DEL", keys::client(id)}).integer() == 1;
  connection_.command({"SREM", keys::account_clients(client->account), id.text});
  return removed;
}

void ClientRegistry::for_each(const std::function<void(const oauth::Client&)>& see) {
  scan(connection_, keys::client({"*"}), [&](const std::vector<std::string>& keys) {
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    const Reply records = connection_.read(words);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (const auto text = records.at(i).text()) see(read(keys[i], *text));
    }
  });
}

}  // namespace svc::redis
