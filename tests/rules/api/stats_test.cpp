// api.md: statistics.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rules/api/api.h"
#include "rules/views.h"
#include "stores/catalog/statistics.h"
#include "viewing/counts.h"

namespace svc::rules::stats {
namespace {

class ReadStatistics : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("stats:read");
    put(media("counted0001"));
  }
  std::string date(int ago) const { return views_.date(ago); }
  void count(const viewing::Subject& subject, const viewing::Counts& counts, int ago = 0,
             std::vector<std::string> visitors = {}) {
    views_.add(subject, counts, ago, std::move(visitors));
  }
  static viewing::Subject of_media(const std::string& id) {
    return viewing::Subject(*media::HashedId::parse(id));
  }
  Answer read(const std::string& path) {
    return ask(Ask("/v1" + path).with("Authorization", "Bearer " + token_));
  }

  std::string token_;
  Views views_{site_};
};

TEST_F(ReadStatistics, ApiT1AnAccountHasTheSumsOfItsMedia) {
  EXPECT_EQ(read("/stats/account").body, R"({"load_count":0,"play_count":0,"hours_watched":0})");
  count(viewing::Subject(media::AccountId{kAcme}), views(40, 10, 5400), 400);
  count(viewing::Subject(media::AccountId{kAcme}), views(2, 1, 36));
  count(viewing::Subject(media::AccountId{1002}), views(7, 7, 7));
  const Answer answer = read("/stats/account");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  EXPECT_EQ(answer.body, R"({"load_count":42,"play_count":11,"hours_watched":1.51})");
  EXPECT_EQ(read("/stats/account.json").body, answer.body);
  for (const char* const scope : {"all:all", "all:read"}) {
    token_ = token_of(scope);
    EXPECT_EQ(read("/stats/account").body, answer.body) << scope;
  }
  token_ = token_of("media:read");
  EXPECT_EQ(read("/stats/account").status, 403);
}

TEST_F(ReadStatistics, ApiT2AProjectHasTheSumsOfTheMediaThatAreInItNow) {
  stores().command({"SET", "catalog:project:watched",
                    R"({"id":"watched","account_id":1001,"name":"Watched",)"
                    R"("created":"2026-03-01T10:00:00Z","updated":"2026-03-01T10:00:00Z"})"});
  // More than one batch reads.
  constexpr std::size_t kMedias = 1003;
  for (std::size_t i = 0; i < kMedias; ++i) {
    media::Media each = media("project" + std::to_string(10'000 + i));
    each.project = media::ProjectId::parse("watched");
    if (i == 0) each.type = "Audio";
    put(each);
    count(of_media(each.id.value()), views(2, 1, 36), static_cast<int>(i % 3));
  }
  count(of_media("counted0001"), views(500, 500, 500));
  EXPECT_EQ(read("/stats/projects/watched").body,
            R"({"load_count":2006,"play_count":1003,"hours_watched":10.03,)"
            R"("number_of_videos":1002})");
  for (const std::string& key : stores().run(
           stores::Statistics(stores().redis()).keys_of(*media::HashedId::parse("project10000"))))
    stores().command({"DEL", key});
  EXPECT_EQ(member(read("/stats/projects/watched"), "load_count"), "2004");
  EXPECT_EQ(read("/stats/projects/absent").status, 404);
  EXPECT_EQ(read("/stats/projects/no%2Fid").status, 404);
  token_ = token_of("stats:read", "1002");
  EXPECT_EQ(read("/stats/projects/watched").status, 404);
}

TEST_F(ReadStatistics, ApiT3AMediaHasItsSumsAndRates) {
  EXPECT_EQ(read("/stats/medias/counted0001").body,
            R"({"load_count":0,"play_count":0,"hours_watched":0,"play_rate":0,"engagement":0,)"
            R"("visitors":0,"actions":[]})");
  viewing::Counts seen = views(8, 3, 90);
  seen.seen.fill(3);
  for (std::size_t i = 50; i < viewing::kParts; ++i) seen.seen.at(i) = 1;
  count(of_media("counted0001"), seen, 1, {"a", "b"});
  count(of_media("counted0001"), views(2, 1, 0), 0, {"b"});
  EXPECT_EQ(read("/stats/medias/counted0001").body,
            R"({"load_count":10,"play_count":4,"hours_watched":0.025,"play_rate":0.4,)"
            R"("engagement":0.5,"visitors":3,"actions":[]})");
  for (const char* const id : {"absent00001", "no%2Fid", "a-b"})
    EXPECT_EQ(read("/stats/medias/" + std::string(id)).status, 404) << id;
  token_ = token_of("stats:read", "1002");
  for (const char* const path :
       {"/stats/medias/counted0001", "/stats/medias/counted0001/by_date",
        "/stats/medias/counted0001/engagement", "/medias/counted0001/stats"})
    EXPECT_EQ(read(path).status, 404) << path;
}

TEST_F(ReadStatistics, ApiT4DaysAreListedAlsoWithoutViews) {
  count(of_media("counted0001"), views(5, 4, 360), 2);
  count(of_media("counted0001"), views(3, 2, 36));
  const auto row = [&](int ago, const std::string& sums) {
    return R"({"date":")" + date(ago) + R"(",)" + sums + "}";
  };
  const std::string none = R"("load_count":0,"play_count":0,"hours_watched":0)";
  const std::string now = R"("load_count":3,"play_count":2,"hours_watched":0.01)";
  const std::string before = R"("load_count":5,"play_count":4,"hours_watched":0.1)";
  const std::string path = "/stats/medias/counted0001/by_date";
  EXPECT_EQ(read(path).body, "[" + row(1, none) + "," + row(0, now) + "]");
  EXPECT_EQ(read(path + "?start_date=" + date(2)).body,
            "[" + row(2, before) + "," + row(1, none) + "," + row(0, now) + "]");
  EXPECT_EQ(read(path + "?end_date=" + date(1)).body,
            "[" + row(2, before) + "," + row(1, none) + "]");
  EXPECT_EQ(read(path + "?start_date=" + date(-4) + "&end_date=" + date(-4)).body,
            "[" + row(-4, none) + "]");
  const Answer year = read(path + "?start_date=" + date(365));
  EXPECT_TRUE(year.body.starts_with("[" + row(365, none))) << year.body;
  EXPECT_TRUE(year.body.ends_with(row(0, now) + "]"));
}

TEST_F(ReadStatistics, ApiN40DaysOfTheAccountAreListedAlsoAsCsv) {
  const viewing::Subject acme(media::AccountId{kAcme});
  count(acme, views(5, 4, 360), 2);
  count(acme, views(3, 2, 36));
  count(viewing::Subject(media::AccountId{1002}), views(7, 7, 7));
  const std::string path = "/stats/account/by_date";
  const auto row = [&](int ago, const std::string& sums) {
    return R"({"date":")" + date(ago) + R"(",)" + sums + "}";
  };
  const std::string none = R"("load_count":0,"play_count":0,"hours_watched":0)";
  const std::string now = R"("load_count":3,"play_count":2,"hours_watched":0.01)";
  const std::string before = R"("load_count":5,"play_count":4,"hours_watched":0.1)";
  EXPECT_EQ(read(path).body, "[" + row(1, none) + "," + row(0, now) + "]");
  const std::string three = path + "?start_date=" + date(2);
  EXPECT_EQ(read(three).body, "[" + row(2, before) + "," + row(1, none) + "," + row(0, now) + "]");
  EXPECT_EQ(read(three).header("Cache-Control"), "no-store");
  const Answer csv = read(three + "&format=csv");
  EXPECT_EQ(csv.type, "text/csv; charset=utf-8");
  EXPECT_EQ(csv.body, "date,loads,plays,hours_watched\r\n" + date(2) + ",5,4,0.1\r\n" + date(1) +
                          ",0,0,0\r\n" + date(0) + ",3,2,0.01\r\n");
  EXPECT_EQ(read(path + "?format=xml").status, 400);
  EXPECT_EQ(read(path + "?format=csv&format=csv").status, 400);
  EXPECT_EQ(read(path + "?start_date=" + date(366)).status, 400);
  token_ = token_of("media:read");
  EXPECT_EQ(read(path).status, 403);
}

TEST_F(ReadStatistics, ApiT4RefusalsNameWhatIsAllowed) {
  const std::string path = "/stats/medias/counted0001/by_date?";
  for (const auto& [query, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {"start_date=2026-02-29", "start_date must be a date as yyyy-mm-dd"},
           {"end_date=0000-01-01", "from 1970-01-02 on"},
           {"end_date=yesterday", "end_date must be a date as yyyy-mm-dd"},
           {"end_date=", "end_date must be a date as yyyy-mm-dd"},
           {"start_date=2026-03-02&end_date=2026-03-01",
            "end_date, which is 2026-03-01, must not be before start_date, 2026-03-02"},
           {"start_date=" + date(-1),
            "end_date, which is " + date(0) + " (today) if it is absent, must not be before "},
           {"start_date=2025-01-01&end_date=2026-01-02", "must be at most 366 days, and are 367"},
           {"start_date=" + date(366), "to end_date, which is " + date(0) +
                                           " (today) if it is absent, must be at most 366 days, "
                                           "and are 367"},
           {"start_date=2026-03-01&start_date=2026-03-01", "start_date is given twice"}}) {
    const Answer answer = read(path + query);
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_NE(member(answer, "error_description").find(words), std::string::npos) << answer.body;
  }
  EXPECT_EQ(read("/stats/medias/absent00001/by_date?end_date=x").status, 404);
}

TEST_F(ReadStatistics, ApiT5EachHundredthHasItsPlays) {
  viewing::Counts seen = views(4, 4, 60);
  std::string views;
  std::string again;
  for (std::size_t i = 0; i < viewing::kParts; ++i) {
    seen.seen.at(i) = i < 25 ? 4 : 0;
    seen.again.at(i) = i == 24 ? 2 : 0;
    views += (i > 0 ? "," : "") + std::to_string(2 * seen.seen.at(i));
    again += (i > 0 ? "," : "") + std::to_string(2 * seen.again.at(i));
  }
  count(of_media("counted0001"), seen);
  count(of_media("counted0001"), seen, 3);
  EXPECT_EQ(
      read("/stats/medias/counted0001/engagement").body,
      R"({"engagement":0.25,"engagement_data":[)" + views + R"(],"rewatch_data":[)" + again + "]}");
}

TEST_F(ReadStatistics, ApiT6NumbersInWholePercent) {
  viewing::Counts seen = views(3, 2, 60);
  seen.seen.fill(1);
  seen.seen.at(0) = 2;
  count(of_media("counted0001"), seen, 0, {"a"});
  EXPECT_EQ(read("/medias/counted0001/stats").body,
            R"({"stats":{"pageLoads":3,"visitors":1,"percentOfVisitorsClickingPlay":67,)"
            R"("plays":2,"averagePercentWatched":51}})");
}

}  // namespace
}  // namespace svc::rules::stats
