#include "redis/scan.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

class Scan : public testing::Test {
 protected:
  integration::RedisServer server_;
  integration::Store store_{server_};
};

// The table of keys grows during the scan, so Redis returns some keys twice.
TEST_F(Scan, ReturnsEveryMatchingKeyOnceInBatches) {
  const auto fill = [this](const std::string& prefix, const std::string& number) {
    server_.command({"EVAL",
                     "for i = 1, tonumber(ARGV[2]) do redis.call('SET', ARGV[1] .. i, 'x') end",
                     "0", prefix, number});
  };
  fill("one:", "5000");
  fill("other:", "5000");
  redis::Scan scan(store_.redis(), "one:*");
  std::multiset<std::string> found;
  std::size_t batches = 0;
  while (true) {
    const std::vector<std::string> keys = store_.run(scan.next());
    if (keys.empty()) break;
    found.insert(keys.begin(), keys.end());
    if (++batches == 2) fill("third:", "20000");
  }
  EXPECT_GT(batches, 4u);
  EXPECT_EQ(found.size(), 5000u);
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 5000u);
  EXPECT_TRUE(found.contains("one:5000"));
  EXPECT_TRUE(store_.run(scan.next()).empty()) << "and stays at the end";
}

TEST_F(Scan, ReportsTheShareOfTheStoreThatWasScanned) {
  server_.command({"EVAL", "for i = 1, 20000 do redis.call('SET', 'one:' .. i, 'x') end", "0"});
  redis::Scan scan(store_.redis(), "one:*", redis::Scan::Repeats::Possible);
  double before = scan.fraction_done();
  EXPECT_EQ(before, 0);
  std::set<std::string> found;
  while (true) {
    const std::vector<std::string> keys = store_.run(scan.next());
    if (keys.empty()) break;
    found.insert(keys.begin(), keys.end());
    EXPECT_GT(scan.fraction_done(), before);
    before = scan.fraction_done();
    EXPECT_NEAR(before, static_cast<double>(found.size()) / 20000, 0.05);
  }
  EXPECT_EQ(before, 1);
  EXPECT_EQ(found.size(), 20000u);
}

// The scan continues after a batch without a matching key.
TEST_F(Scan, FindsOneKeyAmongMany) {
  server_.command({"EVAL", "for i = 1, 20000 do redis.call('SET', 'other:' .. i, 'x') end", "0"});
  server_.command({"SET", "one", "x"});
  redis::Scan scan(store_.redis(), "one");
  EXPECT_EQ(store_.run(scan.next()), std::vector<std::string>{"one"});
  EXPECT_TRUE(store_.run(scan.next()).empty());
}

}  // namespace
}  // namespace svc
