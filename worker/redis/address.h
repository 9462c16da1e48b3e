// Address: where a Redis listens, as the configuration writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::redis {

struct Address {
  std::string path;  // of a unix socket; empty for TCP
  std::string host;
  std::uint16_t port = 6379;
  int database = 0;

  // `unix:///path` (and `unix:///path?db=N`) or `redis://host[:port][/N]`. The error says what is
  // allowed. Passwords do not belong in it: they come from a file.
  static base::Result<Address, std::string> parse(std::string_view url);
  std::string to_text() const;
};

}  // namespace svc::redis
