#include "redis/usage.h"

#include <gtest/gtest.h>

#include <string>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"

namespace svc {
namespace {

class Usage : public testing::Test {
 protected:
  // The manifests of the last two days: a test that runs over midnight counts in both.
  std::int64_t counted(std::int64_t account) {
    std::int64_t sum = 0;
    for (const auto& day : usage_.manifests({account}, 2)) sum += day.manifests;
    return sum;
  }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
  redis::Connection connection_{server_.settings(), clock_};
  redis::Usage usage_{connection_};
};

TEST_F(Usage, M5CountsEachAccountForItself) {
  for (int i = 0; i < 5; ++i) usage_.count_manifest({1001});
  usage_.count_manifest({1002});
  EXPECT_EQ(counted(1001), 5);
  EXPECT_EQ(counted(1002), 1);
  EXPECT_EQ(counted(1003), 0);
}

TEST_F(Usage, M5ListsDaysFromTheOldestToToday) {
  usage_.count_manifest({1001});
  const auto days = usage_.manifests({1001}, 30);
  ASSERT_EQ(days.size(), 30u);
  for (std::size_t i = 0; i < days.size(); ++i) {
    EXPECT_EQ(days[i].date.size(), 10u) << days[i].date;
    if (i > 0) {
      EXPECT_LT(days[i - 1].date, days[i].date);
    }
  }
  for (std::size_t i = 0; i + 2 < days.size(); ++i) EXPECT_EQ(days[i].manifests, 0);
}

TEST_F(Usage, M5IsForgottenSomeDay) {
  usage_.count_manifest({1001});
  usage_.count_manifest({1001});
  ASSERT_EQ(counted(1001), 2);
  const redis::Reply keys = server_.command({"KEYS", "usage:manifest:*"});
  ASSERT_GE(keys.size(), 1u);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_GT(server_.command({"TTL", *keys.at(i).text()}).integer(), 366 * 86'400);
  }
}

TEST_F(Usage, M5IsDroppedWhenItCannotBeKept) {
  server_.stop();
  usage_.count_manifest({1001});
  usage_.count_manifest({1001});
  EXPECT_THROW(usage_.manifests({1001}, 1), base::Unavailable);
  server_.start();
  clock_.advance(std::chrono::seconds(1));
  usage_.count_manifest({1001});
  EXPECT_EQ(counted(1001), 1);
}

}  // namespace
}  // namespace svc
