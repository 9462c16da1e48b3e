#include "cache/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace svc::cache {

std::uint64_t Hasher::of(std::string_view text) const {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

std::uint64_t Hasher::of(std::string_view path, std::string_view query) const {
  return XXH3_64bits_withSeed(query.data(), query.size(), of(path));
}

}  // namespace svc::cache
