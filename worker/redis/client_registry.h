// ClientRegistry: the records of clients, as whoever manages them needs them: made, changed with
// nobody in between, gone through, removed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "oauth/applications.h"
#include "redis/connection.h"
#include "text/json.h"

namespace svc::redis {

class ClientRegistry : public oauth::Applications {
 public:
  explicit ClientRegistry(Connection& connection) : connection_(connection) {}

  // Throws base::Unavailable, as all do, also for a record that cannot be read.
  std::optional<oauth::Client> find(const oauth::ClientId& id) override;
  std::vector<oauth::Client> of(media::AccountId account) override;
  bool add(const oauth::Client& client) override;
  base::Result<oauth::Client, std::string> change(const oauth::ClientId& id,
                                                  const Change& change) override;
  bool remove(const oauth::ClientId& id) override;

  // Every client, by looking through the whole store, in no order. Only for svcctl.
  void for_each(const std::function<void(const oauth::Client&)>& see);

 private:
  oauth::Client read(const std::string& key, std::string_view text);

  Connection& connection_;
  text::json::Document document_;
};

}  // namespace svc::redis
