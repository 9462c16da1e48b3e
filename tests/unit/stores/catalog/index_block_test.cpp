#include "stores/catalog/index_block.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace svc {
namespace {

using stores::IndexBlock;
using stores::IndexEntry;

std::string random_text(std::mt19937& random, std::size_t longest) {
  std::string text(random() % (longest + 1), '\0');
  for (char& c : text) c = static_cast<char>(random() % 4 == 0 ? random() : 'a' + random() % 3);
  return text;
}

IndexBlock random_block(std::mt19937& random) {
  std::map<std::string, std::string> sorted;
  for (std::size_t i = random() % 100; i > 0; --i)
    sorted[random_text(random, 300)] = random_text(random, 20);
  IndexBlock block{{}, random_text(random, 10)};
  for (const auto& [key, value] : sorted) block.entries.push_back({key, value});
  return block;
}

TEST(IndexBlock, IsReadAsItWasWritten) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const IndexBlock block = random_block(random);
    const std::string text = stores::to_text(block);
    EXPECT_EQ(stores::block_of(text), block);
    EXPECT_EQ(stores::block_count(text.substr(stores::kBlockVersionBytes)), block.entries.size());
  }
}

// The version tells whether another client has written the block since it was read.
TEST(IndexBlock, AnotherContentHasAnotherVersion) {
  const std::string text = stores::to_text({{{"a", "1"}}, ""});
  for (const IndexBlock& other : {IndexBlock{{{"a", "2"}}, ""}, IndexBlock{{{"b", "1"}}, ""},
                                  IndexBlock{{{"a", "1"}}, "c"}, IndexBlock{}})
    EXPECT_NE(stores::block_version(stores::to_text(other)), stores::block_version(text));
  EXPECT_EQ(stores::block_version(""), "");
}

TEST(IndexBlock, ADamagedTextIsRefused) {
  std::mt19937 random(2);
  const IndexBlock block = random_block(random);
  const std::string text = stores::to_text(block);
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(stores::block_of(text.substr(0, length))) << length;
  for (std::size_t at = stores::kBlockVersionBytes; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    // Either it is noticed, or it is another block: never an endless loop or a crash.
    const auto read = stores::block_of(damaged);
    EXPECT_TRUE(!read || read->entries.size() < std::size_t{1} << 20);
  }
}

TEST(IndexBlock, ABlockThatGrewIsSplitIntoPartsWithRoom) {
  std::vector<IndexEntry> entries;
  for (int i = 1000; i < 1256; ++i) entries.push_back({std::to_string(i), "x"});
  EXPECT_EQ(stores::split_for_blocks(entries).size(), 1U);
  entries.push_back({"1256", "x"});
  const auto parts = stores::split_for_blocks(entries);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].size() + parts[1].size(), entries.size());
  EXPECT_EQ(parts[0].front(), entries.front());
  EXPECT_EQ(parts[1].back(), entries.back());
  // Long entries: by their bytes, at least one in each part.
  const std::vector<IndexEntry> longs{{std::string(20'000, 'a'), ""},
                                      {std::string(20'000, 'b'), ""}};
  EXPECT_EQ(stores::split_for_blocks(longs).size(), 2U);
}

TEST(IndexBlock, BeginsAtTheShortestTextBetweenTwoKeys) {
  EXPECT_EQ(stores::shortest_between("Interview 12", "Interview 2"), "Interview 2");
  EXPECT_EQ(stores::shortest_between("apple", "banana"), "b");
  EXPECT_EQ(stores::shortest_between("a", "ab"), "ab");
}

}  // namespace
}  // namespace svc
