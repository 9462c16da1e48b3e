#include "stores/public_applications.h"

#include <string>
#include <vector>

#include "stores/client_index.h"

namespace svc::stores {

loop::Task<bool> PublicApplications::exist() {
  redis::Store::Call call = store_.read({"EXISTS", keys::kPublicClients});
  const redis::Reply reply = co_await call;
  co_return reply.integer() == 1;
}

loop::Task<bool> PublicApplications::have_origin(std::string_view origin) {
  if (origin.empty()) co_return false;  // that of entries without an origin
  auto finding = clients_with(store_, keys::kPublicClients, std::string(origin));
  const std::vector<oauth::ClientId> clients = co_await finding;
  co_return !clients.empty();
}

}  // namespace svc::stores
