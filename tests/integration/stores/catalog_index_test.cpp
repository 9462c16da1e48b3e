#include "stores/catalog/catalog_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "integration/committed.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "stores/catalog/commit.h"
#include "stores/catalog/index_build.h"
#include "stores/catalog/index_places.h"
#include "stores/catalog/unindexed.h"
#include "stores/keys.h"
#include "text/rfc3339.h"
#include "text/unicode.h"

namespace svc {
namespace {

constexpr media::AccountId kAccount{7};
constexpr std::int64_t kBegin = 1'780'000'000;

class CatalogIndex : public testing::Test {
 protected:
  static media::Media media(const std::string& id, std::int64_t created, std::int64_t updated,
                            const std::string& name, const std::string& project = "",
                            const std::string& type = "Video") {
    media::Media media;
    media.id = *media::HashedId::parse(id);
    media.account = kAccount;
    if (!project.empty()) media.project = media::ProjectId::parse(project);
    media.type = type;
    media.name = name;
    media.created = text::to_rfc3339(kBegin + created);
    media.updated = text::to_rfc3339(kBegin + updated);
    return media;
  }
  void write(const media::Media& media) { put(media.id.value(), to_record(media)); }
  void remove(const std::string& id) { put(id, ""); }
  void put(const std::string& id, const std::string& record) {
    EXPECT_TRUE(store_.run(
        integration::put_record(store_.redis(), kAccount, {stores::Indexed::Media, id}, record)));
  }
  std::size_t fold(std::size_t most) {
    return store_.run(stores::write_index(store_.redis(), kAccount, most));
  }
  std::int64_t notes() { return server_.command({"HLEN", "catalog:unindexed:{7}"}).integer(); }
  std::vector<std::string> ids(media::MediaQuery query = {}) {
    if (query.order.count == 0) query.order.count = 100;
    std::vector<std::string> found;
    for (const media::Media& media : store_.run(index_.medias(kAccount, query)))
      found.push_back(media.id.value());
    return found;
  }
  using Ids = std::vector<std::string>;
  using Model = std::map<std::string, media::Media>;
  static std::vector<media::Media> in_order(const Model& model, const media::ListOrder& order) {
    std::vector<media::Media> sorted;
    for (const auto& [id, one] : model) sorted.push_back(one);
    std::ranges::sort(sorted, [&](const media::Media& one, const media::Media& other) {
      const auto key = [&](const media::Media& of) {
        const std::string& by = order.by == media::SortBy::Created   ? of.created
                                : order.by == media::SortBy::Updated ? of.updated
                                                                     : of.name;
        return std::pair(by, of.id.value());
      };
      return order.ascending ? key(one) < key(other) : key(other) < key(one);
    });
    return sorted;
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::CatalogIndex index_{store_.redis()};
};

// Random changes against a plain list of records, by every filter and order, while none, some or
// all of them are in the blocks of the index.
TEST_F(CatalogIndex, ListsTheRecords) {
  std::mt19937 random(5);
  Model model;
  const std::array<std::string, 3> projects{"", "p1", "p1x"};
  const std::array<std::string, 4> names{"Film", "film", "Überblick", "Film 2"};
  constexpr std::array kStatuses{media::Status::Ready, media::Status::Failed,
                                 media::Status::Queued};
  for (int round = 0; round < 120; ++round) {
    // With few notes, many notes, and without notes.
    if (round % 3 != 0) fold(random() % 60);
    if (round % 30 == 0) fold(10'000);
    for (int i = 0; i < 20; ++i) {
      const std::string id = "m" + std::to_string(100 + random() % 300);
      if (random() % 4 == 0) {
        remove(id);
        model.erase(id);
        continue;
      }
      // A change of a record keeps its creation.
      const std::int64_t created = static_cast<std::int64_t>(std::hash<std::string>()(id) % 50);
      media::Media one =
          media(id, created, static_cast<std::int64_t>(random() % 1000),
                names.at(random() % names.size()), projects.at(random() % projects.size()),
                random() % 5 == 0 ? "Audio" : "Video");
      one.status = kStatuses.at(random() % kStatuses.size());
      write(one);
      model.insert_or_assign(id, one);
    }
    media::MediaQuery query;
    query.order.by =
        std::array{media::SortBy::Created, media::SortBy::Updated, media::SortBy::Name}.at(
            random() % 3);
    query.order.ascending = random() % 2 == 0;
    query.order.offset = random() % 2 == 0 ? random() % 200 : 0;
    query.order.count = 1 + random() % 100;
    if (random() % 3 == 0) query.project = media::ProjectId::parse(projects.at(1 + random() % 2));
    if (random() % 3 == 0) query.name = names.at(random() % names.size());
    if (random() % 3 == 0) query.type = random() % 2 == 0 ? "Audio" : "Video";
    if (random() % 4 == 0) {
      query.ids.emplace();
      for (const auto& [id, one] : model) {
        if (random() % 8 == 0) query.ids->push_back(one.id);
      }
    }
    std::vector<media::Media> expected;
    for (const media::Media& one : in_order(model, query.order)) {
      const bool fits = (!query.project || one.project == query.project) &&
                        (!query.name || one.name == *query.name) &&
                        (!query.type || one.type == *query.type) &&
                        (!query.ids || std::ranges::find(*query.ids, one.id) != query.ids->end());
      if (fits) expected.push_back(one);
    }
    Ids wanted;
    for (std::size_t i = query.order.offset;
         i < std::min(query.order.offset + query.order.count, expected.size()); ++i)
      wanted.push_back(expected[i].id.value());
    EXPECT_EQ(ids(query), wanted) << round;
    media::MediaSearch search{.order = query.order, .project = query.project};
    if (random() % 3 != 0) search.text = std::array{"FILM", "überBLICK", "2", "x"}.at(random() % 4);
    if (random() % 2 == 0) search.statuses = {media::Status::Failed, media::Status::Queued};
    const media::FoundMedias found = store_.run(index_.search(kAccount, search));
    std::vector<std::string> all;
    for (const media::Media& one : in_order(model, query.order)) {
      if ((!search.project || one.project == search.project) &&
          text::folded(one.name).find(text::folded(search.text)) != std::string::npos &&
          (search.statuses.empty() || one.status != media::Status::Ready))
        all.push_back(one.id.value());
    }
    EXPECT_EQ(found.all, static_cast<std::int64_t>(all.size()));
    Ids page;
    for (const media::Media& one : found.medias) page.push_back(one.id.value());
    const std::size_t first = std::min(query.order.offset, all.size());
    const std::size_t last = std::min(first + query.order.count, all.size());
    EXPECT_EQ(page, Ids(all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.begin() + static_cast<std::ptrdiff_t>(last)))
        << round;
    const auto of_project = std::ranges::count_if(
        model, [](const auto& each) { return each.second.project == media::ProjectId{"p1"}; });
    EXPECT_EQ(store_.run(index_.counts(kAccount, {})).medias,
              static_cast<std::int64_t>(model.size()));
    EXPECT_EQ(store_.run(index_.counts(kAccount, media::ProjectId{"p1"})).medias, of_project);
  }
}

// The count alone makes an account large.
TEST_F(CatalogIndex, ALargeAccountIsSearchedByName) {
  for (int i = 100; i < 130; ++i) {
    const std::string number = std::to_string(i);
    write(media("m" + number, i, i, (i % 2 == 0 ? "Even " : "Odd ") + number, i < 110 ? "p1" : ""));
  }
  store_.run(index_.counts(kAccount, {}));
  server_.command({"HINCRBY", "catalog:index:{7}", "medias", "100000"});
  for (const bool in_project : {false, true}) {
    for (const bool ascending : {true, false}) {
      media::MediaSearch search;
      search.order = {media::SortBy::Name, ascending, 0, 4};
      if (in_project) search.project = media::ProjectId{"p1"};
      search.text = "EVEN";
      Ids found;
      for (int pages = 0; pages < 10; ++pages) {
        const media::FoundMedias page = store_.run(index_.search(kAccount, search));
        EXPECT_EQ(page.all, std::nullopt);
        EXPECT_LE(page.medias.size(), 4u);
        for (const media::Media& one : page.medias) found.push_back(one.id.value());
        search.after = page.rest;
        if (page.rest.empty()) break;
      }
      EXPECT_EQ(found.size(), in_project ? 5u : 15u);
      EXPECT_EQ(found.front(), ascending ? "m100" : in_project ? "m108" : "m128");
      EXPECT_EQ(std::ranges::is_sorted(found), ascending);
    }
  }
}

TEST_F(CatalogIndex, FractionsOffsetsAndYearsOfATimeCount) {
  const std::vector<std::string> times{"0001-01-01T00:00:00Z",        "1969-12-31T23:59:59Z",
                                       "2026-03-01T10:00:00Z",        "2026-03-01T10:00:00.05Z",
                                       "2026-03-01T10:00:00.5+00:00", "2026-03-01T12:00:01+02:00",
                                       "9999-12-31T23:59:59Z"};
  for (std::size_t i = 1; i < times.size(); ++i)
    EXPECT_LT(stores::sortable_time(times[i - 1]), stores::sortable_time(times[i])) << times[i];
  EXPECT_EQ(stores::sortable_time("2026-03-01T10:00:00Z"),
            stores::sortable_time("2026-03-01T12:00:00.000+02:00"));
}

// N5: even if other media are added, renamed or deleted during the walk.
TEST_F(CatalogIndex, AWalkSeesEachMediaThatStaysOnce) {
  for (int i = 0; i < 600; ++i)
    write(media("stay" + std::to_string(1000 + i), i / 3, 0, "a", i % 2 == 0 ? "p1" : ""));
  for (const bool backwards : {false, true}) {
    std::map<std::string, int> seen;
    std::optional<std::string> from;
    int more = 0;
    while (true) {
      media::MediaQuery query{.order = {.count = 50}, .from = from, .backwards = backwards};
      // From the end, which is after every place.
      if (!from && backwards) query.from = index_.place_of(media("zzz", 1'000'000, 0, ""));
      const std::vector<media::Media> page = store_.run(index_.medias(kAccount, query));
      for (const media::Media& each : page) ++seen[each.id.value()];
      if (page.size() < 50) break;
      from = index_.place_of(backwards ? page.front() : page.back());
      // The one at the place is deleted, others appear, and those that stay are changed.
      const media::Media& at = backwards ? page.front() : page.back();
      if (at.id.value().starts_with("more")) remove(at.id.value());
      for (int i = 0; i < 30; ++i, ++more)
        write(media("more" + std::to_string(more), more % 200, 0, "b"));
      media::Media changed = page[10];
      changed.name = "renamed";
      changed.updated = text::to_rfc3339(kBegin + 5000);
      write(changed);
    }
    for (int i = 0; i < 600; ++i) EXPECT_EQ(seen["stay" + std::to_string(1000 + i)], 1) << i;
  }
}

TEST_F(CatalogIndex, OperationsD54AnEntryThatIsNotItsRecordsIsLeftOutAndNoReaderMendsIt) {
  for (const std::string id : {"a", "b", "c"}) write(media(id, 1, 1, id));
  EXPECT_EQ(ids(), (Ids{"a", "b", "c"}));
  server_.command({"DEL", "catalog:media:b"});
  server_.command({"SET", "catalog:media:c", to_record(media("c", 1, 1, "A"))});
  EXPECT_EQ(ids({.order = {.by = media::SortBy::Name}}), (Ids{"a"}));
  EXPECT_EQ(notes(), 3);
  fold(10);
  // An entry that no state explains.
  stores::IndexEdit edit(store_.redis(), kAccount);
  store_.run(edit.begin());
  store_.run(edit.load("mn", {std::string("B\0a", 3)}));
  edit.put("mn", std::string("B\0a", 3), "Video");
  EXPECT_TRUE(store_.run(edit.commit({})));
  EXPECT_EQ(store_.run(index_.disagreement(kAccount)), "the set mn");
  EXPECT_EQ(ids({.order = {.by = media::SortBy::Name}}), (Ids{"a"}));
}

TEST_F(CatalogIndex, AFullStoreListsWhatIsWritten) {
  write(media("a", 1, 1, "a"));
  fold(10);
  write(media("b", 1, 1, "b"));
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(ids(), (Ids{"a", "b"}));
  EXPECT_EQ(store_.run(index_.counts(kAccount, {})).medias, 2);
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
}

// A list merges up to kMostMerged notes; more of them are put into the index.
TEST_F(CatalogIndex, ManyNotesArePutIntoTheIndex) {
  constexpr int kFew = static_cast<int>(stores::Unindexed::kMostMerged);
  for (int i = 0; i < kFew; ++i) write(media("m" + std::to_string(1000 + i), i, i, "x"));
  EXPECT_EQ(ids({.order = {.count = 1000}}).size(), static_cast<std::size_t>(kFew));
  EXPECT_EQ(notes(), kFew);
  write(media("m9999", 0, 0, "x"));
  EXPECT_EQ(ids({.order = {.count = 1000}}).size(), static_cast<std::size_t>(kFew) + 1);
  EXPECT_LT(notes(), kFew);
  EXPECT_EQ(store_.run(index_.disagreement(kAccount)), "");
}

// Two writers put a record into the index at the same time, while it changes and is deleted: in
// the end, the entries of the slower writer are removed, too.
TEST_F(CatalogIndex, WhatIsPutIntoTheIndexInSeveralStepsLeavesNothing) {
  const stores::IndexedRecord record{stores::Indexed::Media, "a"};
  const std::string member = to_text(record);
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    // As a writer of the index leaves it that dies after its first steps.
    const media::Media now = media("a", 1, round, "name " + std::to_string(round));
    write(now);
    const stores::IndexedFields fields = stores::indexed_fields(now);
    if (random() % 2 == 0) {
      stores::IndexEdit intending(store_.redis(), kAccount);
      store_.run(intending.begin());
      EXPECT_TRUE(store_.run(intending.intend({{member, state_of(fields)}})));
      for (const stores::IndexPlace& place : sorted_places(record.kind, fields)) {
        if (random() % 2 == 0) continue;
        stores::IndexEdit edit(store_.redis(), kAccount);
        store_.run(edit.begin());
        store_.run(edit.load(place.set, {place.key}));
        edit.put(place.set, place.key, value_of(fields));
        EXPECT_TRUE(store_.run(edit.commit({})));
      }
    }
    if (random() % 4 == 0) remove("a");
    if (random() % 3 == 0) fold(10);
    EXPECT_EQ(store_.run(index_.disagreement(kAccount)), "") << round;
  }
  remove("a");
  for (int i = 0; i < 2; ++i) fold(10);  // the first leaves the intent of a dead writer
  EXPECT_EQ(notes(), 0);
  EXPECT_EQ(store_.run(index_.disagreement(kAccount)), "");
  EXPECT_TRUE(ids().empty());
}

TEST_F(CatalogIndex, ManyWrittenRecordsNeedNotBeReadAgain) {
  stores::IndexLoad load(store_.redis());
  for (int begin = 0; begin < 3000; begin += 100) {
    stores::Commit commit(kAccount);
    for (int i = begin; i < begin + 100; ++i) {
      const media::Media one = media("m" + std::to_string(10'000 + i), i, 0, "x", "p1");
      const stores::IndexedRecord record{stores::Indexed::Media, one.id.value()};
      commit.change(stores::keys::media(one.id), "", to_record(one));
      commit.note(record, std::nullopt, stores::indexed_fields(one));
      load.add(kAccount, record);
    }
    EXPECT_EQ(store_.run(commit.run(store_.redis())), stores::Commit::Outcome::Done);
  }
  remove("m10001");
  store_.run(load.flush(true));
  const redis::Reply left = server_.command({"HGETALL", "catalog:unindexed:{7}"});
  EXPECT_EQ(left.size(), 0u) << left.at(0).text().value_or("") << left.at(1).text().value_or("");
  EXPECT_EQ(store_.run(index_.counts(kAccount, {})).medias, 2999);
  EXPECT_EQ(store_.run(index_.disagreement(kAccount)), "");
  EXPECT_EQ(ids({.order = {.offset = 2998, .count = 5}}), Ids{"m12999"});
  EXPECT_EQ(ids({.order = {.ascending = false, .offset = 2998, .count = 5},
                 .project = media::ProjectId{"p1"}}),
            Ids{"m10000"});
}

// A writer that read before notes were removed is refused.
TEST_F(CatalogIndex, AWriterOfAnEarlierEpochIsRefused) {
  write(media("a", 1, 1, "a"));
  stores::IndexEdit late(store_.redis(), kAccount);
  store_.run(late.begin());
  store_.run(late.load("mn", {"key"}));
  late.put("mn", "key", "Video");
  fold(10);
  EXPECT_FALSE(store_.run(late.commit({})));
  EXPECT_FALSE(store_.run(late.intend({{"media a", "state"}})));
}

// A catalog of a version whose writers noted records in catalog:changed.
TEST_F(CatalogIndex, OperationsD56AnIndexOfAnEarlierVersionIsConverted) {
  for (const std::string id : {"a", "b", "c"}) write(media(id, 1, 1, id, "p1"));
  fold(10);
  server_.command({"HDEL", "catalog:index:{7}", "format"});
  server_.command({"HSET", "catalog:index:{7}", "medias", "9"});
  server_.command({"SET", "catalog:media:a", to_record(media("a", 1, 1, "renamed", "p2"))});
  server_.command({"DEL", "catalog:media:b"});
  server_.command({"SET", "catalog:media:d", to_record(media("d", 2, 2, "d"))});
  server_.command({"ZADD", "ingest:bytes:7", "500", "a", "70", "d"});
  for (const char* id : {"a", "b", "d"})
    server_.command({"ZADD", "catalog:changed:{7}", "-5", std::string("media ") + id});
  write(media("e", 3, 3, "e"));
  EXPECT_EQ(ids(), (Ids{"a", "c", "d", "e"}));
  EXPECT_EQ(ids({.name = "renamed"}), Ids{"a"});
  EXPECT_EQ(store_.run(index_.counts(kAccount, {})).medias, 4);
  EXPECT_EQ(store_.run(index_.counts(kAccount, media::ProjectId{"p1"})).medias, 1);
  EXPECT_EQ(server_.text({"HGET", "catalog:index:{7}", "bytes"}), "570");
  EXPECT_EQ(server_.command({"EXISTS", "catalog:changed:{7}"}).integer(), 0);
  EXPECT_EQ(store_.run(index_.disagreement(kAccount)), "");
}

TEST_F(CatalogIndex, HasProjectsToo) {
  for (const std::string id : {"p-1", "p_2"}) {
    const media::Project project{.id = *media::ProjectId::parse(id),
                                 .account = kAccount,
                                 .name = "Name of " + id,
                                 .description = "",
                                 .created = text::to_rfc3339(kBegin),
                                 .updated = text::to_rfc3339(kBegin)};
    stores::Commit commit(kAccount);
    commit.change(stores::keys::project(project.id), "", to_record(project));
    commit.note({stores::Indexed::Project, id}, std::nullopt, stores::indexed_fields(project));
    EXPECT_EQ(store_.run(commit.run(store_.redis())), stores::Commit::Outcome::Done);
  }
  const auto found = store_.run(index_.projects(
      kAccount, {.by = media::SortBy::Name, .ascending = false, .offset = 0, .count = 10}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].id.value(), "p_2");
  EXPECT_EQ(store_.run(index_.counts(kAccount, {})).projects, 2);
}

}  // namespace
}  // namespace svc
