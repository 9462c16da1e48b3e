#include "redis/reply_shape.h"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redis/protocol.h"

namespace svc::redis {
namespace {

// Returns whether the channel accepts those bytes as the reply to a command.
bool is_accepted(const std::vector<std::string_view>& command, std::string_view bytes) {
  const ReplyReader reader = new_reader();
  void* raw = nullptr;
  if (redisReaderFeed(reader.get(), bytes.data(), bytes.size()) != REDIS_OK ||
      redisReaderGetReply(reader.get(), &raw) != REDIS_OK || raw == nullptr)
    return false;
  const std::unique_ptr<void, void (*)(void*)> owned(raw, freeReplyObject);
  return shape_of(command).matches(*static_cast<const redisReply*>(raw));
}

TEST(ReplyShape, DependsOnTheCommandAndItsArguments) {
  struct Case {
    const char* name;
    std::vector<std::string_view> command;
    std::vector<std::string_view> right, wrong;
  };
  for (const Case& c : {
           Case{"a string or nil",
                {"GET", "a"},
                {"$1\r\nx\r\n", "$-1\r\n"},
                {":1\r\n", "+OK\r\n", "*0\r\n", "*1\r\n$1\r\nx\r\n"}},
           Case{"a value per key",
                {"MGET", "a", "b"},
                {"*2\r\n$-1\r\n$1\r\nx\r\n"},
                {"*1\r\n$-1\r\n", "*3\r\n$-1\r\n$-1\r\n$-1\r\n", "*2\r\n$-1\r\n:1\r\n", "$-1\r\n"}},
           Case{"a value per field",
                {"HMGET", "a", "one", "two"},
                {"*2\r\n$-1\r\n$-1\r\n"},
                {"*3\r\n$-1\r\n$-1\r\n$-1\r\n", "*0\r\n"}},
           Case{"written", {"SET", "a", "1", "EX", "9"}, {"+OK\r\n"}, {"$-1\r\n", "+QUEUED\r\n"}},
           Case{"written unless it exists", {"SET", "a", "1", "NX"}, {"+OK\r\n", "$-1\r\n"}, {}},
           Case{"an entry's id", {"XADD", "a", "*", "f", "v"}, {"$3\r\n1-1\r\n"}, {"$-1\r\n"}},
           Case{"nil without the stream",
                {"XADD", "a", "NOMKSTREAM", "*", "f", "v"},
                {"$3\r\n1-1\r\n", "$-1\r\n"},
                {":1\r\n"}},
           Case{"members",
                {"ZRANGE", "a", "0", "1", "REV"},
                {"*0\r\n", "*2\r\n$1\r\nx\r\n$1\r\ny\r\n"},
                {"*3\r\n$1\r\nx\r\n$1\r\ny\r\n$1\r\nz\r\n", "*1\r\n$-1\r\n"}},
           Case{"members, to the end", {"ZRANGE", "a", "0", "-1"}, {"*1\r\n$1\r\nx\r\n"}, {}},
           Case{"pairs",
                {"ZRANGE", "a", "-1", "-1", "WITHSCORES"},
                {"*0\r\n", "*2\r\n$1\r\nx\r\n$1\r\n1\r\n"},
                {"*1\r\n$1\r\nx\r\n", "*4\r\n$1\r\nx\r\n$1\r\n1\r\n$1\r\nx\r\n$1\r\n1\r\n"}},
           Case{"one entry",
                {"XRANGE", "a", "0-1", "0-1"},
                {"*0\r\n", "*1\r\n*2\r\n$3\r\n0-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n"},
                {"*1\r\n*2\r\n$3\r\n0-1\r\n*1\r\n$1\r\nf\r\n",
                 "*2\r\n*2\r\n$3\r\n0-1\r\n*0\r\n*2\r\n$3\r\n0-1\r\n*0\r\n"}},
           Case{"at most COUNT entries",
                {"XRANGE", "a", "-", "+", "COUNT", "1"},
                {"*1\r\n*2\r\n$3\r\n0-1\r\n*0\r\n"},
                {"*2\r\n*2\r\n$3\r\n0-1\r\n*0\r\n*2\r\n$3\r\n0-2\r\n*0\r\n"}},
           Case{"before and after SUBSCRIBE",
                {"PING"},
                {"+PONG\r\n", "*2\r\n$4\r\npong\r\n$0\r\n\r\n"},
                {"$4\r\nPONG\r\n", "*0\r\n"}},
       }) {
    SCOPED_TRACE(c.name);
    for (const std::string_view reply : c.right)
      EXPECT_TRUE(is_accepted(c.command, reply)) << reply;
    for (const std::string_view reply : c.wrong)
      EXPECT_FALSE(is_accepted(c.command, reply)) << reply;
  }
}

// The reader would allocate, and later visit, 16 GB.
TEST(ReplyShape, RefusesAnArrayThatClaimsToBeHuge) {
  const ReplyReader reader = new_reader();
  const std::string_view claim = "*2147483647\r\n";
  void* raw = nullptr;
  redisReaderFeed(reader.get(), claim.data(), claim.size());
  EXPECT_EQ(redisReaderGetReply(reader.get(), &raw), REDIS_ERR);
}

}  // namespace
}  // namespace svc::redis
