#include "redis/tracking.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/tls.h"
#include "integration/recorded_invalidations.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "integration/tls.h"
#include "loop/loop.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

using integration::RecordedInvalidations;

loop::Task<> sent(redis::Store& channel, std::vector<std::string> words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  redis::Store::Call call = channel.command(views);
  co_await call;
}

class Tracking : public testing::Test {
 protected:
  explicit Tracking(std::chrono::milliseconds timeout = 1s) : timeout_(timeout) {}

  void SetUp() override { tracking_.start(); }

  redis::ConnectionSettings settings() const {
    redis::ConnectionSettings settings = server_.settings();
    settings.timeout = timeout_;
    return settings;
  }

  // Turns the loop until the condition holds. Returns false if it does not hold
  // after 300 s.
  bool until(const std::function<bool()>& condition) {
    const auto end = clock_.now() + 300s;
    while (!condition()) {
      if (clock_.now() > end) return false;
      loop_.turn(10ms);
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
  loop::Loop loop_{clock_};
  RecordedInvalidations heard_;
  redis::Tracking tracking_{settings(), {"catalog:media:", "catalog:playlist:"}, heard_, loop_};
};

TEST_F(Tracking, ReceivesWritesDeletionsAndExpiries) {
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

TEST_F(Tracking, KnowsTheTimeOfTheLastContact) {
  ASSERT_TRUE(until_up());
  const base::TimePoint first = tracking_.received_until();
  EXPECT_LE(first, clock_.now());
  EXPECT_TRUE(until([&] { return tracking_.received_until() > first; })) << "it asks now and then";
  server_.pause();
  // A reply that was already sent may still arrive.
  const base::TimePoint paused = clock_.now();
  EXPECT_TRUE(until([&] { return !tracking_.is_up(); })) << "it does not wait for ever";
  EXPECT_LE(tracking_.received_until(), paused);
  server_.resume();
  EXPECT_TRUE(until([&] { return tracking_.is_up() && tracking_.received_until() > paused; }));
}

TEST_F(Tracking, ReconnectsAndReportsANewSubscription) {
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

// A call that blocked for the store would block for this timeout.
class PatientTracking : public Tracking {
 protected:
  PatientTracking() : Tracking(30s) {}
  // Pauses the server before the first connection.
  void SetUp() override { server_.pause(); }
};

TEST_F(PatientTracking, DoesNotBlockIfTheStoreNeverReplies) {
  const base::TimePoint before = clock_.now();
  tracking_.start();
  for (int i = 0; i < 200; ++i) loop_.turn(1ms);
  EXPECT_LT(clock_.now() - before, timeout_ / 2);
  EXPECT_FALSE(tracking_.is_up());
  server_.resume();
  EXPECT_TRUE(until_up());
}

TEST_F(Tracking, DoesNotWakeAnIdleLoop) {
  ASSERT_TRUE(until_up());
  const base::TimePoint end = clock_.now() + 1500ms;
  int turns = 0;
  while (clock_.now() < end) {
    loop_.turn(100ms);
    ++turns;
  }
  EXPECT_LT(turns, 100) << "it is not written to all the time";
}

TEST(TrackingOverTls, OperationsD7ReceivesWritesAndReconnects) {
  const integration::Certificates certificates;
  certificates.issue("elsewhere", "DNS:redis.example");
  certificates.issue("server", "IP:127.0.0.1");
  certificates.issue("client", "DNS:client.example");
  const auto tls = base::TlsClient::load(certificates.files("client"), "redis-tls");
  ASSERT_TRUE(tls) << tls.error();
  integration::TlsServer server(certificates, "elsewhere", {"--tls-auth-clients", "yes"});
  const base::SteadyClock clock;
  loop::Loop loop(clock);
  RecordedInvalidations heard;
  redis::Tracking tracking(integration::tls_settings(server.port(), *tls), {"catalog:media:"},
                           heard, loop);
  const auto until = [&](const std::function<bool()>& condition) {
    const base::TimePoint end = clock.now() + 300s;
    while (!condition() && clock.now() < end) loop.turn(10ms);
    return condition();
  };
  tracking.start();
  for (int i = 0; i < 50; ++i) loop.turn(10ms);
  EXPECT_FALSE(tracking.is_up()) << "nothing is sent to a server that it cannot verify";
  EXPECT_EQ(server.plain().text({"INFO", "commandstats"}).find("cmdstat_subscribe"),
            std::string::npos);
  const auto present = [&] {
    server.plain().command({"CONFIG", "SET", "tls-cert-file", certificates.path("server.pem"),
                            "tls-key-file", certificates.path("server.key")});
  };
  present();
  ASSERT_TRUE(until([&] { return tracking.is_up(); })) << "it is retried";
  EXPECT_EQ(heard.begun, 1);
  server.plain().command({"SET", "catalog:media:a", "1"});
  EXPECT_TRUE(until([&] { return heard.keys == std::vector<std::string>{"catalog:media:a"}; }));
  const base::TimePoint first = tracking.received_until();
  EXPECT_TRUE(until([&] { return tracking.received_until() > first; })) << "PING is answered";
  server.plain().restart();
  present();
  EXPECT_TRUE(until([&] { return heard.begun == 2; }));
  // A transaction's keys are in one message: more than one TLS record.
  std::vector<std::string> words{"MSET"};
  for (int i = 0; i < 2000; ++i) {
    words.push_back("catalog:media:" + std::to_string(i));
    words.emplace_back("1");
  }
  heard.keys.clear();
  integration::Store store(server.plain());
  store.run(sent(store.redis(), words));
  EXPECT_TRUE(until([&] { return heard.keys.size() == 2000; })) << heard.keys.size();
}

}  // namespace
}  // namespace svc
