// Address: the address of a Redis server, as written in the configuration.
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

  // Parses `unix:///path`, `unix:///path?db=N` or `redis://host[:port][/N]`.
  // The error names the allowed forms. A password in the URL is refused: it
  // belongs in a file.
  static base::Result<Address, std::string> parse(std::string_view url);
  std::string to_text() const;
};

}  // namespace svc::redis
