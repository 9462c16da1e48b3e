#include "stores/catalog/caption_texts.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"
#include "stores/catalog/caption_texts.lua.h"
#include "text/json.h"

namespace svc {
namespace {

class CaptionTexts : public testing::Test {
 protected:
  using Edited = media::CaptionTexts::Edited;

  CaptionTexts() : store_(server_.settings()) { put(id_); }

  static media::HashedId id_of(const std::string& id) { return *media::HashedId::parse(id); }
  static std::string record_of(const media::HashedId& id, const std::string& name) {
    media::Media media;
    media.id = id;
    media.account = kAccount;
    media.type = "Video";
    media.name = name;
    media.created = media.updated = "2026-01-01T00:00:00Z";
    return to_record(media);
  }
  void put(const media::HashedId& id) {
    server_.command({"SET", "catalog:media:" + id.value(), record_of(id, "film")});
  }
  // A version of a text of that many bytes.
  static std::string version(int number, std::size_t bytes) {
    char text[33];
    std::snprintf(text, sizeof text, "%024x%08x", static_cast<unsigned>(number),
                  static_cast<unsigned>(bytes));
    return text;
  }
  // Each has a label of its own.
  loop::Task<Edited> add(media::HashedId id, std::string version, std::string webvtt,
                         std::int64_t most = 1 << 30) {
    std::vector<media::CaptionTexts::Text> texts{{version, std::move(webvtt)}};
    std::function<bool(media::Media&)> name = [version](media::Media& media) {
      media.captions.push_back({url_of_captions(media.id, "de", version), "de", version});
      return true;
    };
    Edited edited = co_await texts_.edit(id, std::move(texts), std::move(name), most);
    co_return edited;
  }
  Edited remove(const std::string& version) {
    return store_.run(texts_.edit(
        id_, {},
        [&](media::Media& media) {
          return std::erase_if(media.captions, [&](const media::Captions& captions) {
                   return captions.version() == version;
                 }) > 0;
        },
        1 << 30));
  }
  // What a writer leaves that dies before its commit.
  std::int64_t stage(const std::string& version) {
    const auto record = server_.command({"GET", "catalog:media:abc"});
    stores::functions::StageCaptions run{.media = "catalog:media:abc",
                                         .captions = "catalog:captions:abc",
                                         .record = *record.text(),
                                         .version = version,
                                         .text = "0WEBVTT",
                                         .names = {}};
    run.names.insert(run.names.end(), named_.begin(), named_.end());
    auto call = store_.redis().call(std::move(run));
    return store_.run(integer_of(call));
  }
  template <class Call>
  static loop::Task<std::int64_t> integer_of(Call& call) {
    const redis::Reply reply = co_await call;
    co_return reply.integer();
  }
  std::optional<std::string> find(const std::string& version) {
    media::Reads reads;
    return store_.run(texts_.find(id_, version, reads));
  }
  std::int64_t stored(const std::string& version) {
    return server_.command({"HSTRLEN", "catalog:captions:abc", version}).integer();
  }
  std::set<std::string> versions() {
    std::set<std::string> found;
    const auto reply = server_.command({"HKEYS", "catalog:captions:abc"});
    for (std::size_t i = 0; i < reply.size(); ++i) found.emplace(*reply.at(i).text());
    return found;
  }
  std::set<std::string> named() {
    text::json::Document document;
    const auto record = server_.command({"GET", "catalog:media:abc"});
    const auto media = media_from_stored(document, *record.text(), media::Detail::All);
    const std::vector<std::string> all = media::CaptionTexts::versions_of(*media);
    return {all.begin(), all.end()};
  }

  static constexpr media::AccountId kAccount{41};
  integration::RedisServer server_;
  integration::Store store_;
  const media::HashedId id_ = id_of("abc");
  std::vector<std::string> named_;  // by the record
  stores::CaptionTexts texts_{store_.redis()};
};

TEST_F(CaptionTexts, AreCompressedIfThatMakesThemShorter) {
  const std::string large(1 << 20, 'a');
  store_.run(add(id_, "v1", large));
  store_.run(add(id_, "v2", "WEBVTT"));
  store_.run(add(id_, "v3", ""));
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

TEST_F(CaptionTexts, OperationsD57AWriterThatDiesLeavesATextUntilTheNextOne) {
  store_.run(add(id_, "v1", "a"));
  named_ = {"v1"};
  EXPECT_EQ(stage("dead"), 1);
  EXPECT_EQ(versions(), (std::set<std::string>{"dead", "v1"}));
  store_.run(add(id_, "v2", "b"));
  EXPECT_EQ(versions(), (std::set<std::string>{"v1", "v2"}));
  named_ = {"v1", "v2"};
  EXPECT_EQ(stage("dead"), 1);
  remove("v2");
  EXPECT_EQ(versions(), std::set<std::string>{"v1"});
}

TEST_F(CaptionTexts, OperationsD57DeadWritersLeaveFewTexts) {
  store_.run(add(id_, "v1", "a"));
  named_ = {"v1"};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stage(version(i, 1)), 1);
  EXPECT_LE(versions().size(), 17u);
  EXPECT_EQ(find("v1"), "a");
  EXPECT_EQ(find(version(99, 1)), "WEBVTT");
}

TEST_F(CaptionTexts, OperationsD57AWriterThatWasOvertakenBeginsAgain) {
  int calls = 0;
  const std::string mine = version(1, 6);
  const Edited edited = store_.run(texts_.edit(
      id_, {{mine, "WEBVTT"}},
      [&](media::Media& media) {
        if (++calls <= 3)
          server_.command({"SET", "catalog:media:abc", record_of(id_, std::to_string(calls))});
        media.captions.push_back({url_of_captions(media.id, "de", mine), "de", mine});
        return true;
      },
      1 << 30));
  EXPECT_EQ(calls, 4);
  ASSERT_TRUE(edited.media);
  EXPECT_EQ(edited.media->name, "3");
  EXPECT_EQ(versions(), std::set<std::string>{mine});
  EXPECT_EQ(named(), std::set<std::string>{mine});
}

TEST_F(CaptionTexts, OperationsD57OfSimultaneousWritersOfAMediaAllSucceed) {
  std::vector<loop::Task<Edited>> tasks;
  for (int i = 0; i < 64; ++i) tasks.push_back(add(id_, version(i, 6), "WEBVTT"));
  for (const Edited& edited : store_.run(loop::all(std::move(tasks))))
    EXPECT_TRUE(edited.media && !edited.is_full);
  EXPECT_EQ(versions().size(), 64u);
  EXPECT_EQ(versions(), named());
  EXPECT_EQ(store_.run(texts_.bytes(kAccount)), 64 * 6);
}

TEST_F(CaptionTexts, OperationsD57ALimitIsExactForSimultaneousWriters) {
  constexpr std::int64_t kBytes = 100;
  std::vector<loop::Task<Edited>> tasks;
  for (int i = 0; i < 64; ++i) {
    const media::HashedId id = id_of("film" + std::to_string(i));
    put(id);
    tasks.push_back(add(id, version(i, kBytes), std::string(kBytes, 'a'), 10 * kBytes));
  }
  int stored = 0;
  for (const Edited& edited : store_.run(loop::all(std::move(tasks)))) stored += !edited.is_full;
  EXPECT_EQ(stored, 10);
  EXPECT_EQ(store_.run(texts_.bytes(kAccount)), 10 * kBytes);
  EXPECT_EQ(server_.command({"KEYS", "catalog:captions:*"}).size(), 10u) << "a refused text";
  EXPECT_EQ(server_.command({"ZCARD", "catalog:captioned:41"}).integer(), 10);
}

TEST_F(CaptionTexts, OperationsD57AForeignValueLeavesTheRecordAsItWas) {
  store_.run(add(id_, "v1", "a"));
  server_.command({"SET", "catalog:captions:abc", "x"});
  EXPECT_THROW(remove("v1"), base::Unavailable);
  EXPECT_EQ(named(), std::set<std::string>{"v1"});
  EXPECT_EQ(server_.text({"GET", "catalog:captions:abc"}), "x");
}

TEST_F(CaptionTexts, OperationsD57AreDeletedWhileTheStoreIsFull) {
  const std::string text(1 << 16, 'a');
  const std::string one = version(1, text.size());
  store_.run(add(id_, one, text));
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW(store_.run(add(id_, version(2, 1), "a")), base::Unavailable);
  EXPECT_TRUE(remove(one).media);
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(versions(), std::set<std::string>());
  EXPECT_EQ(store_.run(texts_.bytes(kAccount)), 0);
}

}  // namespace
}  // namespace svc
