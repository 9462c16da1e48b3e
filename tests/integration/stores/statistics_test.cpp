#include "stores/catalog/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

using Days = std::chrono::days;
using viewing::Counts;
using viewing::Subject;

class Statistics : public testing::Test {
 protected:
  // A day of a film: the last parts are seen by fewer, some parts twice.
  static Counts day_of(std::uint32_t plays) {
    Counts counts{.loads = plays * 3ULL, .plays = plays, .watched = plays * 400'000ULL};
    for (std::size_t i = 0; i < viewing::kParts; ++i) {
      const double left =
          std::exp(-static_cast<double>(i) / 60) + 0.02 * static_cast<double>(i % 7);
      counts.seen.at(i) = static_cast<std::uint32_t>(plays * std::min(1.0, left));
      if (i % 9 == 0) counts.again.at(i) = plays / 20;
    }
    return counts;
  }
  void write(const Subject& subject, int ago, const std::string& table, const Counts& counts,
             std::vector<std::string> visitors = {}) {
    std::vector<stores::Statistics::Piece> pieces{
        {subject, kToday - Days(ago), table, viewing::to_bytes(counts), std::move(visitors)}};
    EXPECT_NE(store_.run(statistics_.write(std::move(pieces))).front(),
              stores::Statistics::Stored::Unknown);
  }
  void clean_up(int days_kept = 730) {
    while (store_.run(statistics_.clean_up(kToday, kToday - Days(days_kept)))) {
    }
  }
  void add_media(const std::string& id) { command({"SET", "catalog:media:" + id, "{}"}); }
  redis::Reply command(std::vector<std::string_view> words) {
    redis::Store::Call call = store_.redis().command(words);
    const auto run = [&]() -> loop::Task<redis::Reply> { co_return co_await call; };
    return store_.run(run());
  }
  std::int64_t bytes(const std::string& key) {
    return command({"MEMORY", "USAGE", key, "SAMPLES", "0"}).integer();
  }

  static constexpr std::chrono::sys_days kToday{Days(20'600)};
  static inline const Subject kFilm{*media::HashedId::parse("abc")};
  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::Statistics statistics_{store_.redis()};
};

TEST_F(Statistics, APieceThatIsWrittenAgainCountsOnce) {
  write(kFilm, 0, "one", day_of(10));
  write(kFilm, 0, "one", day_of(12));
  write(kFilm, 0, "two", day_of(5), {"visitor1"});
  write(kFilm, 0, "two", day_of(5), {"visitor1"});
  const Counts total = store_.run(statistics_.total(kFilm));
  EXPECT_EQ(total.plays, 17U);
  EXPECT_EQ(total.visitors, 1U);
}

TEST_F(Statistics, CountsOpeningsOfLinksThatAreKept) {
  const auto film = *media::HashedId::parse("abc");
  const auto openings = [&] { return store_.run(statistics_.openings(film)); };
  for (const std::int64_t link : {7, 7, 9}) statistics_.count_opening("abc", link);
  EXPECT_EQ(openings(), (viewing::Openings{{7, 2}, {9, 1}}));
  EXPECT_GT(command({"TTL", "stats:openings:{media:abc}"}).integer(), 366 * 86'400);
  store_.run(statistics_.keep_openings(film, {9}));
  EXPECT_EQ(openings(), (viewing::Openings{{9, 1}}));
  store_.run(statistics_.keep_openings(film, {}));
  EXPECT_EQ(openings(), viewing::Openings());
}

TEST_F(Statistics, CleaningUpChangesNoSum) {
  add_media("abc");
  for (const int ago : {0, 1, 2, 3}) {
    write(kFilm, ago, "one", day_of(100), {"visitor1", "visitor2"});
    write(kFilm, ago, "two", day_of(7), {"visitor2", "visitor3"});
  }
  const auto read = [&] { return store_.run(statistics_.days(kFilm, kToday - Days(4), kToday)); };
  const Counts total = store_.run(statistics_.total(kFilm));
  const auto before = read();
  clean_up();
  EXPECT_EQ(command({"EXISTS", "stats:visitors:{media:abc}:20260524"}).integer(), 0);
  EXPECT_EQ(store_.run(statistics_.total(kFilm)), total);
  const auto after = read();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].counts, before[i].counts) << i;
  // A table that could not write for days comes late.
  write(kFilm, 3, "late", day_of(1));
  clean_up();
  EXPECT_EQ(store_.run(statistics_.total(kFilm)).plays, total.plays + 1);
  EXPECT_EQ(read()[1].counts.plays, before[1].counts.plays + 1);
}

TEST_F(Statistics, APieceThatCannotBeReadDelaysNoOther) {
  add_media("abc");
  add_media("def");
  write(Subject(*media::HashedId::parse("def")), 5, "one", day_of(3));
  command({"HSET", "stats:pieces:{media:def}", "20260522 one", "of another version"});
  write(kFilm, 3, "one", day_of(3));
  clean_up();
  EXPECT_EQ(command({"EXISTS", "stats:pieces:{media:abc}"}).integer(), 0);
  EXPECT_EQ(command({"EXISTS", "stats:pieces:{media:def}"}).integer(), 1);
  // It stays due.
  EXPECT_EQ(command({"ZCARD", "stats:open"}).integer(), 1);
}

TEST_F(Statistics, ADayOfAMediaTakesAtMost700Bytes) {
  add_media("abc");
  constexpr int kDays = 60;
  for (int ago = 2; ago < 2 + kDays; ++ago)
    write(kFilm, ago, "one", day_of(static_cast<std::uint32_t>(3000 + 37 * ago)));
  clean_up();
  EXPECT_LE(bytes("stats:rows:{media:abc}"), 700 * kDays);
  EXPECT_EQ(command({"EXISTS", "stats:pieces:{media:abc}"}).integer(), 0);
  EXPECT_EQ(command({"ZCARD", "stats:open"}).integer(), 0);
  RecordProperty("bytes", static_cast<int>(bytes("stats:rows:{media:abc}") / kDays));
  // The first day has the record's own overhead, the total and its place in the lists.
  const Subject other{*media::HashedId::parse("def")};
  add_media("def");
  write(other, 2, "one", day_of(40));
  clean_up();
  EXPECT_LE(bytes("stats:rows:{media:def}"), 700);
}

TEST_F(Statistics, SumsOverMediaLeaveOutWhatCannotBeRead) {
  const media::HashedId film = *media::HashedId::parse("abc");
  const media::HashedId other = *media::HashedId::parse("def");
  write(kFilm, 0, "one", day_of(10));
  write(Subject(other), 0, "one", day_of(7));
  const redis::Reply fields = command({"HKEYS", "stats:pieces:{media:abc}"});
  command({"HSET", "stats:pieces:{media:abc}", *fields.at(0).text(), "x"});
  const auto totals = store_.run(statistics_.totals({film, other}));
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[0].plays, 0u);
  EXPECT_EQ(totals[1].plays, 7u);
  const auto days = store_.run(statistics_.days_of({film, other}, kToday - Days(1), kToday));
  ASSERT_EQ(days.size(), 2u);
  EXPECT_EQ(days[1].back().counts.plays, 7u);
  EXPECT_THROW(store_.run(statistics_.total(kFilm)), base::Unreadable);
}

}  // namespace
}  // namespace svc
