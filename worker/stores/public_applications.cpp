#include "stores/public_applications.h"

#include "oauth/redirect_uri.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// Neither an origin nor a client_id has it.
constexpr char kBetween = ' ';

}  // namespace

std::vector<std::string> public_entries(const oauth::Client& client) {
  if (!client.is_public()) return {};
  std::vector<std::string> entries = oauth::web_origins(client.redirect_uris);
  if (entries.empty()) entries.emplace_back();
  for (std::string& entry : entries) (entry += kBetween) += client.id.value();
  return entries;
}

bool is_entry_of(std::string_view entry, const oauth::ClientId& id) {
  return entry.substr(entry.find(kBetween) + 1) == id.value();
}

loop::Task<bool> PublicApplications::exist() {
  redis::Store::Call call = store_.read({"EXISTS", keys::kPublicClients});
  const redis::Reply reply = co_await call;
  co_return reply.integer() == 1;
}

loop::Task<bool> PublicApplications::have_origin(std::string_view origin) {
  if (origin.empty()) co_return false;  // that of entries without an origin
  const std::string first = "[" + std::string(origin) + kBetween;
  const std::string after = "(" + std::string(origin) + static_cast<char>(kBetween + 1);
  redis::Store::Call call =
      store_.read({"ZRANGE", keys::kPublicClients, first, after, "BYLEX", "LIMIT", "0", "1"});
  const redis::Reply reply = co_await call;
  co_return reply.size() > 0;
}

}  // namespace svc::stores
