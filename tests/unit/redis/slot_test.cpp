#include "redis/slot.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <vector>

namespace svc::redis {
namespace {

using Words = std::vector<std::string_view>;

// The values are those of CLUSTER KEYSLOT of Redis 7.0.
TEST(Slot, IsThatOfRedis) {
  EXPECT_EQ(slot_of(""), 0);
  EXPECT_EQ(slot_of("123456789"), 0x31c3);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("foo{hash_tag}"), slot_of("hash_tag"));
  EXPECT_EQ(slot_of("a{b}c{d}"), slot_of("b"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
  EXPECT_NE(slot_of("foo{}{bar}"), slot_of("bar"));
  EXPECT_NE(slot_of("foo{bar"), slot_of("bar"));
}

TEST(Slot, FirstKeyOfACommand) {
  const auto key = [](const Words& words) { return first_key(words).value_or("(none)"); };
  EXPECT_EQ(key({"GET", "a"}), "a");
  EXPECT_EQ(key({"SET", "a", "1", "NX"}), "a");
  EXPECT_EQ(key({"FCALL", "both", "2", "a", "b", "argument"}), "a");
  EXPECT_EQ(key({"FCALL", "none", "0", "argument"}), "(none)");
  EXPECT_EQ(key({"XREAD", "COUNT", "1", "STREAMS", "a", "0"}), "a");
  EXPECT_EQ(key({"XREAD", "COUNT", "1", "STREAMS"}), "(none)");
  EXPECT_EQ(key({"PING"}), "(none)");
  EXPECT_EQ(key({"SCAN", "0"}), "(none)");
}

TEST(Slot, SplitsCommandsOfSeveralSlots) {
  const auto parts = [](const Words& words) {
    const auto split = split_by_key(words);
    return split ? split->parts : std::vector<Words>{};
  };
  EXPECT_EQ(parts({"MGET", "a", "b"}), (std::vector<Words>{{"MGET", "a"}, {"MGET", "b"}}));
  EXPECT_EQ(parts({"MSET", "a", "1", "b", "2"}),
            (std::vector<Words>{{"MSET", "a", "1"}, {"MSET", "b", "2"}}));
  EXPECT_EQ(parts({"UNLINK", "a", "b", "c"}),
            (std::vector<Words>{{"UNLINK", "a"}, {"UNLINK", "b"}, {"UNLINK", "c"}}));
  EXPECT_EQ(parts({"XREAD", "BLOCK", "9", "STREAMS", "a", "b", "1", "2"}),
            (std::vector<Words>{{"XREAD", "BLOCK", "9", "STREAMS", "a", "1"},
                                {"XREAD", "BLOCK", "9", "STREAMS", "b", "2"}}));
  // One slot, one key, other commands.
  for (const Words& words :
       {Words{"MGET", "{a}1", "{a}2"}, Words{"MGET", "a"}, Words{"MSET", "a", "1"},
        Words{"GET", "a"}, Words{"FCALL", "", "2", "a", "b"}, Words{"XREAD"}, Words{"MGET"}})
    EXPECT_FALSE(split_by_key(words)) << words.front();
}

}  // namespace
}  // namespace svc::redis
