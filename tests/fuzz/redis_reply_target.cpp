// Replies of Redis (RESP2), read as redis::Channel reads them. The first byte is
// where the bytes are cut into two reads.
#include <array>
#include <string>

#include "fuzz/replies.h"
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
  std::string out;
  const std::array pieces{first, second};
  const bool are_replies =
      for_each_reply(pieces, [&](const redis::Reply& reply) { walk(reply, 0, out += ';'); });
  return are_replies ? out : out + "!";
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
