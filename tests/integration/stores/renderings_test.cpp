#include "stores/catalog/renderings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "fakes/examples.h"
#include "fakes/manual_clock.h"
#include "fakes/waiting.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/keys.h"

namespace svc {
namespace {

using namespace std::chrono_literals;
using fakes::hashed_id;
using Found = embed::Renderings::Found;

class FakeFeed : public cache::InvalidationFeed {
 public:
  bool is_up() const override { return up; }
  base::TimePoint received_until() const override { return heard; }
  bool up = true;
  base::TimePoint heard{};
};

// The time in ms at which the build of this value began; it precedes the
// rendering.
std::int64_t begun_of(const std::string& value) { return std::stoll(value); }

class Renderings : public testing::Test {
 protected:
  // The state of one worker.
  struct Worker {
    Worker(const redis::ConnectionSettings& to, const stores::RenderingSettings& settings,
           const base::Clock& clock, std::string_view configuration = "same")
        : store(to), renderings(store.redis(), feed, settings, configuration, clock) {
      feed.heard = clock.now();
    }
    // Stores a rendering after a find without a hit.
    void keep(const media::HashedId& id, std::string_view variant, const Found& rendering) {
      EXPECT_FALSE(find(id, variant));
      keep_anyway(id, variant, rendering);
    }
    // Stores a rendering after the last find.
    void keep_anyway(const media::HashedId& id, std::string_view variant, const Found& rendering) {
      renderings.keep(id, variant, search, rendering, reads);
      written();
    }
    // Returns once every command that was sent has a reply.
    void written() {
      while (store.redis().pending() > 0) store.loop().turn(100ms);
    }
    std::optional<Found> find(const media::HashedId& id, std::string_view variant) {
      reads = {};
      search = store.run(renderings.find(id, variant, reads));
      return search.found;
    }
    void change(const std::string& key) {
      renderings.invalidated(key);
      written();
    }
    void drop(const std::vector<media::HashedId>& medias) {
      store.run(stores::drop_renderings(store.redis(), medias));
    }
    integration::Store store;
    FakeFeed feed;
    media::Reads reads;                // made by the last find
    embed::Renderings::Search search;  // its outcome
    stores::Renderings renderings;
  };

  Renderings() { settings_.of_media = true; }

  std::int64_t fields(const media::HashedId& id) {
    return server_.command({"HLEN", stores::keys::rendering(id)}).integer();
  }
  std::int64_t lives(const media::HashedId& id) {
    return server_.command({"PTTL", stores::keys::rendering(id)}).integer();
  }
  std::string field(const media::HashedId& id) {
    const redis::Reply names = server_.command({"HKEYS", stores::keys::rendering(id)});
    return names.size() == 0 ? "" : std::string(*names.at(0).text());
  }
  std::string value(const media::HashedId& id) {
    return server_.text({"HGET", stores::keys::rendering(id), field(id)});
  }
  void set_value(const media::HashedId& id, const std::string& text) {
    server_.command({"HSET", stores::keys::rendering(id), field(id), text});
  }
  // Changes the stored time as if the build had begun `ms` earlier.
  void age(const media::HashedId& id, std::int64_t ms) {
    const std::string text = value(id);
    set_value(id, std::to_string(begun_of(text) - ms) + text.substr(text.find(' ')));
  }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
  stores::RenderingSettings settings_;
  Worker one_{server_.settings(), settings_with(true), clock_};
  Worker two_{server_.settings(), settings_with(true), clock_};
  const media::HashedId a_ = hashed_id("a");
  const media::HashedId b_ = hashed_id("b");

  static stores::RenderingSettings settings_with(bool on, std::int64_t per_media = 50,
                                                 std::int64_t lifetime = 60) {
    stores::RenderingSettings settings;
    settings.of_media = settings.of_playlists = on;
    settings.per_media = per_media;
    settings.lifetime = lifetime;
    return settings;
  }
};

TEST_F(Renderings, ARenderingIsFoundByEveryWorker) {
  const std::string text = std::string("{\"a\": 1}\n\0 2 3", 15);
  one_.keep(a_, "json", {text, 1001});
  for (Worker* worker : {&one_, &two_}) {
    const auto found = worker->find(a_, "json");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->text, text);
    EXPECT_EQ(found->account, 1001);
    EXPECT_EQ(worker->reads.keys(), std::vector<std::string>{stores::keys::media(a_)})
        << "so that a change ends what is made from it";
  }
  EXPECT_FALSE(two_.find(a_, "xml")) << "another variant";
  EXPECT_FALSE(two_.find(b_, "json")) << "another media";
  Worker other(server_.settings(), settings_, clock_, "other hosts");
  EXPECT_FALSE(other.find(a_, "json")) << "another configuration";
  EXPECT_EQ(other.reads.keys(), std::vector<std::string>{});
}

TEST_F(Renderings, ManyMediaAreDroppedInBatches) {
  std::vector<media::HashedId> medias;
  for (int i = 0; i < 2500; ++i) medias.push_back(hashed_id("m" + std::to_string(i)));
  for (const int number : {0, 999, 1000, 2499})
    one_.keep(medias[static_cast<std::size_t>(number)], "json", {"x", 0});
  EXPECT_EQ(server_.command({"DBSIZE"}).integer(), 4);
  one_.drop(medias);
  EXPECT_EQ(server_.command({"DBSIZE"}).integer(), 0);
}

TEST_F(Renderings, NothingIsStoredAboveTheCap) {
  Worker worker(server_.settings(), settings_with(true, 3), clock_);
  for (const char* variant : {"1", "2", "3", "4", "5"}) worker.keep(a_, variant, {variant, 0});
  EXPECT_EQ(fields(a_), 3);
  EXPECT_TRUE(worker.find(a_, "3"));
  EXPECT_FALSE(worker.find(a_, "4"));
  worker.keep(b_, "4", {"4", 0});
  EXPECT_EQ(fields(b_), 1) << "the cap is a media's";
  worker.find(a_, "3");
  worker.keep_anyway(a_, "3", {"anew", 0});
  EXPECT_EQ(worker.find(a_, "3").value().text, "anew") << "one that is there may be renewed";
}

TEST_F(Renderings, TheTimeToLiveIsNeverExtended) {
  one_.keep(a_, "json", {"x", 0});
  EXPECT_GT(lives(a_), 0);
  EXPECT_LE(lives(a_), 60'000);
  server_.command({"PEXPIRE", stores::keys::rendering(a_), "5000"});
  one_.keep(a_, "xml", {"x", 0});
  EXPECT_LE(lives(a_), 5000);
  EXPECT_GT(lives(a_), 0);
  Worker brief(server_.settings(), settings_with(true, 50, 1), clock_);
  brief.keep(b_, "json", {"x", 0});
  EXPECT_LE(lives(b_), 1000);
  fakes::wait_until([&] { return fields(b_) == 0; });
  EXPECT_FALSE(brief.find(b_, "json"));
}

TEST_F(Renderings, AnOutageIsAMiss) {
  one_.keep(a_, "json", {"x", 0});
  server_.stop();
  EXPECT_FALSE(one_.find(a_, "json"));
  EXPECT_NO_THROW(one_.keep_anyway(a_, "json", {"x", 0}));
  EXPECT_NO_THROW(one_.change(stores::keys::media(b_)));
  server_.start();
  fakes::wait_until([&] {  // until the store is asked again
    one_.keep_anyway(a_, "json", {"back", 0});
    return one_.find(a_, "json").has_value();
  });
  EXPECT_EQ(one_.find(a_, "json")->text, "back");
}

TEST_F(Renderings, DamagedValuesAreMissesAndAreReplaced) {
  one_.keep(a_, "json", {"right", 7});
  const std::string right = value(a_);
  const std::string begun = right.substr(0, right.find(' '));
  for (const std::string& text :
       std::vector<std::string>{"", "right", begun, "x" + right, "99999999999999999999 7 right",
                                begun + " right", begun + "  7 right", R"({"title": "x"})"}) {
    SCOPED_TRACE(text);
    set_value(a_, text);
    EXPECT_FALSE(two_.find(a_, "json"));
    EXPECT_EQ(two_.reads.keys(), std::vector<std::string>{});
  }
  two_.keep(a_, "json", {"anew", 7});
  EXPECT_EQ(one_.find(a_, "json").value().text, "anew");
}

TEST_F(Renderings, RenderingsBegunBeforeAKnownChangeAreNotUsed) {
  one_.keep(a_, "json", {"old", 0});
  one_.keep(b_, "json", {"other", 0});
  two_.change(stores::keys::media(a_));
  EXPECT_FALSE(two_.find(a_, "json")) << "though nobody has dropped it";
  EXPECT_TRUE(two_.find(b_, "json"));
  // The clocks of two machines differ: a build that began just after the change
  // by its own clock may have begun before it.
  two_.keep(a_, "json", {"new", 0});
  EXPECT_FALSE(two_.find(a_, "json"));
  age(a_, -1000);
  EXPECT_FALSE(two_.find(a_, "json")) << "a second later by the clock of another machine";
  age(a_, -1500);
  EXPECT_EQ(two_.find(a_, "json").value().text, "new");
}

TEST_F(Renderings, TheWorkerThatStoredARenderingDropsItOnAChange) {
  one_.keep(a_, "json", {"old", 0});
  one_.keep(b_, "json", {"other", 0});
  one_.change(stores::keys::media(a_));
  EXPECT_EQ(fields(a_), 0);
  EXPECT_EQ(fields(b_), 1);
}

// A worker can receive an invalidation between the find and the keep of a
// request.
TEST_F(Renderings, BuildsOvertakenByAChangeAreNotStored) {
  struct Case {
    std::string_view name;
    std::string changed;
    bool kept;
  };
  for (const Case& c : {
           Case{"itself", stores::keys::media(a_), false},
           Case{"a record it was made from", stores::keys::media(hashed_id("m1")), false},
           Case{"a record that was read before the find", stores::keys::media(hashed_id("m0")),
                true},
           Case{"another record", stores::keys::media(b_), true},
       }) {
    SCOPED_TRACE(c.name);
    server_.command({"FLUSHALL"});
    Worker worker(server_.settings(), settings_with(true), clock_);
    worker.reads.note(stores::keys::media(hashed_id("m0")));
    worker.search = worker.store.run(worker.renderings.find(a_, "playlist", worker.reads));
    worker.reads.note(stores::keys::media(hashed_id("m1")));
    fakes::wait_until([&] {  // a change in the millisecond in which the build begins is before it
      return std::chrono::system_clock::now().time_since_epoch() >=
             std::chrono::milliseconds(worker.search.began + 1);
    });
    worker.change(c.changed);
    worker.keep_anyway(a_, "playlist", {"text", 0});
    EXPECT_EQ(fields(a_), c.kept ? 1 : 0);
  }
}

// The worker missed changes before its subscription, and the program that made
// such a change may have died before it dropped the stored renderings.
TEST_F(Renderings, RenderingsBegunBeforeTheSubscriptionAreNotUsed) {
  one_.keep(a_, "json", {"old", 0});
  Worker late(server_.settings(), settings_, clock_);
  late.renderings.feed_began();
  for (const std::int64_t ms : {0, 1000, 10'000, 50'000}) {
    SCOPED_TRACE(ms);
    age(a_, ms);
    EXPECT_FALSE(late.find(a_, "json"));
    EXPECT_TRUE(one_.find(a_, "json")) << "who has listened all the time knows that it is true";
  }
  late.keep(a_, "json", {"new", 0});
  age(a_, -2500);
  EXPECT_EQ(late.find(a_, "json").value().text, "new");
}

// A playlist's stored text depends on the records of all its media.
TEST_F(Renderings, APlaylistsTextIsUsedUntilAnyOfItsRecordsChanges) {
  std::vector<std::string> keys{stores::keys::playlist(a_)};
  for (int i = 0; i < 1000; ++i)
    keys.push_back(stores::keys::media(hashed_id("m" + std::to_string(i))));
  for (const std::string& changed : {keys.front(), keys[1], keys[500], keys.back()}) {
    SCOPED_TRACE(changed);
    server_.command({"FLUSHALL"});
    Worker maker(server_.settings(), settings_, clock_);
    Worker other(server_.settings(), settings_, clock_);
    ASSERT_FALSE(maker.find(a_, "playlist"));
    for (const std::string& key : keys) maker.reads.note(key);
    maker.keep_anyway(a_, "playlist", {"a text of it", 0});
    ASSERT_EQ(other.find(a_, "playlist").value().text, "a text of it");
    std::vector<std::string> noted = other.reads.keys();
    std::erase(noted, stores::keys::media(a_));  // a media may have the same id
    EXPECT_EQ(noted, keys) << "so that a change ends what is made from it";
    EXPECT_LT(value(a_).size(), 1000 * 8u) << "media by their ids";
    for (Worker* worker : {&maker, &other}) {
      worker->change(changed);
      EXPECT_FALSE(worker->find(a_, "playlist"));
    }
    Worker late(server_.settings(), settings_, clock_);
    late.renderings.feed_began();
    EXPECT_FALSE(late.find(a_, "playlist")) << "it may have changed before";
  }
}

TEST_F(Renderings, UnrelatedChangesLeaveAPlaylistsRenderingUsable) {
  const auto member = [](int number) {
    return stores::keys::media(hashed_id("m" + std::to_string(number)));
  };
  ASSERT_FALSE(one_.find(a_, "playlist"));
  for (int i = 0; i < 1000; ++i) one_.reads.note(member(i));
  one_.keep_anyway(a_, "playlist", {"text", 0});
  for (int i = 1000; i < 20'000; ++i) two_.renderings.invalidated(member(i));
  EXPECT_TRUE(two_.find(a_, "playlist"));
  two_.renderings.invalidated(member(500));
  EXPECT_FALSE(two_.find(a_, "playlist"));
  // Far more changes than a worker remembers: forgetting this change must not
  // make the text usable.
  for (int i = 20'000; i < 100'000; ++i) two_.renderings.invalidated(member(i));
  EXPECT_FALSE(two_.find(a_, "playlist"));
  age(a_, -30'000);
  EXPECT_TRUE(two_.find(a_, "playlist")) << "its build began after all of these changes";
}

TEST_F(Renderings, TooLongRenderingsAreNotStored) {
  one_.keep(a_, "player_data", {std::string((1 << 20) + 1, 'x'), 0});
  EXPECT_EQ(fields(a_), 0);
}

TEST_F(Renderings, NothingIsUsedAfterTheStoreWasEmptied) {
  one_.keep(a_, "json", {"old", 0});
  one_.renderings.all_invalidated();
  age(a_, 30'000);
  EXPECT_FALSE(one_.find(a_, "json"));
}

TEST_F(Renderings, IsUnusedWhileTheInvalidationConnectionIsDown) {
  one_.keep(a_, "json", {"x", 0});
  two_.feed.up = false;
  EXPECT_FALSE(two_.find(a_, "json"));
  two_.keep_anyway(b_, "json", {"x", 0});
  EXPECT_EQ(fields(b_), 0);
  two_.feed.up = true;
  EXPECT_TRUE(two_.find(a_, "json"));
}

// The invalidation connection may be silent for some time before its loss is
// detected.
TEST_F(Renderings, IsUnusedAfterTheBoundWithoutContact) {
  one_.keep(a_, "json", {"x", 0});
  clock_.advance(settings_.max_silence);
  EXPECT_TRUE(one_.find(a_, "json"));
  clock_.advance(1ms);
  EXPECT_FALSE(one_.renderings.usable(embed::MediaKind::Media));
  EXPECT_FALSE(one_.find(a_, "json"));
  one_.feed.heard = clock_.now();
  EXPECT_TRUE(one_.find(a_, "json"));
}

}  // namespace
}  // namespace svc
