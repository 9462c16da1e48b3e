// Clients in Redis, and the numbers of wrong secrets given for them. Each
// find_client() reads the record, but parses it only if its text has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "oauth/stores.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class Clients : public oauth::Clients, public oauth::SecretGuesses {
 public:
  // `state` has the numbers of wrong secrets.
  Clients(redis::Store& catalog, redis::Store& state) : catalog_(catalog), state_(state) {}

  loop::Task<std::optional<oauth::Client>> find_client(const oauth::ClientId& id) override;

  loop::Task<std::int64_t> guesses(const oauth::ClientId& id, std::string_view address) override;
  loop::Task<std::int64_t> count_guess(const oauth::ClientId& id,
                                       std::string_view address) override;

 private:
  class Counting;
  struct Known {
    std::string record;
    oauth::Client client;
  };

  redis::Store& catalog_;
  redis::Store& state_;
  text::json::Document document_;
  std::map<std::string, Known, std::less<>> known_;  // by key
  std::map<std::string, int> counting_;              // counts that await their reply, by key
};

}  // namespace svc::stores
