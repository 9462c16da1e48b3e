// hash: hashes requests and keys for all caches. Each generation has its own
// seed, so a client cannot choose requests that collide.
#pragma once

#include <cstdint>
#include <string_view>

namespace svc::cache {

struct Hasher {
  std::uint64_t seed = 0;

  std::uint64_t of(std::string_view text) const;
  // Hashes a request. Path and query are separate: a question mark in the path
  // is not the same as a query.
  std::uint64_t of(std::string_view path, std::string_view query) const;
};

}  // namespace svc::cache
