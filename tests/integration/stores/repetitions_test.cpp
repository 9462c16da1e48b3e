// Repetitions in Redis.
#include "stores/access/repetitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"

namespace svc::stores {
namespace {

class RepetitionsInRedis : public testing::Test {
 protected:
  using Kept = oauth::Repetitions;
  using State = Kept::State;

  Kept::Begun begin(const std::string& body, const std::string& request, std::int64_t now,
                    const std::string& name = "name") {
    return store_.run(repetitions_.begin(kOwner, name, body, request, now));
  }
  void end(const std::string& body, const std::string& request, const std::string& response,
           std::int64_t now, const std::string& name = "name") {
    store_.run(repetitions_.end(kOwner, name, body, request, response, now));
  }
  std::size_t bytes() { return std::stoul(server_.text({"HGET", kBytes, "all"})); }
  std::size_t names() {
    return static_cast<std::size_t>(server_.command({"ZCARD", kNames}).integer());
  }
  // Returns the sum of the bytes of all names.
  std::size_t sum() {
    const redis::Reply all = server_.command({"HVALS", kBytes});
    std::size_t sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      sum += std::stoul(std::string(all.at(i).text().value_or("0")));
    return sum - bytes();
  }

  const Kept::Owner kOwner{oauth::GrantId{"0123456789abcdef0123456789abcdef"}, {1001}};
  const std::string kNames = "oauth:repetitions:{1001}";
  const std::string kBytes = "oauth:repetition_bytes:{1001}";
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
  const std::string response = "201\nwith lines\n" + std::string("\0\xff", 2);
  end("body", "one", response, 1003);
  const auto kept = begin("other", "three", 1003 + Kept::kKept - 1);
  EXPECT_EQ(kept.state, State::Kept);
  EXPECT_EQ(kept.body, "body");
  EXPECT_EQ(kept.response, response);
  EXPECT_EQ(begin("body", "four", 1003 + Kept::kKept).state, State::New);
}

TEST_F(RepetitionsInRedis, ARequestThatNeverEndedLeavesTheNameFree) {
  begin("body", "one", 1000);
  EXPECT_EQ(begin("body", "two", 1059).state, State::Running);
  EXPECT_EQ(begin("new", "two", 1060).state, State::New);
  end("body", "one", "late", 1061);
  EXPECT_EQ(begin("new", "three", 1062).state, State::Running);
}

TEST_F(RepetitionsInRedis, ARecordWithoutAResponseLivesAMinuteAndIsCounted) {
  begin("body", "one", 1000);
  EXPECT_EQ(bytes(), Kept::kNameBytes + Kept::kMostKept);
  EXPECT_EQ(begin("body", "one", 1000).state, State::New);
  EXPECT_EQ(bytes(), Kept::kNameBytes + Kept::kMostKept) << "nginx sends it again";
  end("body", "one", "", 1001);
  EXPECT_EQ(bytes(), Kept::kNameBytes);
  EXPECT_EQ(names(), 1U);
  EXPECT_EQ(begin("body", "two", 1059).state, State::Running);
  const redis::Reply found = server_.command({"KEYS", "oauth:repetition:*"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(server_.command({"TTL", found.at(0).text().value_or("")}).integer(), Kept::kRunning);
  begin("body", "two", 1060, "other");
  EXPECT_EQ(names(), 1U);
  EXPECT_EQ(sum(), bytes());
}

TEST_F(RepetitionsInRedis, CountsWhatIsStoredUntilItEnds) {
  begin("body", "one", 1000);
  end("body", "one", std::string(1000, 'r'), 1001);
  begin("body", "one", 1002, "other");
  EXPECT_EQ(bytes(), 2 * Kept::kNameBytes + 1000 + Kept::kMostKept);
  EXPECT_EQ(sum(), bytes());
  begin("body", "two", 1001 + Kept::kKept, "third");
  EXPECT_EQ(bytes(), Kept::kNameBytes + Kept::kMostKept);
  EXPECT_EQ(names(), 1U);
  EXPECT_EQ(sum(), bytes());
}

TEST_F(RepetitionsInRedis, LimitsTheNamesOfAnAccountAtATime) {
  for (std::size_t i = 0; i < Kept::kMostNames; ++i)
    server_.command({"ZADD", kNames, "1060", std::to_string(i)});
  EXPECT_EQ(begin("body", "one", 1000, "one more").state, State::Full);
  for (std::int64_t now = 1060; names() > 1; ++now) begin("body", "one", now, "one more");
  EXPECT_EQ(begin("body", "one", 1200, "another").state, State::New);
}

TEST_F(RepetitionsInRedis, SixtyFourAtOnceDoNotExceedTheBytesOfAnAccount) {
  constexpr std::size_t kFree = 5;
  const std::size_t taken = Kept::kMostBytes - kFree * (Kept::kNameBytes + Kept::kMostKept);
  const std::string of_one = std::to_string(taken);
  server_.command({"ZADD", kNames, "9000", "taken"});
  server_.command({"HSET", kBytes, "taken", of_one, "all", of_one});
  std::vector<std::string> names_of_all;
  for (int i = 0; i < 64; ++i) names_of_all.push_back("name" + std::to_string(i));
  std::vector<loop::Task<Kept::Begun>> beginning;
  for (const std::string& name : names_of_all)
    beginning.push_back(repetitions_.begin(kOwner, name, "body", "one", 1000));
  const std::vector<Kept::Begun> all = store_.run(loop::all(std::move(beginning)));
  EXPECT_EQ(std::ranges::count(all, State::New, &Kept::Begun::state), kFree);
  EXPECT_EQ(std::ranges::count(all, State::Full, &Kept::Begun::state), 64 - kFree);
  for (const std::string& name : names_of_all)
    end("body", "one", std::string(Kept::kMostKept, 'r'), 1001, name);
  EXPECT_EQ(bytes(), Kept::kMostBytes);
  EXPECT_EQ(sum(), bytes());
}

// All grants of an account share its room; a name is of one grant.
TEST_F(RepetitionsInRedis, GrantsOfAnAccountShareItsRoomAndNoNames) {
  const Kept::Owner other{oauth::GrantId{"fedcba9876543210fedcba9876543210"}, {1001}};
  begin("body", "one", 1000);
  EXPECT_EQ(store_.run(repetitions_.begin(other, "name", "body", "two", 1000)).state, State::New);
  EXPECT_EQ(names(), 2U);
  const Kept::Owner elsewhere{other.grant, {1002}};
  EXPECT_EQ(store_.run(repetitions_.begin(elsewhere, "name", "body", "three", 1000)).state,
            State::New);
  EXPECT_EQ(names(), 2U);
}

TEST_F(RepetitionsInRedis, ReadsRecordsOfEarlierVersionsUntilTheyEnd) {
  const std::string key = "oauth:repetition:{" + kOwner.grant.value() + "}:name";
  server_.command({"SET", key, "kept 2000 body one\n201\ntext"});
  const auto kept = begin("body", "two", 1999);
  EXPECT_EQ(kept.state, State::Kept);
  EXPECT_EQ(kept.body, "body");
  EXPECT_EQ(kept.response, "201\ntext");
  server_.command({"SET", key, "running 2050 body one\n"});
  EXPECT_EQ(begin("body", "three", 2040).state, State::Running);
  EXPECT_EQ(begin("body", "four", 2110).state, State::New);
  for (const char* const other : {"", "text", "kept", "kept 9999", "\n", "9999"}) {
    server_.command({"SET", key, other});
    EXPECT_EQ(begin("body", "five", 3000).state, State::New) << other;
  }
}

}  // namespace
}  // namespace svc::stores
