// memory: the bytes that are allocated from glibc's allocator. Under a
// sanitizer, which has its own allocator, the value is constant.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace svc::fakes {

inline std::size_t memory_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace svc::fakes
