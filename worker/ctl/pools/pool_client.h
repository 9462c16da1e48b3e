// pool_client: sends a request to a pool's own socket, without nginx.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace svc::ctl {

// The body of the pool's 200 response, or an error message for the operator.
using PoolAnswer = base::Result<std::string, std::string>;

// A GET request to a pool. It never blocks.
class PoolRequest {
 public:
  // Connects and sends.
  PoolRequest(std::string socket, std::string_view path);

  // Poll it for POLLIN before advance(); -1 if advance() has a result without waiting.
  int fd() const { return fd_.get(); }
  // Reads the bytes that have arrived. Returns nullopt until the response is complete.
  std::optional<PoolAnswer> advance();

 private:
  PoolAnswer failed(const std::string& why);

  std::string socket_;
  base::UniqueFd fd_;
  std::string error_;  // the constructor's error
  std::string bytes_;
};

// Sends a request and blocks up to `patience` for the response.
PoolAnswer ask_pool(const std::string& socket, std::string_view path,
                    std::chrono::milliseconds patience);

}  // namespace svc::ctl
