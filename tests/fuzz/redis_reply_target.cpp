// Replies of Redis (RESP2), read as redis::Channel reads them. The first byte is
// where the bytes are cut into two reads.
#include <hiredis/hiredis.h>

#include <algorithm>
#include <memory>
#include <string>

#include "fuzz/target.h"
#include "redis/reply.h"

namespace svc::fuzz {
namespace {

constexpr int kMaxDepth = 10;  // hiredis refuses deeper replies

void walk(const redis::ReplyView& reply, int depth, std::string& out) {
  require(depth < kMaxDepth, "replies are nested to a limited depth");
  if (const auto text = reply.text()) out.append(*text).append("\"");
  out += std::to_string(reply.integer()) + "," + std::to_string(reply.number());
  for (std::size_t i = 0; i < reply.size(); ++i) walk(reply.at(i), depth + 1, out += '[');
  require(!reply.at(reply.size()).text(), "an element beyond the end is nil");
}

// Returns the contents of all replies, as text; ends with ! after an error.
std::string read_all(std::string_view first, std::string_view second) {
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  std::string out;
  for (const std::string_view piece : {first, second}) {
    if (redisReaderFeed(reader.get(), piece.data(), piece.size()) != REDIS_OK) return out + "!";
    while (true) {
      void* raw = nullptr;
      if (redisReaderGetReply(reader.get(), &raw) != REDIS_OK) return out + "!";
      if (raw == nullptr) break;
      const redis::Reply reply(static_cast<redisReply*>(raw));
      walk(reply, 0, out += ';');
    }
  }
  return out;
}

// Returns true if an array may claim a million elements or more. hiredis
// allocates memory for all of them in advance, so such a reply would only
// measure the memory.
bool claims_much(std::string_view bytes) {
  for (std::size_t at = 0; (at = bytes.find('*', at)) != std::string_view::npos; ++at) {
    const std::string_view count = bytes.substr(at + 1);
    if (std::min(count.find_first_not_of("0123456789"), count.size()) > 6) return true;
  }
  return false;
}

void run(std::string_view input) {
  if (input.empty() || claims_much(input)) return;
  const std::size_t cut = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  const std::string whole = read_all(input, "");
  if (cut >= input.size()) return;
  require(read_all(input.substr(0, cut), input.substr(cut)) == whole,
          "replies do not depend on how they arrive");
}

const Registered registered("redis_reply", run);

}  // namespace
}  // namespace svc::fuzz
