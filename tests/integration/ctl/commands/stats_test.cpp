#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "stores/catalog/statistics.h"
#include "text/rfc3339.h"
#include "viewing/counts.h"

namespace svc {
namespace {

using integration::Ran;

class StatsCommands : public integration::CommandFixture {
 protected:
  Ran media(const std::vector<std::string>& words) { return run(ctl::media_commands(), words); }
  Ran stats(const std::vector<std::string>& words) { return run(ctl::stats_commands(), words); }

  void add_media(const std::string& id, const std::string& name) {
    CommandFixture::add_media(id);
    const Ran named = media({"edit", id, "--name", name});
    EXPECT_EQ(named.status, 0) << named.err;
  }
  std::chrono::sys_days day(int ago) const {
    const std::chrono::sys_seconds now{std::chrono::seconds(clock_.now())};
    return std::chrono::floor<std::chrono::days>(now) - std::chrono::days(ago);
  }
  std::string date(int ago) const { return text::to_full_date(day(ago)); }
  // Stores counts of a media and of the account 41.
  void count(const std::string& id, int ago, std::uint64_t loads, std::uint64_t plays,
             std::vector<std::string> visitors = {}) {
    viewing::Counts counts;
    counts.loads = loads;
    counts.plays = plays;
    counts.watched = plays * 900'000;
    counts.seen.fill(static_cast<std::uint32_t>(plays));
    counts.again.at(99) = 1;
    const std::string bytes = viewing::to_bytes(counts);
    const std::string name = "t" + std::to_string(++pieces_);
    const auto media = *media::HashedId::parse(id);
    const media::AccountId account{41};
    stores::Statistics statistics(store_.redis());
    std::vector<stores::Statistics::Piece> pieces;
    pieces.push_back({viewing::Subject(media), day(ago), name, bytes, std::move(visitors), account,
                      media, plays});
    pieces.push_back({viewing::Subject(account), day(ago), name, bytes});
    using Stored = stores::Statistics::Stored;
    EXPECT_EQ(store_.run(statistics.write(std::move(pieces))),
              (std::vector{Stored::Added, Stored::Added}));
  }
  static std::string hundred(const std::string& each, const std::string& last) {
    std::string text;
    for (int i = 0; i < 99; ++i) text += each + ",";
    return text + last;
  }

  int pieces_ = 0;
};

TEST_F(StatsCommands, PrintTheDaysOfAMedia) {
  add_media("abc", "A film");
  count("abc", 40, 100, 50);
  count("abc", 2, 5, 2, {"a", "b"});
  count("abc", 0, 3, 1, {"a"});
  const Ran three = stats({"media", "abc", "--days", "3"});
  EXPECT_EQ(three.err, "");
  EXPECT_EQ(three.out, "DATE        LOADS     PLAYS     HOURS       VISITORS\n" + date(2) +
                           "  5         2         0.5         2\n" + date(0) +
                           "  3         1         0.25        1\n"
                           "3 days      8         3         0.75        3\n"
                           "in all      108       53        13.25       3\n");
  EXPECT_EQ(stats({"media", "abc", "--csv", "--days", "3"}).out,
            "date,loads,plays,hours_watched,visitors\n" + date(2) + ",5,2,0.5,2\n" + date(1) +
                ",0,0,0,0\n" + date(0) + ",3,1,0.25,1\n");
  EXPECT_EQ(stats({"media", "abc", "--json", "--days", "1"}).out,
            R"({"hashed_id":"abc","loads":108,"plays":53,"hours_watched":13.25,)"
            R"("play_rate":0.491,"engagement":1,"visitors":3,"days":[{"date":")" +
                date(0) + R"(","loads":3,"plays":1,"hours_watched":0.25,"visitors":1}],"seen":[)" +
                hundred("53", "53") + R"(],"seen_again":[)" + hundred("0", "3") + "]}\n");
}

TEST_F(StatsCommands, PrintTheDaysAndTheMostPlayedMediaOfAnAccount) {
  add_media("abc", "A film");
  add_media("xyz", "Another");
  count("abc", 1, 5, 2);
  count("xyz", 0, 9, 4);
  count("gone", 0, 20, 10);  // deleted
  const Ran two = stats({"account", "41", "--days", "2"});
  EXPECT_EQ(two.err, "");
  EXPECT_EQ(two.out, "DATE        LOADS     PLAYS     HOURS\n" + date(1) +
                         "  5         2         0.5\n" + date(0) +
                         "  29        14        3.5\n"
                         "2 days      34        16        4\n"
                         "in all      34        16        4\n"
                         "\n"
                         "MOST PLAYED  PLAYS     HOURS       NAME\n"
                         "xyz          4         1           Another\n"
                         "abc          2         0.5         A film\n");
  EXPECT_EQ(stats({"account", "41", "--csv", "--days", "2"}).out,
            "date,loads,plays,hours_watched\n" + date(1) + ",5,2,0.5\n" + date(0) + ",29,14,3.5\n");
  EXPECT_EQ(stats({"account", "41", "--json", "--days", "1"}).out,
            R"({"account_id":41,"loads":34,"plays":16,"hours_watched":4,"days":[{"date":")" +
                date(0) +
                R"(","loads":29,"plays":14,"hours_watched":3.5}],"most_played":[)"
                R"({"hashed_id":"xyz","name":"Another","loads":9,"plays":4,"hours_watched":1},)"
                R"({"hashed_id":"abc","name":"A film","loads":5,"plays":2,"hours_watched":0.5}]})"
                "\n");
}

TEST_F(StatsCommands, ExportEachMediaAndDay) {
  EXPECT_EQ(stats({"export", "41"}).out, "media,name,date,loads,plays,hours_watched,visitors\n");
  // More than one batch reads.
  constexpr int kMedias = 103;
  for (int i = 0; i < kMedias; ++i) {
    const std::string id = "film" + std::to_string(1000 + i);
    add_media(id, i == 0 ? "=1+1, \"x\"" : "Film " + std::to_string(i));
    if (i != 1) count(id, 0, 2, 1);
  }
  count("film1000", 500, 9, 4, {"a"});
  const Ran exported = stats({"export", "41"});
  EXPECT_EQ(exported.err, "");
  EXPECT_TRUE(
      exported.out.starts_with("media,name,date,loads,plays,hours_watched,visitors\n"
                               "film1000,\"'=1+1, \"\"x\"\"\"," +
                               date(500) + ",9,4,1,1\nfilm1000,\"'=1+1, \"\"x\"\"\"," + date(0) +
                               ",2,1,0.25,0\nfilm1002,\"Film 2\"," + date(0) + ",2,1,0.25,0\n"))
      << exported.out.substr(0, 400);
  EXPECT_EQ(std::ranges::count(exported.out, '\n'), 1 + kMedias);
}

TEST_F(StatsCommands, RefuseWhatDoesNotExist) {
  for (const auto& [ran, error] :
       {std::pair{stats({"media", "abc"}), "svcctl stats media: there is no media abc\n"},
        std::pair{stats({"media", "a-b"}), "svcctl stats media: not a hashed id: a-b\n"},
        std::pair{stats({"account", "9"}), "svcctl stats account: there is no account 9\n"},
        std::pair{stats({"export", "9"}), "svcctl stats export: there is no account 9\n"}}) {
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, error);
  }
  const Ran both = stats({"account", "41", "--json", "--csv"});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("--json and --csv exclude each other"), std::string::npos) << both.err;
}

}  // namespace
}  // namespace svc
