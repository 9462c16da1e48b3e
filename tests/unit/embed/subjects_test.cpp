#include "embed/subjects.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"

namespace svc::embed {
namespace {

using fakes::hashed_id;

class MemoryRenderings : public Renderings {
 public:
  bool usable(MediaKind) const override { return up; }
  loop::Task<Search> find(const media::HashedId& id, std::string_view variant,
                          media::Reads& reads) override {
    Search search;
    search.read_before = reads.keys().size();
    const auto at = texts.find(id.value() + " " + std::string(variant));
    if (at != texts.end()) search.found = Found{at->second, 0};
    co_return search;
  }
  void keep(const media::HashedId& id, std::string_view variant, const Search& search,
            const Found& rendering, const media::Reads& reads) override {
    texts[id.value() + " " + std::string(variant)] = rendering.text;
    made_from.assign(reads.keys().begin() + static_cast<std::ptrdiff_t>(search.read_before),
                     reads.keys().end());
  }
  bool up = true;
  std::map<std::string, std::string> texts;
  std::vector<std::string> made_from;  // dependencies of the last text that was kept
};

class SubjectsTest : public testing::Test {
 protected:
  SubjectsTest() {
    media::Media first = fakes::example_video();
    first.assets.resize(2);
    first.assets[0].type = media::AssetType::Hls;
    first.assets[1].type = media::AssetType::Mp4;
    first.assets[1].url = "/d/360p.mp4";
    catalog_.add(first);
    media::Media second = fakes::example_video("cinema2391");
    second.duration = 0.125;
    second.assets.resize(1);
    second.assets[0].url = "https://cdn.example/a.mp4";
    catalog_.add(second);
    catalog_.add(fakes::example_playlist({"l4unchf1lm", "cinema2391"}));
  }

  Subjects::Found find(media::Detail detail = media::Detail::Embed) {
    return find(MediaKind::Playlist, playlist_, detail);
  }
  Subjects::Found find(MediaKind kind, const media::HashedId& id, media::Detail detail) {
    reads_ = {};
    return fakes::now(subjects_.find(kind, id, detail, reads_));
  }

  const media::HashedId playlist_ = hashed_id("pl4yl1st01");
  fakes::MemoryCatalog catalog_;
  MemoryRenderings renderings_;
  Subjects subjects_{catalog_, &renderings_};
  media::Reads reads_;  // of the last find()
};

TEST_F(SubjectsTest, OembedC3ReadsThePlaylistsMediaOnlyOnce) {
  const auto made = find();
  ASSERT_TRUE(made.subject);
  EXPECT_FALSE(made.from_cache);
  catalog_.asked.clear();
  const auto kept = find(media::Detail::All);
  ASSERT_TRUE(kept.subject);
  EXPECT_TRUE(kept.from_cache);
  EXPECT_EQ(catalog_.asked, std::vector<std::string>{});
  const Embeddable& was = *made.subject;
  const Embeddable& is = *kept.subject;
  EXPECT_EQ(is.kind, MediaKind::Playlist);
  EXPECT_EQ(is.id, playlist_);
  EXPECT_EQ(is.first_video, hashed_id("l4unchf1lm"));
  EXPECT_EQ(is.title, "Launch week");
  EXPECT_EQ(is.native, was.native);
  ASSERT_TRUE(is.native);
  EXPECT_DOUBLE_EQ(is.duration.value(), 16.555);
  EXPECT_EQ(is.poster, "/deliveries/l4unchf1lm/poster.jpg");
  EXPECT_EQ(is.poster_size, was.poster_size);
  ASSERT_TRUE(is.poster_size);
  EXPECT_EQ(is.player_color, "54bbff");
  EXPECT_TRUE(is.has_manifest) << "though the first who asked did not need it";
  EXPECT_EQ(is.mp4, "/d/360p.mp4");
  EXPECT_EQ(is.sources, "https://cdn.example") << "of all videos, not only of the first";
}

TEST_F(SubjectsTest, OembedC3CachesUnknownFieldsAsUnknown) {
  media::Media bare = fakes::example_video();
  bare.native.reset();
  bare.duration.reset();
  bare.thumbnail.reset();
  bare.player_color.clear();
  catalog_.add(bare);
  catalog_.add(fakes::example_playlist({"l4unchf1lm"}));
  find();
  const auto kept = find();
  ASSERT_TRUE(kept.from_cache && kept.subject);
  EXPECT_FALSE(kept.subject->native);
  EXPECT_FALSE(kept.subject->duration);
  EXPECT_EQ(kept.subject->poster, "");
  EXPECT_EQ(kept.subject->player_color, "");
}

TEST_F(SubjectsTest, OembedC3RebuildsDamagedEntries) {
  find();
  const std::string right = renderings_.texts.begin()->second;
  for (const std::string& text : std::vector<std::string>{
           "", "{", "[]", "{}", right.substr(0, right.size() - 1), R"({"first_video":"*"})"}) {
    SCOPED_TRACE(text);
    renderings_.texts.begin()->second = text;
    const auto found = find();
    ASSERT_TRUE(found.subject);
    EXPECT_FALSE(found.from_cache);
    EXPECT_EQ(renderings_.texts.begin()->second, right);
  }
}

TEST_F(SubjectsTest, OembedC3AlsoCachesPlaylistsWithoutAVideo) {
  media::Media audio = fakes::example_video();
  audio.type = "Audio";
  catalog_.add(audio);
  catalog_.add(fakes::example_playlist({"l4unchf1lm"}));
  const auto made = find();
  ASSERT_FALSE(made.subject);
  EXPECT_FALSE(made.from_cache);
  catalog_.asked.clear();
  const auto cached = find(media::Detail::All);
  ASSERT_FALSE(cached.subject);
  EXPECT_EQ(cached.subject.error(), NotEmbeddable::NoEmbedCode);
  EXPECT_TRUE(cached.from_cache);
  EXPECT_EQ(catalog_.asked, std::vector<std::string>{});
}

TEST_F(SubjectsTest, OembedC3CachesOnlyExistingPlaylistsWhileTheCacheIsUsable) {
  EXPECT_TRUE(find(MediaKind::Media, hashed_id("cinema2391"), media::Detail::All).subject);
  EXPECT_FALSE(find(MediaKind::Playlist, hashed_id("none"), media::Detail::All).subject);
  renderings_.up = false;
  EXPECT_TRUE(find().subject);
  EXPECT_TRUE(renderings_.texts.empty());
}

TEST_F(SubjectsTest, OembedC3NotesTheDependenciesOfASubject) {
  const std::vector<std::string> records{"catalog:playlist:pl4yl1st01", "catalog:media:l4unchf1lm",
                                         "catalog:media:cinema2391"};
  ASSERT_TRUE(find().subject);
  EXPECT_EQ(reads_.keys(), records);
  EXPECT_EQ(renderings_.made_from, records);
  EXPECT_FALSE(find(MediaKind::Playlist, hashed_id("none"), media::Detail::All).subject);
  EXPECT_EQ(reads_.keys(), std::vector<std::string>{"catalog:playlist:none"})
      << "what is not there may appear";
}

}  // namespace
}  // namespace svc::embed
