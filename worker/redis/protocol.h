// protocol: RESP, the format of commands and replies
// (https://redis.io/docs/reference/protocol-spec). hiredis parses the replies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct redisReader;

namespace svc::redis {

// Appends a command: an array of bulk strings.
void append_command(std::string& out, std::span<const std::string_view> words);

struct FreeReader {
  void operator()(redisReader* reader) const;
};
using ReplyReader = std::unique_ptr<redisReader, FreeReader>;
// Returns nullptr without memory. A reply with too long an array is an error.
ReplyReader new_reader();

}  // namespace svc::redis
