// replies: bytes, read as replies of Redis (RESP2).
#pragma once

#include <hiredis/hiredis.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "redis/reply.h"

namespace svc::fuzz {

// Returns true if an array may claim a million elements or more. hiredis
// allocates memory for all of them in advance, so such a reply would only
// measure the memory.
inline bool claims_much(std::string_view bytes) {
  for (std::size_t at = 0; (at = bytes.find('*', at)) != std::string_view::npos; ++at) {
    const std::string_view count = bytes.substr(at + 1);
    if (std::min(count.find_first_not_of("0123456789"), count.size()) > 6) return true;
  }
  return false;
}

// Feeds the pieces to hiredis one after another. Calls `use` with each reply.
// Returns false if the pieces are not valid replies.
template <class Use>
bool for_each_reply(std::span<const std::string_view> pieces, const Use& use) {
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  for (const std::string_view piece : pieces) {
    if (redisReaderFeed(reader.get(), piece.data(), piece.size()) != REDIS_OK) return false;
    while (true) {
      void* raw = nullptr;
      if (redisReaderGetReply(reader.get(), &raw) != REDIS_OK) return false;
      if (raw == nullptr) break;
      const redis::Reply reply(static_cast<redisReply*>(raw));
      use(reply);
    }
  }
  return true;
}

}  // namespace svc::fuzz
