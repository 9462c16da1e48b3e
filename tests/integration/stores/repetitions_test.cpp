// Repetitions in Redis.
#include "stores/repetitions.h"

#include <gtest/gtest.h>

#include <string>

#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc::stores {
namespace {

class RepetitionsInRedis : public testing::Test {
 protected:
  using State = oauth::Repetitions::State;

  oauth::Repetitions::Begun begin(const std::string& body, const std::string& request,
                                  std::int64_t now, const std::string& name = "name") {
    return store_.run(repetitions_.begin(kGrant, name, body, request, now));
  }
  void keep(const std::string& body, const std::string& request, const std::string& response,
            std::int64_t now) {
    store_.run(repetitions_.keep(kGrant, "name", body, request, response, now));
  }

  const oauth::GrantId kGrant{"0123456789abcdef0123456789abcdef"};
  integration::RedisServer server_;
  integration::Store store_{server_};
  Repetitions repetitions_{store_.redis()};
};

TEST_F(RepetitionsInRedis, ReturnsTheKeptResponseForTheSameName) {
  EXPECT_EQ(begin("body", "one", 1000).state, State::New);
  EXPECT_EQ(begin("body", "one", 1001).state, State::New) << "nginx sends it again";
  const auto running = begin("other", "two", 1002);
  EXPECT_EQ(running.state, State::Running);
  EXPECT_EQ(running.body, "body");
  keep("body", "one", "201\nwith lines\n", 1003);
  const auto kept = begin("other", "three", 1003 + oauth::Repetitions::kKept - 1);
  EXPECT_EQ(kept.state, State::Kept);
  EXPECT_EQ(kept.body, "body");
  EXPECT_EQ(kept.response, "201\nwith lines\n");
  EXPECT_EQ(begin("body", "four", 1003 + oauth::Repetitions::kKept).state, State::New);
}

TEST_F(RepetitionsInRedis, ARequestThatNeverEndedLeavesTheNameFree) {
  begin("body", "one", 1000);
  EXPECT_EQ(begin("body", "two", 1059).state, State::Running);
  EXPECT_EQ(begin("new", "two", 1060).state, State::New);
  keep("body", "one", "late", 1061);
  EXPECT_EQ(begin("new", "three", 1062).state, State::Running);
}

TEST_F(RepetitionsInRedis, LimitsTheNamesOfAGrantAtATime) {
  for (std::size_t i = 0; i < oauth::Repetitions::kMostPerGrant; ++i)
    server_.command(
        {"ZADD", "oauth:repetitions:{" + kGrant.value() + "}", "1060", std::to_string(i)});
  EXPECT_EQ(begin("body", "one", 1000, "one more").state, State::Full);
  EXPECT_EQ(begin("body", "one", 1060, "one more").state, State::New);
}

}  // namespace
}  // namespace svc::stores
