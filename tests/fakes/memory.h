// memory: what the test has from glibc's allocator just now; under a sanitizer, which has one of
// its own, always the same.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace svc::fakes {

inline std::size_t memory_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace svc::fakes
