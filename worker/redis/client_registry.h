// ClientRegistry: the records of clients, as whoever manages them needs them: made, changed with
// nobody in between, gone through, removed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "oauth/client.h"
#include "redis/connection.h"
#include "text/json.h"

namespace svc::redis {

class ClientRegistry {
 public:
  explicit ClientRegistry(Connection& connection) : connection_(connection) {}

  // As it is at this moment. Throws base::Unavailable, as all do, also for a record that cannot be
  // read.
  std::optional<oauth::Client> find(const oauth::ClientId& id);
  // False when there is one with that id.
  bool add(const oauth::Client& client);

  // Hands the client to `change` and keeps what that made of it; again, when somebody else wrote
  // meanwhile. The refusal is `change`'s own, or says that there is no such application.
  using Change = std::function<base::Result<oauth::Client, std::string>(oauth::Client)>;
  base::Result<oauth::Client, std::string> change(const oauth::ClientId& id, const Change& change);

  // False when there was none. Its grants are ended first, by whoever calls.
  bool remove(const oauth::ClientId& id);

  // Every client, by looking through the whole store, in no order.
  void for_each(const std::function<void(const oauth::Client&)>& see);

 private:
  oauth::Client read(const std::string& key, std::string_view text);

  Connection& connection_;
  text::json::Document document_;
};

}  // namespace svc::redis
