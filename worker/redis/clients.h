// Clients, and the wrong secrets that were given for them. A record is asked for each time, but
// read only where it differs from what it was the last time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "oauth/stores.h"
#include "redis/channel.h"
#include "text/json.h"

namespace svc::redis {

class Clients : public oauth::Clients, public oauth::SecretGuesses {
 public:
  explicit Clients(Channel& channel) : channel_(channel) {}

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

  Channel& channel_;
  text::json::Document document_;
  std::map<std::string, Known, std::less<>> known_;  // by key
  std::map<std::string, int> counting_;  // wrong secrets that are being counted now, by key
};

}  // namespace svc::redis
