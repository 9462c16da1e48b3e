// client_index: finds applications by what their records contain: an index is a sorted set of
// entries "<name> <client_id>" with equal scores. ClientRegistry writes all of them.
//
//   oauth:public_clients   https://spa.example public-app-0001    an origin of a redirect URI
//                           desktop-app-0001                      no origin: private-use schemes
//   oauth:resources        https://mcp.example/mcp mcp-server-1   a resource of a resource server
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "oauth/client.h"
#include "redis/store.h"
#include "stores/keys.h"

namespace svc::stores {

inline constexpr std::array<std::string_view, 2> kClientIndexes{keys::kPublicClients,
                                                                keys::kResources};

struct ClientEntry {
  std::string_view index;  // its key
  std::string text;
  bool operator==(const ClientEntry&) const = default;
};
// Returns the entries of an application in all indexes.
std::vector<ClientEntry> index_entries(const oauth::Client& client);

// Returns the id in an entry.
std::string_view client_in(std::string_view entry);

// Returns the clients with this name in an index, up to two. Throws base::Unavailable.
loop::Task<std::vector<oauth::ClientId>> clients_with(redis::Store& store, std::string_view index,
                                                      std::string name);

}  // namespace svc::stores
