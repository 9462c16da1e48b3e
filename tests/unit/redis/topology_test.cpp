#include "redis/topology.h"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::redis {
namespace {

Reply read(std::string_view resp) {
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  redisReaderFeed(reader.get(), resp.data(), resp.size());
  void* reply = nullptr;
  if (redisReaderGetReply(reader.get(), &reply) != REDIS_OK || reply == nullptr)
    throw std::runtime_error("not a reply");
  return Reply(static_cast<redisReply*>(reply));
}

std::string range(int first, int last, const std::string& host, int port) {
  return "*3\r\n:" + std::to_string(first) + "\r\n:" + std::to_string(last) + "\r\n*2\r\n$" +
         std::to_string(host.size()) + "\r\n" + host + "\r\n:" + std::to_string(port) + "\r\n";
}

TEST(Topology, ReadsASlotMap) {
  const Reply reply =
      read("*2\r\n" + range(0, 5'460, "10.0.0.1", 7'000) + range(5'461, 16'383, "", 7'001));
  const auto ranges = read_slot_map(reply, {"10.0.0.9", 1});
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].first, 0);
  EXPECT_EQ(ranges[0].last, 5'460);
  EXPECT_EQ(ranges[0].primary, (Endpoint{"10.0.0.1", 7'000}));
  EXPECT_EQ(ranges[1].last, 16'383);
  EXPECT_EQ(ranges[1].primary, (Endpoint{"10.0.0.9", 7'001})) << "the host that replied";
}

TEST(Topology, LeavesOutRangesThatCannotBe) {
  const Reply reply =
      read("*6\r\n" + range(9, 5, "h", 1) + range(-1, 5, "h", 1) + range(0, 16'384, "h", 1) +
           range(0, 1, "?", 1) + range(0, 1, "h", 0) + range(0, 1, "h", 65'536));
  EXPECT_TRUE(read_slot_map(reply, {"h", 1}).empty());
  EXPECT_TRUE(read_slot_map(read("*-1\r\n"), {"h", 1}).empty());
}

TEST(Topology, ParsesRedirections) {
  const auto moved = parse_redirection("MOVED 3999 10.0.0.1:6381");
  ASSERT_TRUE(moved);
  EXPECT_FALSE(moved->asking);
  EXPECT_EQ(moved->slot, 3'999);
  EXPECT_EQ(moved->to, (Endpoint{"10.0.0.1", 6'381}));
  const auto ask = parse_redirection("ASK 16383 ::1:7000");
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->asking);
  EXPECT_EQ(ask->to, (Endpoint{"::1", 7'000}));
  EXPECT_EQ(parse_redirection("MOVED 1 :7000")->to.host, "");
  for (const char* other :
       {"ERR MOVED 1 h:1", "MOVED", "MOVED 1", "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED 1 h:0",
        "MOVED 1 h", "MOVED 1 ?:1", "ASK h:1 1", ""})
    EXPECT_FALSE(parse_redirection(other)) << other;
}

TEST(Topology, ReadsThePrimaryThatASentinelNames) {
  EXPECT_EQ(read_primary(read("*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n")),
            (Endpoint{"10.0.0.1", 6'379}));
  for (const char* none : {"*-1\r\n", "*0\r\n", "*2\r\n$0\r\n\r\n$4\r\n6379\r\n",
                           "*2\r\n$1\r\nh\r\n$1\r\n0\r\n", "*1\r\n$1\r\nh\r\n", ":1\r\n"})
    EXPECT_FALSE(read_primary(read(none))) << none;
}

TEST(Topology, ReadsWhichServerBecameThePrimary) {
  const auto switched = parse_switch("svc 10.0.0.1 6379 10.0.0.2 6380");
  ASSERT_TRUE(switched);
  EXPECT_EQ(switched->name, "svc");
  EXPECT_EQ(switched->primary, (Endpoint{"10.0.0.2", 6'380}));
  for (const char* none : {"", "svc", "svc 10.0.0.1 6379", "svc 10.0.0.1 6379 10.0.0.2",
                           "svc 10.0.0.1 6379 10.0.0.2 0", "svc 10.0.0.1 6379 10.0.0.2 6380 more",
                           "svc  10.0.0.1 6379 10.0.0.2", " svc 1 2 3 4", "svc 1 2 3 4 "})
    EXPECT_FALSE(parse_switch(none)) << none;
}

}  // namespace
}  // namespace svc::redis
