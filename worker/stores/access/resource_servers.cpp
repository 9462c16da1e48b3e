#include "stores/access/resource_servers.h"

#include <vector>

#include "oauth/resource.h"
#include "stores/access/client_index.h"

namespace svc::stores {

// The record decides: an entry may be left of a record that is being changed.
loop::Task<std::optional<std::string>> ResourceServers::find_resource(std::string resource) {
  const std::string_view wanted = oauth::comparable(resource);
  std::string name(wanted);
  const std::vector<oauth::ClientId> ids =
      co_await clients_with(store_, keys::kResources, std::move(name));
  for (const oauth::ClientId& id : ids) {
    const std::optional<oauth::Client> server = co_await clients_.find_client(id);
    if (!server || !server->resource_server) continue;
    for (const std::string& own : server->resources) {
      if (oauth::comparable(own) == wanted) co_return own;
    }
  }
  co_return std::nullopt;
}

}  // namespace svc::stores
