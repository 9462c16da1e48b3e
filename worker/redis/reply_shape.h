// ReplyShape: the types and lengths that a reply to a command can have. The
// channel compares every reply with its command's shape before anything reads
// the reply: another shape is a protocol error, so its connection ends.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

struct redisReply;

namespace svc::redis {

struct ReplyShape {
  // One character per value:
  //
  //   +  the status OK     !  any status     $  a bulk string     :  an integer
  //   .  anything          ?  before a value: that value or nil
  //   [ab;cd]  an array: a, b, then any number of (c, d)
  //
  // Several forms, one after the other: any of them.
  std::string_view form;  // empty: that of the command's name
  // Elements of the outermost array.
  std::size_t least = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();

  bool matches(const redisReply& reply) const;
};

// Returns the shape of a command by its name and arguments. That of a script, and
// of a command that only tests send, is anything.
ReplyShape shape_of(std::span<const std::string_view> words);

}  // namespace svc::redis
