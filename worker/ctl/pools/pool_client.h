// pool_client: asks a pool at its own socket, without nginx in between.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace svc::ctl {

// The body of the pool's 200 response; the error says what went wrong, for people.
using PoolAnswer = base::Result<std::string, std::string>;

// A GET request to a pool. It never blocks.
class PoolRequest {
 public:
  // Connects and sends.
  PoolRequest(std::string socket, std::string_view path);

  // Poll it for POLLIN before advance(); -1 if advance() has an answer at once.
  int fd() const { return fd_.get(); }
  // Reads what has arrived. Returns nothing until the response is complete.
  std::optional<PoolAnswer> advance();

 private:
  PoolAnswer failed(const std::string& why);

  std::string socket_;
  base::UniqueFd fd_;
  std::string error_;  // of the constructor
  std::string bytes_;
};

// Sends a request and waits for the response, at most `patience`.
PoolAnswer ask_pool(const std::string& socket, std::string_view path,
                    std::chrono::milliseconds patience);

}  // namespace svc::ctl
