#include "redis/uploads.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/unavailable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "text/rfc3339.h"

namespace svc {
namespace {

class Uploads : public testing::Test {
 protected:
  static media::HashedId id(int number) {
    return *media::HashedId::parse("media" + std::to_string(1000 + number));
  }
  // Adds an upload of that account and second.
  void add(int number, std::int64_t account = 1001) {
    media::Media media;
    media.id = id(number);
    media.account = {account};
    media.type = "Video";
    media.name = "Film";
    media.created = media.updated = text::to_rfc3339(1'780'000'000 + number);
    store_.run(uploads_.add(media, {"film.mp4", 0, 1}));
  }
  std::vector<std::string> recent(std::int64_t account = 1001) {
    std::vector<std::string> ids;
    for (const media::HashedId& each : store_.run(uploads_.recent({account})))
      ids.push_back(each.text());
    return ids;
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  redis::Uploads uploads_{store_.redis()};
};

TEST_F(Uploads, PagesW13ListsTheLastOfAnAccountTheNewestFirst) {
  EXPECT_TRUE(recent().empty());
  add(2);
  add(1);
  add(3, 1002);
  add(2);  // a repetition
  EXPECT_EQ(recent(), (std::vector{id(2).text(), id(1).text()}));
  EXPECT_EQ(recent(1002), std::vector{id(3).text()});
}

TEST_F(Uploads, PagesW13ListsAtMostFifty) {
  for (int i = 0; i < 55; ++i) add(i);
  const std::vector<std::string> ids = recent();
  ASSERT_EQ(ids.size(), media::Uploads::kMostRecent);
  EXPECT_EQ(ids.front(), id(54).text());
  EXPECT_EQ(ids.back(), id(5).text());
  EXPECT_EQ(server_.command({"ZCARD", "ingest:recent:1001"}).integer(), 50);
}

TEST_F(Uploads, PagesW13ARemovedMediaIsNotListed) {
  add(1);
  add(2);
  store_.run(uploads_.remove(id(2), media::AccountId{1001}));
  EXPECT_EQ(recent(), std::vector{id(1).text()});
  store_.run(uploads_.remove(id(1), std::nullopt));
  EXPECT_EQ(recent(), std::vector{id(1).text()}) << "the account is unknown";
}

TEST_F(Uploads, IsUnavailableWhileTheStoreIsStopped) {
  server_.stop();
  EXPECT_THROW(recent(), base::Unavailable);
}

}  // namespace
}  // namespace svc
