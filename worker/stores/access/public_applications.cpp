#include "stores/access/public_applications.h"

#include <string>
#include <vector>

#include "oauth/redirect_uri.h"
#include "stores/access/client_index.h"

namespace svc::stores {

loop::Task<bool> PublicApplications::exist() {
  redis::Store::Call call = store_.read({"EXISTS", keys::kPublicClients});
  const redis::Reply reply = co_await call;
  co_return reply.integer() == 1;
}

loop::Task<bool> PublicApplications::have_origin(std::string_view origin) {
  if (origin.empty()) co_return false;  // that of entries without an origin
  const auto loopback = oauth::loopback_without_port(origin);
  std::string name = loopback.value_or(std::string(origin));
  const std::vector<oauth::ClientId> clients =
      co_await clients_with(store_, keys::kPublicClients, std::move(name));
  if (!clients.empty() || !loopback) co_return !clients.empty();
  // Those that are registered with a port.
  const std::string first = "[" + *loopback + ":";
  const std::string after = "(" + *loopback + static_cast<char>(':' + 1);
  redis::Store::Call call =
      store_.read({"ZRANGE", keys::kPublicClients, first, after, "BYLEX", "LIMIT", "0", "1"});
  const redis::Reply reply = co_await call;
  co_return reply.size() > 0;
}

}  // namespace svc::stores
