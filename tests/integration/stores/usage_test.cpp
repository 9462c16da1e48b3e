#include "stores/catalog/usage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "fakes/waiting.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

class Usage : public testing::Test {
 protected:
  // The manifests of the last two days: a test that runs over midnight counts
  // on both.
  std::int64_t counted(std::int64_t account) {
    std::int64_t sum = 0;
    for (const auto& day : store_.run(usage_.manifests({account}, 2))) sum += day.manifests;
    return sum;
  }
  // Returns whether both the counts and the name of the batch are in the store.
  bool add(std::int64_t account, std::uint64_t count) {
    ++batch_.number;
    const auto added = store_.run(usage_.add_manifests(batch_, {{{account}, count}}));
    return added.front() == stores::Usage::Added::Yes && store_.run(usage_.has_added(batch_));
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::Usage usage_{store_.redis()};
  stores::Usage::BatchName batch_{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()), 7, 0};
};

TEST_F(Usage, ListsDaysFromTheOldestToToday) {
  usage_.count_manifest({1001});
  const auto days = store_.run(usage_.manifests({1001}, 30));
  ASSERT_EQ(days.size(), 30u);
  for (std::size_t i = 0; i < days.size(); ++i) {
    EXPECT_EQ(days[i].date.size(), 10u) << days[i].date;
    if (i > 0) {
      EXPECT_LT(days[i - 1].date, days[i].date);
    }
  }
  for (std::size_t i = 0; i + 2 < days.size(); ++i) EXPECT_EQ(days[i].manifests, 0);
}

TEST_F(Usage, CountsAreDroppedDuringAnOutage) {
  server_.stop();
  usage_.count_manifest({1001});
  usage_.count_manifest({1001});
  EXPECT_THROW(store_.run(usage_.manifests({1001}, 1)), base::Unavailable);
  EXPECT_FALSE(add(1001, 3));
  server_.start();
  fakes::wait_until([&] { return add(1002, 1); });  // until the store is asked again
  usage_.count_manifest({1001});
  EXPECT_EQ(counted(1001), 1);
}

TEST_F(Usage, AddsSeveralManifestsThatExpireToo) {
  EXPECT_TRUE(add(1001, 7));
  EXPECT_TRUE(add(1001, 5));
  EXPECT_TRUE(add(1002, 1));
  usage_.count_manifest({1001});
  EXPECT_EQ(counted(1001), 13);
  EXPECT_EQ(counted(1002), 1);
  const redis::Reply keys = server_.command({"KEYS", "usage:manifest:*"});
  ASSERT_GE(keys.size(), 1u);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_GT(server_.command({"TTL", *keys.at(i).text()}).integer(), 366 * 86'400);
  }
}

TEST_F(Usage, ReturnsFalseIfRedisRefuses) {
  EXPECT_TRUE(add(1001, 1));
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_FALSE(add(1001, 2));
  EXPECT_FALSE(add(1002, 2));
  EXPECT_EQ(counted(1001), 1) << "the connection goes on";
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(add(1001, 2));
  EXPECT_EQ(counted(1001), 3);
  EXPECT_EQ(counted(1002), 0);
}

TEST_F(Usage, ABatchWithoutAReplyIsFoundAfterTheStoreHasReadIt) {
  redis::ConnectionSettings settings = server_.settings();
  settings.timeout = std::chrono::milliseconds(200);
  integration::Store store(settings);
  stores::Usage usage(store.redis());
  EXPECT_TRUE(add(1001, 1));
  ++batch_.number;
  EXPECT_FALSE(store_.run(usage_.has_added(batch_)));
  // Connected before the server is paused.
  fakes::wait_until([&] {
    try {
      store.run(store.redis().ping());
      return true;
    } catch (const base::Unavailable&) {
      return false;
    }
  });
  server_.pause();
  const auto added = store.run(usage.add_manifests(batch_, {{{1001}, 2}, {{1002}, 5}}));
  EXPECT_EQ(added, (std::vector{stores::Usage::Added::NoReply, stores::Usage::Added::NoReply}));
  server_.resume();
  fakes::wait_until([&] { return store_.run(usage_.has_added(batch_)); });
  EXPECT_EQ(counted(1001), 3);
  EXPECT_EQ(counted(1002), 5);
}

}  // namespace
}  // namespace svc
