#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "integration/ctl/import/write_fixture.h"

namespace svc::integration::import_write {
namespace {

TEST_F(ImportWrite, EveryReferenceExistsAtEveryMomentOfAnImport) {
  for (const Lines& lines : {large_catalog(), large_catalog_in_order()}) {
    SCOPED_TRACE(lines.front());
    server_.command({"FLUSHALL"});
    int looks = 0;
    ASSERT_TRUE(write(lines, [&](std::uint64_t, std::uint64_t) {
      ++looks;
      EXPECT_EQ(dangling(server_.dump()), Lines{}) << "look " << looks;
      return true;
    }));
    EXPECT_GE(looks, 8) << "or nothing was seen in between";
    EXPECT_EQ(server_.dump().size(), 7u * kOfEach);
  }
}

TEST_F(ImportWrite, WritesTheAccountsOfABatchBeforeTheirUsers) {
  server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  Lines writes;  // the log begins with the last
  const redis::Reply log = server_.command({"SLOWLOG", "GET", "-1"});
  for (std::size_t i = log.size(); i-- > 0;) {
    const std::string command(log.at(i).at(3).at(0).text().value_or(""));
    if (command == "MSET" || command == "EVAL") writes.push_back(command);
  }
  EXPECT_EQ(writes, (Lines{"MSET", "EVAL"}));
}

TEST_F(ImportWrite, IsCompletedByTheNextRunAfterAnInterruptAtAnyStep) {
  for (const Lines& lines : {large_catalog(), large_catalog_in_order()}) {
    SCOPED_TRACE(lines.front());
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write(lines));
    const std::string whole = server_.digest();
    for (int stop_at = 1;; ++stop_at) {
      SCOPED_TRACE(stop_at);
      server_.command({"FLUSHALL"});
      int calls = 0;
      const bool done =
          write(lines, [&](std::uint64_t, std::uint64_t) { return ++calls < stop_at; });
      EXPECT_EQ(dangling(server_.dump()), Lines{});
      if (done) break;
      ASSERT_LE(stop_at, 1000);
      EXPECT_EQ(calls, stop_at) << "it stops at once";
      ASSERT_TRUE(write(lines));
      EXPECT_EQ(server_.digest(), whole);
    }
  }
}

TEST_F(ImportWrite, IsCompletedByTheNextRunAfterTheStoreWasUnavailable) {
  const Lines lines = large_catalog();
  ASSERT_TRUE(write(lines));
  const std::string whole = server_.digest();
  const Lines renamed = large_catalog("Renamed");
  ASSERT_TRUE(write(renamed));
  const std::string whole_renamed = server_.digest();
  EXPECT_NE(whole, whole_renamed);
  server_.command({"FLUSHALL"});
  ASSERT_TRUE(write(lines));
  int calls = 0;
  EXPECT_THROW(write(renamed,
                     [&](std::uint64_t, std::uint64_t) {
                       if (++calls == 4) server_.command({"CLIENT", "KILL", "TYPE", "normal"});
                       return true;
                     }),
               base::Unavailable);
  EXPECT_EQ(dangling(server_.dump()), Lines{});
  wait_for_the_store();
  ASSERT_TRUE(write(renamed));
  EXPECT_EQ(server_.digest(), whole_renamed);
}

TEST_F(ImportWrite, CountsTheWrittenRecordsOfAFileThatChangedAfterTheCheck) {
  Lines lines;
  for (int i = 1; i <= 3 * kOfEach; ++i) lines.push_back(account_line(i));
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  lines.back() = account_line(1);
  directory_.write("catalog.jsonl", joined(lines));
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  EXPECT_THROW(write.run(check), std::runtime_error);
  EXPECT_GE(server_.dump().size(), std::size_t{kOfEach}) << "or there was nothing to count";
  EXPECT_EQ(write.written(ctl::Kind::Account).added, server_.dump().size());
}

TEST_F(ImportWrite, RefusesAFileThatChangedAfterTheCheck) {
  const base::UniqueFd content = file(joined({account_line(1), media_line("m", 1)}));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  directory_.write("catalog.jsonl", joined({account_line(1), media_line("m", 2)}));
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  try {
    write.run(check);
    ADD_FAILURE() << "was written";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "line 2 changed while the file was read");
  }
  EXPECT_EQ(dangling(server_.dump()), Lines{});
}

TEST_F(ImportWrite, IgnoresLinesAddedAfterTheCheck) {
  const base::UniqueFd content = file(joined({account_line(1)}));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  directory_.write("catalog.jsonl", joined({account_line(1), media_line("m", 2)}));
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  EXPECT_TRUE(write.run(check));
  EXPECT_EQ(server_.dump().size(), 1u);
}

class ImportWriteWithCache : public ImportWrite {
 protected:
  // Renderings of the first `medias` media of the large catalog, as workers store them.
  void keep_renderings(int medias) {
    for (int i = 0; i < medias; ++i) {
      const std::string key = "embed:rendering:m" + std::to_string(i);
      cache_.send_and_forget(
          {"HSET", key, "configuration json", "1 0 {}", "configuration xml", "1 0 <a/>"});
    }
    const ctl::Store cache{store_.loop, cache_};
    cache.run(cache_.read({"PING"}));  // they are written
  }
  bool is_kept(const std::string& id) {
    return cache_server_.command({"EXISTS", "embed:rendering:" + id}).integer() == 1;
  }
  bool write_with_cache(const Lines& lines, ctl::ImportCheck::Progress progress = go_on) {
    const base::UniqueFd content = file(joined(lines));
    ctl::ImportCheck check(content.get(), store_, true, go_on);
    EXPECT_TRUE(check.run());
    ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, std::move(progress), &cache_);
    return write.run(check);
  }

  integration::RedisServer cache_server_;
  redis::Store cache_{cache_server_.settings(), store_.loop};
};

TEST_F(ImportWriteWithCache, OembedC1DeletesTheRenderingsOfChangedMediaOnly) {
  ASSERT_TRUE(write(
      {account_line(1), media_line("m0", 1), media_line("m1", 1), playlist_line("m2", 1, {"m1"})}));
  keep_renderings(4);
  ASSERT_TRUE(write_with_cache({media_line("m0", 1), media_line("m1", 1, "", "Renamed"),
                                playlist_line("m2", 1, {"m1", "m0"}), media_line("new", 1)}));
  EXPECT_TRUE(is_kept("m0")) << "unchanged";
  EXPECT_FALSE(is_kept("m1"));
  EXPECT_TRUE(is_kept("m2")) << "that of a media which has a playlist's id";
  EXPECT_TRUE(is_kept("m3")) << "not in the file";
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:new"}).integer(), 1);
}

TEST_F(ImportWriteWithCache, OembedC1DeletesRenderingsInEveryBatch) {
  ASSERT_TRUE(write(large_catalog()));
  keep_renderings(kFilms);
  ASSERT_TRUE(write_with_cache(large_catalog("Renamed")));
  EXPECT_EQ(cache_server_.command({"DBSIZE"}).integer(), 0);
}

TEST_F(ImportWriteWithCache, OembedC1AnInterruptedImportKeepsRenderingsOfUnchangedMediaOnly) {
  const Lines old = large_catalog();
  const Lines changed = large_catalog("Renamed");
  ASSERT_TRUE(write(old));
  std::size_t left = kFilms;
  for (int stop = 1; left > 0; stop += 3) {
    SCOPED_TRACE(stop);
    ASSERT_TRUE(write(old));
    keep_renderings(kFilms);
    int calls = 0;
    const bool whole =
        write_with_cache(changed, [&](std::uint64_t, std::uint64_t) { return ++calls < stop; });
    left = 0;
    for (int i = 0; i < kFilms; ++i) {
      const std::string id = "m" + std::to_string(i);
      const bool renamed =
          server_.text({"GET", "catalog:media:" + id}).find("Renamed") != std::string::npos;
      EXPECT_EQ(is_kept(id), !renamed) << id;
      left += renamed ? 0 : 1;
    }
    EXPECT_TRUE(!whole || left == 0);
  }
}

TEST_F(ImportWriteWithCache, OperationsD3WritesIfTheCacheIsUnavailable) {
  ASSERT_TRUE(write({account_line(1), media_line("m0", 1)}));
  cache_server_.stop();
  ASSERT_TRUE(write_with_cache({media_line("m0", 1, "", "Renamed")}));
  EXPECT_NE(server_.text({"GET", "catalog:media:m0"}).find("Renamed"), std::string::npos);
}

}  // namespace
}  // namespace svc::integration::import_write
