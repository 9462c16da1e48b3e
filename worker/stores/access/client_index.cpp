#include "stores/access/client_index.h"

#include "oauth/redirect_uri.h"
#include "oauth/resource.h"

namespace svc::stores {
namespace {

// Neither a name nor a client_id has it.
constexpr char kBetween = ' ';

}  // namespace

std::vector<ClientEntry> index_entries(const oauth::Client& client) {
  std::vector<ClientEntry> entries;
  if (client.is_public()) {
    for (std::string& origin : oauth::web_origins(client.redirect_uris))
      entries.push_back({keys::kPublicClients, std::move(origin)});
    if (entries.empty()) entries.push_back({keys::kPublicClients, ""});
  }
  if (client.resource_server) {
    for (const std::string& resource : client.resources)
      entries.push_back({keys::kResources, std::string(oauth::comparable(resource))});
  }
  for (ClientEntry& entry : entries) (entry.text += kBetween) += client.id.value();
  return entries;
}

std::string_view client_in(std::string_view entry) {
  return entry.substr(entry.find(kBetween) + 1);
}

loop::Task<std::vector<oauth::ClientId>> clients_with(redis::Store& store, std::string_view index,
                                                      std::string name) {
  const std::string first = "[" + name + kBetween;
  const std::string after = "(" + name + static_cast<char>(kBetween + 1);
  redis::Store::Call call = store.read({"ZRANGE", index, first, after, "BYLEX", "LIMIT", "0", "2"});
  const redis::Reply reply = co_await call;
  std::vector<oauth::ClientId> ids;
  for (std::size_t i = 0; i < reply.size(); ++i)
    ids.push_back({std::string(client_in(reply.at(i).text().value_or("")))});
  co_return ids;
}

}  // namespace svc::stores
