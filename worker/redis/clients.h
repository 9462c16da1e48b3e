// Clients, and the wrong secrets that were given for them. A record is asked for each time, but
// read only where it differs from what it was the last time.
#pragma once

#include <map>
#include <string>

#include "oauth/stores.h"
#include "redis/connection.h"
#include "text/json.h"

namespace svc::redis {

class Clients : public oauth::Clients, public oauth::SecretGuesses {
 public:
  explicit Clients(Connection& connection) : connection_(connection) {}

  void expect_client(const oauth::ClientId& id) override;
  std::optional<oauth::Client> find_client(const oauth::ClientId& id) override;

  void expect_guesses(const oauth::ClientId& id, std::string_view address) override;
  std::int64_t guesses(const oauth::ClientId& id, std::string_view address) override;
  void count_guess(const oauth::ClientId& id, std::string_view address) override;

 private:
  struct Known {
    std::string record;
    oauth::Client client;
  };

  Connection& connection_;
  text::json::Document document_;
  std::map<std::string, Known, std::less<>> known_;  // by key
};

}  // namespace svc::redis
