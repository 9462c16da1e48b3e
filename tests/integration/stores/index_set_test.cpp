#include "stores/catalog/index_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"

namespace svc {
namespace {

constexpr media::AccountId kOwner{7};

class IndexSet : public testing::Test {
 protected:
  using Model = std::map<std::string, std::string>;

  void put(const std::vector<std::string>& keys, const std::string& value = "v") {
    stores::IndexEdit edit(store_.redis(), kOwner);
    store_.run(edit.begin());
    store_.run(edit.load("set", keys));
    for (const std::string& key : keys) edit.put("set", key, value);
    ASSERT_TRUE(store_.run(edit.commit({})));
  }
  std::vector<std::string> keys(stores::IndexRange range) {
    range.set = "set";
    std::vector<std::string> found;
    for (const stores::IndexEntry& entry :
         store_.run(stores::read_index(store_.redis(), kOwner, std::move(range))))
      found.push_back(entry.key);
    return found;
  }
  static std::vector<std::string> numbers(int first, int last) {
    std::vector<std::string> all;
    for (int i = first; i < last; ++i) all.push_back("key " + std::to_string(100'000 + i));
    return all;
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
};

// Compares additions, replacements, deletions and every kind of range with a sorted map.
TEST_F(IndexSet, IsASortedMap) {
  std::mt19937 random(3);
  Model model;
  const auto random_key = [&] {
    return std::string(1, static_cast<char>('a' + random() % 3)) + " " +
           std::to_string(random() % 3000);
  };
  for (int round = 0; round < 12; ++round) {
    stores::IndexEdit edit(store_.redis(), kOwner);
    store_.run(edit.begin());
    std::vector<std::string> touched;
    for (int i = 0; i < (round % 3 == 0 ? 1000 : 5); ++i) touched.push_back(random_key());
    store_.run(edit.load("set", touched));
    for (const std::string& key : touched) {
      const std::string* found = edit.find("set", key);
      ASSERT_EQ(found != nullptr, model.contains(key)) << key;
      EXPECT_EQ(found != nullptr ? *found : "", model.contains(key) ? model[key] : "");
      if (random() % 3 == 0) {
        edit.erase("set", key);
        model.erase(key);
      } else {
        edit.put("set", key, std::to_string(round));
        model[key] = std::to_string(round);
      }
    }
    ASSERT_TRUE(store_.run(edit.commit({})));
    for (int i = 0; i < 40; ++i) {
      stores::IndexRange range{.set = "set"};
      range.prefix = std::vector<std::string>{"", "", "a ", "b ", "c ", "d", "b 1"}[random() % 7];
      range.ascending = random() % 2 == 0;
      if (random() % 2 == 0) range.after = random_key();
      range.offset = random() % 3 == 0 ? random() % 1500 : 0;
      range.count = random() % 4 == 0 ? 1500 : random() % 20;
      const bool is_filtered = random() % 4 == 0;
      if (is_filtered)
        range.wanted = [](const stores::IndexEntry& entry) { return entry.value == "0"; };
      if (!range.after.empty() && !range.after.starts_with(range.prefix)) range.after = "";
      std::vector<stores::IndexEntry> expected;
      for (const auto& [key, value] : model) {
        const bool is_behind =
            range.after.empty() || (range.ascending ? key > range.after : key < range.after);
        if (key.starts_with(range.prefix) && is_behind && (!is_filtered || value == "0"))
          expected.push_back({key, value});
      }
      if (!range.ascending) std::ranges::reverse(expected);
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                              range.offset, expected.size())));
      expected.resize(std::min(range.count, expected.size()));
      EXPECT_EQ(store_.run(stores::read_index(store_.redis(), kOwner, range)), expected)
          << range.prefix << "|" << range.after << "|" << range.ascending << "|" << range.offset
          << "|" << range.count;
    }
  }
}

// Both read the same block; the second must not write over the first.
TEST_F(IndexSet, TwoSimultaneousEditsLoseNothing) {
  put(numbers(0, 10));
  stores::IndexEdit one(store_.redis(), kOwner);
  store_.run(one.begin());
  stores::IndexEdit other(store_.redis(), kOwner);
  store_.run(other.begin());
  store_.run(one.load("set", {"key 1"}));
  store_.run(other.load("set", {"key 2"}));
  one.put("set", "key 1", "v");
  other.put("set", "key 2", "v");
  other.settle("set", "key 2", {"media x", ""});
  server_.command({"HSET", "catalog:unindexed:{7}", "media x", "0:0:"});
  EXPECT_TRUE(store_.run(one.commit({})));
  EXPECT_FALSE(store_.run(other.commit({})));
  EXPECT_EQ(keys({.count = 100}).size(), 11U);
  EXPECT_EQ(server_.command({"HLEN", "catalog:unindexed:{7}"}).integer(), 1);
}

// A reader that has read where blocks begin must see what moves to a new block then.
TEST_F(IndexSet, AReaderNoticesABlockThatIsSplitDuringTheRead) {
  for (const bool ascending : {true, false}) {
    server_.command({"FLUSHALL"});
    put(numbers(0, 1000));
    bool is_first = true;
    stores::IndexRange range{.ascending = ascending, .count = 5000};
    // The filter is asked while the first blocks are read: the directory of the others is known.
    range.wanted = [&](const stores::IndexEntry&) {
      if (std::exchange(is_first, false)) {
        integration::Store other(server_);
        stores::IndexEdit edit(other.redis(), kOwner);
        other.run(edit.begin());
        std::vector<std::string> more;
        for (const std::string& key : numbers(0, 1000)) more.push_back(key + "+");
        other.run(edit.load("set", more));
        for (const std::string& key : more) edit.put("set", key, "v");
        EXPECT_TRUE(other.run(edit.commit({})));
      }
      return true;
    };
    std::vector<std::string> found = keys(range);
    std::erase_if(found, [](const std::string& key) { return key.ends_with('+'); });
    std::vector<std::string> expected = numbers(0, 1000);
    if (!ascending) std::ranges::reverse(expected);
    EXPECT_EQ(found, expected);
  }
}

TEST_F(IndexSet, ALargeEditIsWrittenInStepsAndItsNotesAreSettledLast) {
  std::vector<std::string> all = numbers(0, 90'000);
  stores::IndexEdit edit(store_.redis(), kOwner);
  store_.run(edit.begin());
  store_.run(edit.load("set", all));
  store_.run(edit.load("last", all));
  server_.command(
      {"HSET", "catalog:unindexed:{7}", "media " + all.front(), "0:0:", "media other", "0:0:"});
  for (const std::string& key : all) {
    edit.put("set", key, key);
    edit.put("last", key, "");
    edit.settle("last", key, {"media " + key, ""});
  }
  ASSERT_TRUE(store_.run(edit.commit({"last"})));
  EXPECT_EQ(server_.command({"HLEN", "catalog:unindexed:{7}"}).integer(), 1);
  EXPECT_EQ(keys({.offset = 89'998, .count = 5}), numbers(89'998, 90'000));
  EXPECT_EQ(keys({.ascending = false, .offset = 89'999, .count = 5}), numbers(0, 1));
}

// As the store itself counts it. A sorted set takes some 83 bytes per entry in Valkey, and more
// in Redis.
TEST_F(IndexSet, AnEntryTakesLessThan16Bytes) {
  constexpr std::size_t kEntries = 20'000;
  const auto used = [&] {
    const std::string info(server_.text({"INFO", "memory"}));
    const std::size_t at = info.find("used_memory_dataset:") + 20;
    return std::stoll(info.substr(at));
  };
  const auto before = used();
  put(numbers(0, kEntries));
  EXPECT_LT(used() - before, 16 * kEntries);
}

TEST_F(IndexSet, ADamagedBlockIsNotRegardedAsEmpty) {
  put(numbers(0, 10));
  server_.command({"SET", "catalog:block:{7}:set:", "damaged"});
  EXPECT_THROW(keys({.count = 1}), base::Unreadable);
  EXPECT_THROW(put({"a"}), base::Unreadable);
}

}  // namespace
}  // namespace svc
