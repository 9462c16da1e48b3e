// hash: the key of every entry of a cache. The seed is the generation's own, so that a client
// cannot choose what collides.
#pragma once

#include <cstdint>
#include <string_view>

namespace svc::cache {

struct Hasher {
  std::uint64_t seed = 0;

  std::uint64_t of(std::string_view text) const;
  // Of a request; a question mark elsewhere makes another one.
  std::uint64_t of(std::string_view path, std::string_view query) const;
};

}  // namespace svc::cache
