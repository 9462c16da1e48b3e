#include "stores/catalog/caption_texts.h"

#include <gtest/gtest.h>

#include <string>

#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

class CaptionTexts : public testing::Test {
 protected:
  CaptionTexts() : store_(server_.settings()) {}

  std::optional<std::string> find(const std::string& version) {
    media::Reads reads;
    return store_.run(texts_.find(id_, version, reads));
  }
  std::int64_t stored(const std::string& version) {
    return server_.command({"HSTRLEN", "catalog:captions:abc", version}).integer();
  }

  integration::RedisServer server_;
  integration::Store store_;
  const media::HashedId id_ = *media::HashedId::parse("abc");
  stores::CaptionTexts texts_{store_.redis()};
};

TEST_F(CaptionTexts, AreCompressedIfThatMakesThemShorter) {
  const std::string large(1 << 20, 'a');
  store_.run(texts_.add(id_, "v1", large));
  store_.run(texts_.add(id_, "v2", "WEBVTT"));
  store_.run(texts_.add(id_, "v3", ""));
  EXPECT_LT(stored("v1"), 1000);
  EXPECT_EQ(stored("v2"), 7);
  EXPECT_EQ(find("v1"), large);
  EXPECT_EQ(find("v2"), "WEBVTT");
  EXPECT_EQ(find("v3"), "");
  EXPECT_EQ(find("v4"), std::nullopt);
}

TEST_F(CaptionTexts, ThatCannotBeReadFailTheRequest) {
  for (const std::string damaged : {"", "x", "1", "1abc", "2WEBVTT"}) {
    server_.command({"HSET", "catalog:captions:abc", "v1", damaged});
    EXPECT_THROW(find("v1"), base::Unreadable) << damaged;
  }
}

TEST_F(CaptionTexts, AreRemovedAndCounted) {
  store_.run(texts_.add(id_, "v1", "a"));
  store_.run(texts_.add(id_, "v2", "b"));
  store_.run(texts_.remove(id_, {"v1", "v3"}));
  store_.run(texts_.remove(id_, {}));
  EXPECT_EQ(store_.run(texts_.versions(id_)), std::vector<std::string>{"v2"});
  store_.run(texts_.count({41}, id_, 7));
  store_.run(texts_.count({41}, *media::HashedId::parse("other"), 5));
  EXPECT_EQ(store_.run(texts_.bytes({41})), 12);
  store_.run(texts_.count({41}, id_, 0));
  EXPECT_EQ(store_.run(texts_.bytes({41})), 5);
  EXPECT_EQ(store_.run(texts_.bytes({42})), 0);
}

}  // namespace
}  // namespace svc
