#include "stores/access/sessions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/keys.h"

namespace svc {
namespace {

const std::string kKeyA = "a:" + std::string(64, 'a');
const std::string kKeyB = "b:" + std::string(64, 'b');

class Sessions : public testing::Test {
 protected:
  stores::Sessions with(const base::KeyRing& keys) {
    return {store_.redis(), keys, entropy_, time_, {100, 1000}};
  }
  std::vector<std::string> keys(const std::string& pattern) {
    const redis::Reply reply = server_.command({"KEYS", pattern});
    std::vector<std::string> found;
    for (std::size_t i = 0; i < reply.size(); ++i) found.emplace_back(*reply.at(i).text());
    return found;
  }
  std::int64_t ttl(const std::string& key) { return server_.command({"TTL", key}).integer(); }

  integration::RedisServer server_;
  fakes::ManualWallClock time_;
  base::SystemEntropy entropy_;
  integration::Store store_{server_};
  const base::KeyRing keys_ = *base::KeyRing::parse(kKeyA);
  stores::Sessions sessions_ = with(keys_);
};

TEST_F(Sessions, AreStoredWithoutTheirSecret) {
  const std::string secret =
      store_.run(sessions_.begin({501}, "192.0.2.1", "tag", "Firefox on Linux"));
  const std::string id = store_.run(sessions_.find(secret))->id;
  EXPECT_FALSE(store_.run(sessions_.find(id))) << "what the store knows opens nothing";
  EXPECT_EQ(keys("*").size(), 2u);
  for (const std::string& key : keys("*")) EXPECT_EQ(key.find(secret), std::string::npos);
  const redis::Reply all = server_.command({"HGETALL", "web:session:" + id});
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(all.at(i).text(), secret);
  EXPECT_EQ(id, keys_.mac("session", secret));
}

TEST_F(Sessions, KeysExpire) {
  const std::string secret = store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  const std::string key = "web:session:" + store_.run(sessions_.find(secret))->id;
  EXPECT_LE(ttl(key), 100);
  EXPECT_GT(ttl(key), 90);
  EXPECT_LE(ttl("web:contact_sessions:501"), 1000);
  EXPECT_GT(ttl("web:contact_sessions:501"), 990);
  // Near the end of its maximum lifetime, a session is not stored longer than
  // that.
  for (int i = 0; i < 12; ++i) {
    time_.advance(80);
    ASSERT_TRUE(store_.run(sessions_.find(secret))) << i;
  }
  EXPECT_LE(ttl(key), 40);
}

TEST_F(Sessions, LastSeenIsWrittenAtIntervals) {
  const std::string secret = store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  const std::int64_t begun = time_.now();
  time_.advance(9);
  EXPECT_EQ(store_.run(sessions_.find(secret))->last_seen, begun);
  time_.advance(1);
  EXPECT_EQ(store_.run(sessions_.find(secret))->last_seen, begun + 10);
}

TEST_F(Sessions, ListsAreTrimmed) {
  store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  time_.advance(100);
  EXPECT_TRUE(store_.run(sessions_.of({501})).empty());
  EXPECT_EQ(server_.command({"ZCARD", "web:contact_sessions:501"}).integer(), 1);
  const std::string first = store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  for (int i = 0; i < 100; ++i) {
    time_.advance((i + 1) % 2);
    store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  }
  EXPECT_EQ(server_.command({"ZCARD", "web:contact_sessions:501"}).integer(), 100);
  EXPECT_EQ(keys("web:session:*").size(), 100u);
  EXPECT_FALSE(store_.run(sessions_.find(first))) << "no session lives that no list names";
  time_.advance(1000);
  store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  EXPECT_EQ(server_.command({"ZCARD", "web:contact_sessions:501"}).integer(), 1);
}

// begin() lists a session before it writes it. Here the write is delayed: a
// listing of the sessions, or the end of all others, runs in between.
TEST_F(Sessions, ASessionStaysListedWhileItBegins) {
  const std::string kept = store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  const std::string late = store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  const std::string key = "web:session:" + store_.run(sessions_.find(late))->id;
  const auto before_it_is_written = [&](const auto& other) {
    server_.command({"RENAME", key, "aside"});
    other();
    server_.command({"RENAME", "aside", key});
    ASSERT_TRUE(store_.run(sessions_.find(late)));
    EXPECT_EQ(store_.run(sessions_.of({501})).size(), 2u);
  };
  before_it_is_written([&] { EXPECT_EQ(store_.run(sessions_.of({501})).size(), 1u); });
  before_it_is_written(
      [&] { store_.run(sessions_.end_others(*store_.run(sessions_.find(kept)))); });
  store_.run(sessions_.end_others(*store_.run(sessions_.find(kept))));
  EXPECT_FALSE(store_.run(sessions_.find(late)));
  EXPECT_TRUE(store_.run(sessions_.find(kept)));
  EXPECT_EQ(server_.command({"ZCARD", "web:contact_sessions:501"}).integer(), 1);
}

TEST_F(Sessions, AreFoundAfterAKeyRotation) {
  const std::string secret = store_.run(sessions_.begin({501}, "", "tag", "Firefox on Linux"));
  const auto before = *store_.run(sessions_.find(secret));
  const auto rotated = *base::KeyRing::parse(kKeyB + "\n" + kKeyA);
  stores::Sessions later = with(rotated);
  ASSERT_TRUE(store_.run(later.find(secret)));
  EXPECT_EQ(store_.run(later.find(secret))->id, before.id);
  EXPECT_EQ(store_.run(later.of({501})).size(), 1u);
  const auto other = *base::KeyRing::parse(kKeyB);
  EXPECT_FALSE(store_.run(with(other).find(secret)));
}

}  // namespace
}  // namespace svc
