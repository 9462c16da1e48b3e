#include "redis/tracking.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "integration/redis_server.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

class Heard : public cache::Changes {
 public:
  void changed(std::string_view key) override { keys.emplace_back(key); }
  void everything_changed() override { ++everything; }
  void heard_from_now_on() override { ++begun; }
  std::vector<std::string> keys;
  int everything = 0;
  int begun = 0;
};

class Tracking : public testing::Test {
 protected:
  explicit Tracking(std::chrono::milliseconds timeout = 1s) : timeout_(timeout) {}

  redis::ConnectionSettings settings() const {
    redis::ConnectionSettings settings = server_.settings();
    settings.timeout = timeout_;
    return settings;
  }

  // Works as a worker does, until it is so.
  bool until(const std::function<bool()>& condition) {
    const auto end = clock_.now() + 30s;
    while (!condition()) {
      if (clock_.now() > end) return false;
      pollfd one{tracking_.fd(), POLLIN, 0};
      poll(&one, 1, 10);
      tracking_.work();
    }
    return true;
  }
  bool until_up() {
    return until([this] { return tracking_.is_up(); });
  }
  bool until_heard(const std::string& key) {
    return until([&] { return !heard_.keys.empty() && heard_.keys.back() == key; });
  }

  const std::chrono::milliseconds timeout_;
  integration::RedisServer server_;
  const base::SteadyClock clock_;
  Heard heard_;
  redis::Tracking tracking_{settings(), {"catalog:media:", "catalog:playlist:"}, heard_, clock_};
};

TEST_F(Tracking, C2HearsWhatIsWrittenDeletedAndExpires) {
  ASSERT_TRUE(until_up());
  EXPECT_EQ(heard_.begun, 1);
  server_.command({"SET", "catalog:media:a", "1"});
  EXPECT_TRUE(until_heard("catalog:media:a"));
  server_.command({"SET", "catalog:playlist:b", "1"});
  EXPECT_TRUE(until_heard("catalog:playlist:b"));
  server_.command({"DEL", "catalog:media:a"});
  EXPECT_TRUE(until_heard("catalog:media:a"));
  server_.command({"PEXPIRE", "catalog:playlist:b", "30"});
  EXPECT_TRUE(until([&] { return heard_.keys.size() >= 5; })) << "set to expire, and expired";
  EXPECT_EQ(heard_.keys.back(), "catalog:playlist:b");
  server_.command({"MSET", "catalog:media:c", "1", "catalog:media:d", "1", "catalog:account:1", "1",
                   "oauth:x", "1"});
  EXPECT_TRUE(until([&] { return heard_.keys.size() >= 7; }));
  for (const std::string& key : heard_.keys) {
    EXPECT_TRUE(key.starts_with("catalog:media:") || key.starts_with("catalog:playlist:")) << key;
  }
  server_.command({"FLUSHALL"});
  EXPECT_TRUE(until([&] { return heard_.everything == 1; }));
}

TEST_F(Tracking, C2KnowsUntilWhenItHeard) {
  ASSERT_TRUE(until_up());
  const base::TimePoint first = tracking_.heard_until();
  EXPECT_LE(first, clock_.now());
  EXPECT_TRUE(until([&] { return tracking_.heard_until() > first; })) << "it asks now and then";
  server_.pause();
  // What is answered already may still be on its way.
  const base::TimePoint paused = clock_.now();
  EXPECT_TRUE(until([&] { return !tracking_.is_up(); })) << "it does not wait for ever";
  EXPECT_LE(tracking_.heard_until(), paused);
  server_.resume();
  EXPECT_TRUE(until([&] { return tracking_.is_up() && tracking_.heard_until() > paused; }));
}

TEST_F(Tracking, C2ConnectsAgainAndSaysThatItMissedSomething) {
  ASSERT_TRUE(until_up());
  server_.command({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_TRUE(until([&] { return heard_.begun == 2; }));
  server_.stop();
  EXPECT_TRUE(until([&] { return !tracking_.is_up(); }));
  server_.start();
  EXPECT_TRUE(until([&] { return heard_.begun == 3; }));
  server_.command({"SET", "catalog:media:a", "1"});
  EXPECT_TRUE(until_heard("catalog:media:a"));
}

// Whoever waited for the store once would wait as long as this.
class PatientTracking : public Tracking {
 protected:
  PatientTracking() : Tracking(30s) {}
};

TEST_F(PatientTracking, D3NeverWaitsForAStoreThatSaysNothing) {
  server_.pause();
  for (int i = 0; i < 200; ++i) {
    const base::TimePoint before = clock_.now();
    tracking_.work();
    EXPECT_LT(clock_.now() - before, timeout_ / 2);
  }
  EXPECT_FALSE(tracking_.is_up());
  server_.resume();
  EXPECT_TRUE(until_up());
}

}  // namespace
}  // namespace svc
