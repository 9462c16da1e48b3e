#include "stores/catalog/catalog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "fakes/examples.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"
#include "stores/keys.h"

namespace svc {
namespace {

using base::Unavailable;
using fakes::hashed_id;
using media::Detail;

class Catalog : public testing::Test {
 protected:
  void keep(const media::Media& media) {
    server_.command({"SET", stores::keys::media(media.id), to_record(media)});
  }
  void keep(const media::Playlist& playlist) {
    server_.command({"SET", stores::keys::playlist(playlist.id), to_record(playlist)});
  }
  void keep_media(const std::string& id, std::string_view record) {
    server_.command({"SET", stores::keys::media(hashed_id(id)), record});
  }

  std::int64_t statistic(const std::string& name) {
    const std::string all = server_.text({"INFO", "stats"});
    return std::stoll(all.substr(all.find("\n" + name + ":") + name.size() + 2));
  }
  std::int64_t calls() { return statistic("total_commands_processed"); }
  std::int64_t looks() { return statistic("keyspace_hits") + statistic("keyspace_misses"); }

  std::optional<media::Media> find_media(const media::HashedId& id, Detail detail) {
    return store_.run(catalog_.find_media(id, detail, reads_));
  }
  std::optional<media::Playlist> find_playlist(const media::HashedId& id) {
    return store_.run(catalog_.find_playlist(id, reads_));
  }
  std::vector<media::Media> find_medias(const std::vector<media::HashedId>& ids, Detail detail) {
    return store_.run(catalog_.find_medias(ids, detail, reads_));
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::Catalog catalog_{store_.redis()};
  media::Reads reads_;
};

TEST_F(Catalog, FindsAThousandMediaWithFewCommands) {
  std::vector<media::HashedId> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(hashed_id("m" + std::to_string(i)));
    keep_media(ids.back().value(), to_record(fakes::example_video(ids.back().value())));
  }
  const std::int64_t before = calls();
  const auto found = find_medias(ids, Detail::Embed);
  EXPECT_LE(calls() - before, 20);
  ASSERT_EQ(found.size(), 1000u);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].id, ids[i]);
}

loop::Task<> count_medias(stores::Catalog& catalog, std::vector<media::HashedId> ids,
                          std::size_t& count) {
  media::Reads reads;
  const auto found = co_await catalog.find_medias(ids, Detail::Embed, reads);
  count = found.size();
}

TEST_F(Catalog, SendsAllBatchesBeforeItAwaitsTheFirst) {
  std::vector<media::HashedId> ids;
  for (int i = 0; i < 250; ++i) {
    ids.push_back(hashed_id("m" + std::to_string(i)));
    keep(fakes::example_video(ids.back().value()));
  }
  ASSERT_TRUE(find_media(ids[0], Detail::Embed));  // connects
  std::size_t count = 0;
  store_.tasks().spawn(count_medias(catalog_, ids, count));
  EXPECT_EQ(store_.redis().pending(), 3u);
  while (!store_.tasks().is_empty()) store_.loop().turn(std::chrono::milliseconds(100));
  EXPECT_EQ(count, 250u);
}

TEST_F(Catalog, ReadsARepeatedIdOnlyOnce) {
  keep(fakes::example_video("a"));
  const std::vector<media::HashedId> ids(1000, hashed_id("a"));
  const std::int64_t before = looks();
  EXPECT_EQ(find_medias(ids, Detail::Embed).size(), 1000u);
  EXPECT_EQ(looks() - before, 1);
}

TEST_F(Catalog, LeavesOutAKeyOfAnotherType) {
  std::vector<media::HashedId> ids;
  for (int i = 0; i < 250; ++i) ids.push_back(hashed_id("gone" + std::to_string(i)));
  keep(fakes::example_video("good"));
  ids.push_back(hashed_id("good"));
  const std::int64_t before = calls();
  EXPECT_EQ(find_medias(ids, Detail::Embed).size(), 1u);
  EXPECT_LE(calls() - before, 10) << "not one by one";
  for (const char* id : {"gone0", "gone130", "gone249"}) {
    SCOPED_TRACE(id);
    server_.command({"RPUSH", stores::keys::media(hashed_id(id)), "x"});
    EXPECT_EQ(find_medias(ids, Detail::Embed).size(), 1u);
    EXPECT_THROW(find_media(hashed_id(id), Detail::Embed), base::Unreadable);
    EXPECT_TRUE(find_media(hashed_id("good"), Detail::Embed)) << "no breaker closed";
    server_.command({"DEL", stores::keys::media(hashed_id(id))});
  }
  EXPECT_EQ(find_medias(ids, Detail::Embed).size(), 1u);
}

TEST_F(Catalog, SendsNoCommandForAnEmptyList) {
  server_.stop();
  EXPECT_TRUE(find_medias({}, Detail::Embed).empty());
}

TEST_F(Catalog, AnUnreadableRecordIsNeitherMissingNorAnOutage) {
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
    EXPECT_THROW(find_media(hashed_id("abc"), Detail::Embed), base::Unreadable);
    EXPECT_THROW(find_media(hashed_id("abc"), Detail::All), base::Unreadable);
    EXPECT_TRUE(find_medias({hashed_id("abc")}, Detail::Embed).empty()) << "fails no list";
    if (c.name != "another kind") {
      EXPECT_THROW(find_playlist(hashed_id("abc")), base::Unreadable);
    }
  }
}

}  // namespace
}  // namespace svc
