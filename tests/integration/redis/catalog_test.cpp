#include "redis/catalog.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "fakes/examples.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "redis/keys.h"

namespace svc {
namespace {

using base::Unavailable;
using fakes::hashed_id;
using media::Detail;

class Catalog : public testing::Test {
 protected:
  void keep(const media::Media& media) {
    server_.command({"SET", redis::keys::media(media.id), to_record(media)});
  }
  void keep(const media::Playlist& playlist) {
    server_.command({"SET", redis::keys::playlist(playlist.id), to_record(playlist)});
  }
  void keep_media(const std::string& id, std::string_view record) {
    server_.command({"SET", redis::keys::media(hashed_id(id)), record});
  }

  std::int64_t statistic(const std::string& name) {
    const std::string all = server_.text({"INFO", "stats"});
    return std::stoll(all.substr(all.find("\n" + name + ":") + name.size() + 2));
  }
  std::int64_t calls() { return statistic("total_commands_processed"); }
  std::int64_t looks() { return statistic("keyspace_hits") + statistic("keyspace_misses"); }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
  redis::Connection connection_{server_.settings(), clock_};
  redis::Catalog catalog_{connection_};
};

TEST_F(Catalog, FindsAMediaAsItWasKept) {
  media::Media video = fakes::example_video();
  video.description = "<p>A film.</p>";
  keep(video);
  const auto found = catalog_.find_media(video.id, Detail::All);
  ASSERT_TRUE(found);
  EXPECT_EQ(to_record(*found), to_record(video));
  const auto embed = catalog_.find_media(video.id, Detail::Embed);
  ASSERT_TRUE(embed);
  EXPECT_EQ(embed->name, video.name);
  EXPECT_EQ(embed->description, "");
}

TEST_F(Catalog, FindsAPlaylistAsItWasKept) {
  const media::Playlist playlist = fakes::example_playlist({"b", "a", "b"});
  keep(playlist);
  const auto found = catalog_.find_playlist(playlist.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(to_record(*found), to_record(playlist));
}

TEST_F(Catalog, FindsNothingWhereThereIsNothing) {
  keep(fakes::example_video("abc"));
  EXPECT_FALSE(catalog_.find_media(hashed_id("ABC"), Detail::Embed));
  EXPECT_FALSE(catalog_.find_playlist(hashed_id("abc")));
  EXPECT_TRUE(catalog_.find_medias({hashed_id("x"), hashed_id("y")}, Detail::Embed).empty());
}

TEST_F(Catalog, FindsMediaInTheOrderAskedLeavingOutWhatIsGone) {
  for (const char* id : {"a", "b", "c"}) keep(fakes::example_video(id));
  std::vector<std::string> found;
  for (const media::Media& media : catalog_.find_medias(
           {hashed_id("c"), hashed_id("gone"), hashed_id("a"), hashed_id("c")}, Detail::Embed)) {
    found.push_back(media.id.text());
  }
  EXPECT_EQ(found, (std::vector<std::string>{"c", "a", "c"}));
}

TEST_F(Catalog, FindsAThousandMediaInFewTrips) {
  std::vector<media::HashedId> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(hashed_id("m" + std::to_string(i)));
    keep_media(ids.back().text(), to_record(fakes::example_video(ids.back().text())));
  }
  const std::int64_t before = calls();
  const auto found = catalog_.find_medias(ids, Detail::Embed);
  EXPECT_LE(calls() - before, 20);
  ASSERT_EQ(found.size(), 1000u);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].id, ids[i]);
}

TEST_F(Catalog, AsksOnceForAMediaThatIsNamedAThousandTimes) {
  keep(fakes::example_video("a"));
  const std::vector<media::HashedId> ids(1000, hashed_id("a"));
  const std::int64_t before = looks();
  EXPECT_EQ(catalog_.find_medias(ids, Detail::Embed).size(), 1000u);
  EXPECT_EQ(looks() - before, 1);
}

TEST_F(Catalog, SeesOneKeyOfAnotherTypeAmongManyThatAreGone) {
  std::vector<media::HashedId> ids;
  for (int i = 0; i < 250; ++i) ids.push_back(hashed_id("gone" + std::to_string(i)));
  keep(fakes::example_video("good"));
  ids.push_back(hashed_id("good"));
  const std::int64_t before = calls();
  EXPECT_EQ(catalog_.find_medias(ids, Detail::Embed).size(), 1u);
  EXPECT_LE(calls() - before, 10) << "not one by one";
  for (const char* id : {"gone0", "gone130", "gone249"}) {
    SCOPED_TRACE(id);
    server_.command({"RPUSH", redis::keys::media(hashed_id(id)), "x"});
    EXPECT_THROW(catalog_.find_medias(ids, Detail::Embed), Unavailable);
    EXPECT_TRUE(catalog_.find_media(hashed_id("good"), Detail::Embed)) << "no breaker closed";
    connection_.settle();
    server_.command({"DEL", redis::keys::media(hashed_id(id))});
  }
  EXPECT_EQ(catalog_.find_medias(ids, Detail::Embed).size(), 1u);
}

TEST_F(Catalog, AsksNothingForNoMedia) {
  server_.stop();
  EXPECT_TRUE(catalog_.find_medias({}, Detail::Embed).empty());
}

TEST_F(Catalog, TakesARecordThatCannotBeReadForAnOutageNeverForNothing) {
  const std::string good = to_record(fakes::example_video("abc"));
  struct Case {
    std::string_view name;
    std::string record;
  };
  for (const Case& c : {
           Case{"empty", ""},
           Case{"not JSON", "nonsense\n{}"},
           Case{"one line", good.substr(0, good.find('\n'))},
           Case{"cut", good.substr(0, good.size() / 3)},
           Case{"an empty object", "{}\n{}"},
           Case{"another kind", to_record(fakes::example_playlist({"a"}))},
       }) {
    SCOPED_TRACE(c.name);
    keep_media("abc", c.record);
    server_.command({"SET", "catalog:playlist:abc", c.record + "\n"});
    EXPECT_THROW(catalog_.find_media(hashed_id("abc"), Detail::Embed), Unavailable);
    EXPECT_THROW(catalog_.find_media(hashed_id("abc"), Detail::All), Unavailable);
    EXPECT_THROW(catalog_.find_medias({hashed_id("abc")}, Detail::Embed), Unavailable);
    if (c.name != "another kind") {
      EXPECT_THROW(catalog_.find_playlist(hashed_id("abc")), Unavailable);
    }
    connection_.settle();
  }
}

TEST_F(Catalog, TakesAKeyOfAnotherTypeForAnOutage) {
  server_.command({"RPUSH", "catalog:media:abc", "x"});
  EXPECT_THROW(catalog_.find_media(hashed_id("abc"), Detail::Embed), Unavailable);
  EXPECT_THROW(catalog_.find_medias({hashed_id("abc")}, Detail::Embed), Unavailable);
}

TEST_F(Catalog, AnswersOthersThoughOneRecordCannotBeRead) {
  keep(fakes::example_video("good"));
  keep_media("bad", "nonsense");
  EXPECT_THROW(catalog_.find_media(hashed_id("bad"), Detail::Embed), Unavailable);
  EXPECT_TRUE(catalog_.find_media(hashed_id("good"), Detail::Embed)) << "no breaker closed";
}

TEST_F(Catalog, IsUnavailableWhileTheStoreIsAway) {
  keep(fakes::example_video("abc"));
  server_.stop();
  EXPECT_THROW(catalog_.find_media(hashed_id("abc"), Detail::Embed), Unavailable);
  EXPECT_THROW(catalog_.find_playlist(hashed_id("abc")), Unavailable);
  EXPECT_THROW(catalog_.find_medias({hashed_id("abc")}, Detail::Embed), Unavailable);
}

TEST_F(Catalog, FindsWhatItExpected) {
  keep(fakes::example_video("a"));
  keep(fakes::example_playlist({"a"}, "list"));
  catalog_.expect_media(hashed_id("a"));
  catalog_.expect_playlist(hashed_id("list"));
  catalog_.expect_media(hashed_id("gone"));
  EXPECT_TRUE(catalog_.find_playlist(hashed_id("list")));
  EXPECT_FALSE(catalog_.find_media(hashed_id("gone"), Detail::Embed));
  EXPECT_TRUE(catalog_.find_media(hashed_id("a"), Detail::Embed));
}

TEST_F(Catalog, SeesAChangeInTheNextRound) {
  keep(fakes::example_video("a"));
  ASSERT_TRUE(catalog_.find_media(hashed_id("a"), Detail::Embed));
  connection_.settle();
  media::Media renamed = fakes::example_video("a");
  renamed.name = "Renamed";
  keep(renamed);
  catalog_.expect_media(hashed_id("a"));
  EXPECT_EQ(catalog_.find_media(hashed_id("a"), Detail::Embed)->name, "Renamed");
}

TEST_F(Catalog, C2AsksAgainForWhoWantsItAsItIsNow) {
  cache::Reads reads;
  redis::Catalog catalog(connection_, &reads);
  media::Media video = fakes::example_video();
  const std::string before = video.name;
  keep(video);
  ASSERT_EQ(catalog.find_media(video.id, Detail::All)->name, before);
  video.name = "Another";
  keep(video);
  EXPECT_EQ(catalog.find_media(video.id, Detail::All)->name, before) << "in the same round";
  reads.read_afresh(true);
  EXPECT_EQ(catalog.find_media(video.id, Detail::All)->name, "Another");
  EXPECT_EQ(reads.keys().size(), 3u);
}

}  // namespace
}  // namespace svc
