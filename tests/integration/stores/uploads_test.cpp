#include "stores/catalog/uploads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/ingest_queue.h"
#include "text/rfc3339.h"

namespace svc {
namespace {

class Uploads : public testing::Test {
 protected:
  static media::HashedId id(int number) {
    return *media::HashedId::parse("media" + std::to_string(1000 + number));
  }
  // Created `number` seconds after 1 780 000 000.
  static media::Media media_of(int number, std::int64_t account = 1001) {
    media::Media media;
    media.id = id(number);
    media.account = {account};
    media.type = "Video";
    media.name = "Film";
    media.created = media.updated = text::to_rfc3339(1'780'000'000 + number);
    return media;
  }
  void add(int number, std::int64_t account = 1001) {
    store_.run(uploads_.add(media_of(number, account), {"film.mp4", 0, 1}, {}));
  }
  std::int64_t count() { return server_.command({"ZCARD", "ingest:uploads:1001"}).integer(); }
  std::vector<std::string> recent(std::int64_t account = 1001) {
    std::vector<std::string> ids;
    for (const media::HashedId& each : store_.run(uploads_.recent({account})))
      ids.push_back(each.value());
    return ids;
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::Uploads uploads_{store_.redis()};
  stores::IngestQueue queue_{store_.redis(), "host-1"};
};

// Record, job and lists are one commit, which may be sent twice.
TEST_F(Uploads, OperationsD54ARepetitionAddsNothing) {
  add(1);
  add(1);
  EXPECT_EQ(server_.command({"LLEN", "ingest:incoming"}).integer(), 1);
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(server_.text({"HGET", "catalog:index:{1001}", "medias"}), "1");
  media::Media media = media_of(2);
  media.project = media::ProjectId{"none"};
  EXPECT_TRUE(store_.run(uploads_.add(media, {"film.mp4", 0, 1}, {})));
  EXPECT_EQ(server_.command({"LLEN", "ingest:incoming"}).integer(), 1);
  EXPECT_EQ(count(), 1);
}

TEST_F(Uploads, TwoConsumersTakeEachJobOnce) {
  for (int i = 0; i < 5; ++i) add(i);
  stores::IngestQueue other(store_.redis(), "host-1.short");
  store_.run(queue_.open());
  // The commands of both consumers alternate.
  const auto [one, two] = store_.run(loop::all(queue_.next(), other.next()));
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->media.value(), two->media.value());
  EXPECT_EQ(store_.run(queue_.waiting()).size(), 5U);
}

TEST_F(Uploads, OperationsU37ADeletedMediaLeavesNoJob) {
  for (int i = 0; i < 3; ++i) add(i);
  store_.run(queue_.open());
  stores::IngestJob failed = *store_.run(queue_.next());
  ASSERT_EQ(failed.media, id(0));
  failed.reason = "damaged";
  store_.run(queue_.bury(failed));
  store_.run(queue_.end_jobs_of({id(0).value(), id(1).value()}));
  EXPECT_TRUE(store_.run(queue_.dead()).empty());
  const auto waiting = store_.run(queue_.waiting());
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting.front().media, id(2));
  EXPECT_EQ(recent(), std::vector{id(2).value()});
}

TEST_F(Uploads, OperationsU37FailedUploadsAreListedAndDoNotCount) {
  for (int i = 0; i < 4; ++i) add(i);
  media::Media failed;
  failed.id = id(2);
  failed.account = {1001};
  failed.created = text::to_rfc3339(1'780'000'002);
  store_.run(queue_.list_failed(failed));
  store_.run(queue_.list_failed(failed));
  EXPECT_EQ(count(), 3);
  EXPECT_EQ(recent(), (std::vector{id(3).value(), id(2).value(), id(1).value(), id(0).value()}));
  store_.run(queue_.list_again(failed));
  EXPECT_EQ(count(), 4);
  store_.run(queue_.list_failed(failed));
  store_.run(uploads_.remove(id(2), media::AccountId{1001}));
  EXPECT_EQ(recent(), (std::vector{id(3).value(), id(1).value(), id(0).value()}));
}

TEST_F(Uploads, OperationsU37LargeRecordsCountByTheirBytes) {
  add(1);
  EXPECT_EQ(store_.run(uploads_.large({1001})), 0) << "a usual record";
  media::Media media;
  media.id = id(2);
  media.account = {1001};
  media.type = "Video";
  media.name = "Film";
  media.description = std::string(5000, 'a');
  media.created = media.updated = text::to_rfc3339(1'780'000'000);
  store_.run(uploads_.add(media, {"film.mp4", 0, 1}, {}));
  const auto bytes = static_cast<std::int64_t>(to_record(media).size());
  EXPECT_EQ(store_.run(uploads_.large({1001})), bytes);
  media.description += "b";
  store_.run(queue_.weigh(media));
  EXPECT_EQ(store_.run(uploads_.large({1001})), bytes + 1);
  media.description.clear();
  store_.run(queue_.weigh(media));
  EXPECT_EQ(store_.run(uploads_.large({1001})), 0);
}

// Deletions make room in a store that is full, so they must be possible there.
TEST_F(Uploads, AMediaIsRemovedFromAFullStore) {
  add(1);
  server_.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW(add(2), base::Unavailable);
  store_.run(uploads_.remove(id(1), media::AccountId{1001}));
  EXPECT_EQ(count(), 0);
  const auto deletions = store_.run(queue_.files_jobs(10));
  ASSERT_EQ(deletions.size(), 1u);
  EXPECT_EQ(deletions.front().media->value(), id(1).value());
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:" + id(1).value()}).integer(), 0);
}

TEST_F(Uploads, OperationsD58ASwapInAFullStoreChangesNothing) {
  add(1);
  add(2);
  const auto both = [this] {
    return server_.text({"GET", "catalog:media:" + id(1).value()}) +
           server_.text({"GET", "catalog:media:" + id(2).value()});
  };
  const std::string before = both();
  media::SwapChange rename = [](media::Media& media, const media::Media*) {
    media.name = "Swapped";
    return true;
  };
  server_.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW(store_.run(uploads_.swap({id(1), id(2)}, rename)), base::Unavailable);
  EXPECT_EQ(both(), before);
  EXPECT_TRUE(store_.run(queue_.files_jobs(10)).empty());
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(store_.run(uploads_.swap({id(1), id(2)}, rename))->name, "Swapped");
  EXPECT_EQ(store_.run(queue_.files_jobs(10)).size(), 1U);
  EXPECT_EQ(server_.text({"HGET", "catalog:index:{1001}", "medias"}), "1");
}

TEST_F(Uploads, ASwapTakesNoMediaOfAnotherAccount) {
  add(1);
  add(2, 1002);
  media::SwapChange see = [](media::Media&, const media::Media* other) { return other != nullptr; };
  EXPECT_TRUE(store_.run(uploads_.swap({id(1), id(2)}, see)));
  EXPECT_TRUE(store_.run(uploads_.swap({id(1), id(3)}, see))) << "there is no other";
  EXPECT_FALSE(store_.run(uploads_.swap({id(3), id(2)}, see)));
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:" + id(2).value()}).integer(), 1);
  EXPECT_TRUE(store_.run(queue_.files_jobs(10)).empty());
}

TEST_F(Uploads, WhatBelongsToAMediaEndsWithItWhoeverEndsIt) {
  stores::CatalogRegistry registry(store_.redis());
  const std::string name = id(1).value();
  const std::string subject = "media:" + name;
  for (const std::string by : {"a client", "svc-ingest", "a swap"}) {
    SCOPED_TRACE(by);
    add(1);
    for (const std::string kind : {"pieces", "rows", "openings"})
      server_.command({"HSET", "stats:" + kind + ":{" + subject + "}", "field", "1"});
    server_.command({"HSET", "catalog:captions:" + name, "en", "text"});
    for (const std::string list : {"ingest:failed:1001", "ingest:large:1001", "ingest:bytes:1001",
                                   "catalog:captioned:1001", "stats:plays:1001"})
      server_.command({"ZADD", list, "1", name});
    server_.command({"ZADD", "stats:kept", "1", subject});
    if (by == "svc-ingest") {
      EXPECT_TRUE(
          store_.run(registry.remove_media(id(1), [](const media::Media&) { return true; })));
    } else if (by == "a swap") {
      add(2);
      media::SwapChange take = [](media::Media&, const media::Media*) { return true; };
      EXPECT_TRUE(store_.run(uploads_.swap({id(2), id(1)}, take)));
      server_.command({"DEL", "catalog:files:" + name});  // its folder is the other's
    } else {
      store_.run(uploads_.remove(id(1), media::AccountId{1001}));
    }
    const auto keys = server_.command({"KEYS", "*"});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string key(keys.at(i).text().value_or(""));
      EXPECT_EQ(key.find(name), std::string::npos) << key;
      if (server_.text({"TYPE", key}) != "zset" || key.starts_with("catalog:unindexed")) continue;
      for (const std::string& member : {name, subject})
        EXPECT_FALSE(server_.command({"ZSCORE", key, member}).text()) << key;
    }
  }
}

TEST_F(Uploads, AccountsTakeTurns) {
  store_.run(queue_.open());
  for (int i = 0; i < 3; ++i) add(i, 1001);
  for (int i = 3; i < 5; ++i) add(i, 1002);
  std::vector<std::int64_t> accounts;
  std::vector<std::string> medias;
  while (const auto job = store_.run(queue_.next())) {
    EXPECT_EQ(job->deliveries, 1);
    accounts.push_back(job->account.value());
    medias.push_back(job->media.value());
    store_.run(queue_.finish(*job));
  }
  EXPECT_EQ(accounts, (std::vector<std::int64_t>{1001, 1002, 1001, 1002, 1001}));
  EXPECT_EQ(medias.at(2), id(1).value()) << "the oldest of the account first";
}

TEST_F(Uploads, OperationsU12TurnsAreWeighedByTheTimeThatJobsTook) {
  using namespace std::chrono_literals;
  store_.run(queue_.open());
  for (int i = 0; i < 3; ++i) add(i, 1001);
  for (int i = 3; i < 6; ++i) add(i, 1002);
  std::vector<std::int64_t> accounts;
  while (const auto job = store_.run(queue_.next())) {
    accounts.push_back(job->account.value());
    queue_.count(*job, job->account.value() == 1001 ? 150s : 60s);
    store_.run(queue_.finish(*job));
  }
  EXPECT_EQ(accounts, (std::vector<std::int64_t>{1001, 1002, 1002, 1002, 1001, 1001}));
}

TEST_F(Uploads, OperationsU12OldTurnsAreForgotten) {
  using namespace std::chrono_literals;
  store_.run(queue_.open());
  for (int i = 0; i < 2; ++i) add(i, 1001 + i);
  const auto job = store_.run(queue_.next());
  ASSERT_TRUE(job);
  ASSERT_EQ(job->account.value(), 1001);
  queue_.count(*job, 10min);
  store_.run(queue_.finish(*job));
  const auto other = store_.run(queue_.next());
  ASSERT_TRUE(other);
  for (int i = 0; i < 20; ++i) queue_.count(*other, 3h);
  store_.run(queue_.finish(*other));
  add(2, 1002);
  add(3, 1001);
  EXPECT_EQ(store_.run(queue_.next())->account.value(), 1001);
}

TEST_F(Uploads, AnAccountWhoseJobIsBeingDoneElsewhereWaits) {
  stores::IngestQueue other(store_.redis(), "host-2");
  store_.run(queue_.open());
  for (int i = 0; i < 2; ++i) add(i, 1001);
  add(2, 1002);
  EXPECT_EQ(store_.run(queue_.next())->media.value(), id(0).value());
  EXPECT_EQ(store_.run(other.next())->media.value(), id(2).value());
}

TEST_F(Uploads, AJobBelongsToOneConsumerAtATime) {
  stores::IngestQueue other(store_.redis(), "host-2");
  store_.run(queue_.open());
  add(1);
  const auto first = store_.run(queue_.next());
  ASSERT_TRUE(first);
  EXPECT_EQ(store_.run(other.next()), std::nullopt);
  const auto again = store_.run(queue_.next());
  ASSERT_TRUE(again) << "a consumer that starts again continues its own job";
  EXPECT_EQ(again->deliveries, 2);
  // Not renewed for longer than a claim lasts.
  const std::string idle = std::to_string(stores::IngestQueue::kClaim.count());
  server_.command(
      {"XCLAIM", "ingest:jobs", "ingest", "host-1", "0", first->id, "IDLE", idle, "JUSTID"});
  const auto taken = store_.run(other.next());
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->deliveries, 3);
  EXPECT_EQ(store_.run(queue_.next()), std::nullopt);
  store_.run(other.finish(*taken));
  EXPECT_EQ(server_.command({"XLEN", "ingest:jobs"}).integer(), 0);
}

// svc-ingest, or that of two machines, ended between the two steps.
TEST_F(Uploads, AJobIsMovedToTheStreamAtLeastOnce) {
  store_.run(queue_.open());
  add(1);
  EXPECT_EQ(store_.run(queue_.waiting()).size(), 1u) << "before svc-ingest runs";
  const std::string job = server_.text({"LINDEX", "ingest:incoming", "0"});
  EXPECT_EQ(store_.run(queue_.next())->file.name, "film.mp4");
  server_.command({"RPUSH", "ingest:incoming", job});
  EXPECT_EQ(store_.run(queue_.waiting()).size(), 1u) << "it is in both";
  EXPECT_TRUE(store_.run(queue_.next()));
  EXPECT_EQ(server_.command({"XLEN", "ingest:jobs"}).integer(), 2);
  EXPECT_EQ(server_.command({"LLEN", "ingest:incoming"}).integer(), 0);
}

TEST_F(Uploads, DropsAnInvalidEntry) {
  store_.run(queue_.open());
  server_.command({"XADD", "ingest:jobs", "*", "media", "no id!"});
  server_.command({"RPUSH", "ingest:incoming", "media no id!\n"});
  server_.command({"XADD", "ingest:deletions", "*", "media", "no id!"});
  add(1);
  EXPECT_EQ(store_.run(queue_.next())->media.value(), id(1).value());
  EXPECT_EQ(server_.command({"XLEN", "ingest:jobs"}).integer(), 1);
  EXPECT_EQ(server_.command({"LLEN", "ingest:incoming"}).integer(), 0);
  // Listed by svcctl too, which drops nothing.
  const auto deletions = store_.run(queue_.files_jobs(10));
  ASSERT_EQ(deletions.size(), 1u);
  EXPECT_EQ(deletions.front().media, std::nullopt);
  EXPECT_EQ(server_.command({"XLEN", "ingest:deletions"}).integer(), 1);
}

}  // namespace
}  // namespace svc
