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

bool ClientRegistry::add(const oauth::Client& client) {
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
  connection_.command({"DEL", keys::client_grants(id)});
  return connection_.command({"DEL", keys::client(id)}).integer() == 1;
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
