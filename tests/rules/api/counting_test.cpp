// api.md, How viewing is counted.
#include <gtest/gtest.h>

#include <chrono>

#include "rules/rules.h"
#include "stores/catalog/media_end.h"
#include "stores/catalog/statistics.h"

namespace svc::rules {
namespace {

using viewing::Counts;
using viewing::Subject;

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;
const std::string kFilm = "l4unchf1lm";  // of 62 s
constexpr const char* kBrowser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0";

class Counting : public Rules {
 protected:
  using Rules::Rules;

  static media::HashedId id(const std::string& text) { return *media::HashedId::parse(text); }
  std::string ticket(const std::string& film = kFilm) {
    const Answer facts = ask("/embed/medias/" + film + ".json");
    const std::string mark = R"("viewing":")";
    const std::size_t at = facts.body.find(mark);
    return at == std::string::npos ? "" : facts.body.substr(at + mark.size(), 8);
  }
  // A page view of that name, of 14 characters at most.
  std::string session(std::string name, const std::string& film = kFilm) {
    name.resize(14, '_');
    return name + ticket(film);
  }
  static Ask beacon(const std::string& session, const std::string& what,
                    const std::string& film = kFilm) {
    return Ask("POST /embed/medias/" + film + "/viewing")
        .with("Content-Type", "text/plain;charset=UTF-8")
        .with("User-Agent", kBrowser)
        .with_body("v1 " + session + " " + what);
  }
  http::Viewing tell(const Ask& beacon) {
    const Answer answer = ask(beacon);
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    return answer.viewing;
  }
  void watch(const std::string& session, const std::string& parts,
             const std::string& film = kFilm) {
    for (const std::string& what : {std::string("load"), std::string("play"), "seen " + parts})
      EXPECT_EQ(tell(beacon(session, what, film)), http::Viewing::Counted) << what;
  }
  stores::Statistics statistics() { return stores::Statistics(stores().redis()); }
  Counts total(const Subject& subject = Subject(id(kFilm))) {
    site_.run_periodic_tasks();
    stores::Statistics reading = statistics();
    return stores().run(reading.total(subject));
  }
  std::chrono::sys_days today() const {
    return std::chrono::sys_days(std::chrono::days(site_.now() / kDay));
  }
  std::size_t keys_of(std::string_view pattern) {
    return stores().command({"KEYS", pattern}).size();
  }
};

TEST_F(Counting, ApiB3EachEventAndPartCountsOncePerSession) {
  const std::string one = session("one");
  watch(one, "0-49");
  watch(one, "0-49,75-99");
  watch(one, "10-19,10-19");
  watch(session("two"), "0-9");
  const Counts counts = total();
  EXPECT_EQ(counts.loads, 2U);
  EXPECT_EQ(counts.plays, 2U);
  for (std::size_t i = 0; i < viewing::kParts; ++i) {
    const bool by_one = i < 50 || i >= 75;
    EXPECT_EQ(counts.seen.at(i), (by_one ? 1U : 0U) + (i < 10 ? 1U : 0U)) << i;
    EXPECT_EQ(counts.again.at(i), i >= 10 && i < 20 ? 1U : 0U) << i;
  }
  // 75 + 10 + 10 hundredths.
  const Counts whole = [&] {
    watch(session("whole"), "0-99");
    return total();
  }();
  const std::uint64_t duration = whole.watched - counts.watched;
  EXPECT_NEAR(static_cast<double>(counts.watched), 0.95 * static_cast<double>(duration), 3);
}

TEST_F(Counting, ApiB3WhatIsMadeUpIsDroppedAndAnswered204) {
  using Why = http::Viewing;
  const std::string good = session("good");
  const auto with = [&](const std::string& body) { return beacon(good, "load").with_body(body); };
  const std::string v1 = "v1 " + good + " ";
  struct Case {
    std::string name;
    Ask ask;
    Why why;
  };
  const std::vector<Case> cases{
      {"empty", with(""), Why::Malformed},
      {"another version", with("v2 " + good + " load"), Why::Malformed},
      {"a short session", with("v1 " + good.substr(1) + " load"), Why::Malformed},
      {"a session of other characters", with("v1 " + std::string(14, '!') + ticket() + " load"),
       Why::Malformed},
      {"an unknown event", with(v1 + "end"), Why::Malformed},
      {"a load with parts", with(v1 + "load 1"), Why::Malformed},
      {"no parts", with(v1 + "seen "), Why::Malformed},
      {"a part beyond the end", with(v1 + "seen 100"), Why::Malformed},
      {"a negative part", with(v1 + "seen -1"), Why::Malformed},
      {"a range backwards", with(v1 + "seen 9-3"), Why::Malformed},
      {"a huge part", with(v1 + "seen 99999999999999999999"), Why::Malformed},
      {"no number", with(v1 + "seen a"), Why::Malformed},
      {"a comma at the end", with(v1 + "seen 1,"), Why::Malformed},
      {"a line more", with(v1 + "load\nv1 " + good + " play"), Why::Malformed},
      {"many ranges",
       with(v1 + "seen 1" +
            [] {
              std::string more;
              for (int i = 0; i < 16'000; ++i) more += ",1-2";
              return more;
            }()),
       Why::Malformed},
      {"another type", beacon(good, "load").with("Content-Type", "application/json"),
       Why::Malformed},
      {"a type with that prefix", beacon(good, "load").with("Content-Type", "text/plainer"),
       Why::Malformed},
      {"a session of the page's own making", beacon(std::string(22, 'x'), "load"), Why::Ticket},
      {"a ticket of another media", beacon(session("good", "sm4ll480px"), "load"), Why::Ticket},
      {"an unknown media", beacon(good, "load", "nosuchfilm"), Why::Ticket},
      {"a crawler",
       beacon(good, "load").with("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)"),
       Why::Bot},
      {"no user agent", beacon(good, "load").with("User-Agent", ""), Why::Bot},
      {"a viewer who does not want it", beacon(good, "load").with("UNCOUNTED", "privacy"),
       Why::Privacy},
      {"too many of an address", beacon(good, "load").with("UNCOUNTED", "rate"), Why::Rate},
  };
  for (const Case& each : cases) EXPECT_EQ(to_text(tell(each.ask)), to_text(each.why)) << each.name;
  EXPECT_EQ(ask("/embed/medias/" + kFilm + "/viewing").status, 405);
  EXPECT_TRUE(total().empty());
  EXPECT_EQ(keys_of("stats:*"), 0U);
}

TEST_F(Counting, ApiB3ATicketLastsADay) {
  const std::string first = session("first");
  site_.pass(kHour);
  EXPECT_NE(session("first"), first);
  site_.pass(22 * kHour);
  EXPECT_EQ(tell(beacon(first, "load")), http::Viewing::Counted);
  site_.pass(2 * kHour);
  EXPECT_EQ(tell(beacon(first, "play")), http::Viewing::Ticket);
  EXPECT_EQ(total().loads, 1U);
}

TEST_F(Counting, ApiB4ABeaconWaitsForNoStoreAndIsWrittenOnceItCan) {
  const std::string one = session("one");
  const int trips = site_.trips.count;
  watch(one, "0-9");
  EXPECT_EQ(site_.trips.count, trips);
  // The store refuses it.
  const std::string pieces = "stats:pieces:{media:" + kFilm + "}";
  stores().command({"SET", pieces, "x"});
  site_.run_periodic_tasks();
  watch(session("two"), "0-9");
  site_.run_periodic_tasks();
  stores().command({"DEL", pieces});
  const Counts counts = total();
  EXPECT_EQ(counts.plays, 2U);
  EXPECT_EQ(counts.seen.at(5), 2U);
  // The account's piece was stored in between, and is not counted twice.
  const Counts of_account = total(Subject(media::AccountId{1001}));
  EXPECT_EQ(of_account.plays, 2U);
  EXPECT_EQ(of_account.loads, 2U);
  EXPECT_EQ(of_account.watched, counts.watched);
}

TEST_F(Counting, ApiB2VisitorsAreThoseOfADay) {
  for (const char* name : {"a", "b"})
    EXPECT_EQ(tell(beacon(session(name), "load")), http::Viewing::Counted);
  EXPECT_EQ(tell(beacon(session("c"), "load").with("User-Agent", "Mozilla/5.0 Other")),
            http::Viewing::Counted);
  site_.address = "192.0.2.77";
  EXPECT_EQ(tell(beacon(session("d"), "load")), http::Viewing::Counted);
  EXPECT_EQ(total().visitors, 3U);
  site_.pass(kDay);
  EXPECT_EQ(tell(beacon(session("e"), "load")), http::Viewing::Counted);
  EXPECT_EQ(total().visitors, 4U);
}

TEST_F(Counting, ApiB2NothingStoredNamesAViewerOrAPageView) {
  site_.address = "198.51.100.23";
  const std::string one = session("Zm9vYmFyYmF6cX");
  watch(one, "0-99");
  EXPECT_FALSE(total().empty());
  for (const bool is_cache : {false, true}) {
    const auto command = [&](std::initializer_list<std::string_view> words) {
      return is_cache ? stores().cache_command(words) : stores().command(words);
    };
    const redis::Reply keys = command({"KEYS", "*"});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string key(keys.at(i).text().value_or(""));
      const redis::Reply dump = command({"DUMP", key});
      const std::string all = key + std::string(dump.text().value_or(""));
      for (const std::string& secret : {site_.address, one, one.substr(0, 14)})
        EXPECT_EQ(all.find(secret), std::string::npos) << key;
    }
  }
}

TEST_F(Counting, ApiB4DaysBecomeRowsAndOldOnesStayInTheTotal) {
  const auto first_day = today();
  watch(session("one"), "0-49");
  const Counts before = total();
  site_.pass(3 * kDay);
  watch(session("two"), "50-99");
  Counts after = total();
  EXPECT_EQ(keys_of("stats:visitors:*"), 1U);
  EXPECT_EQ(after.plays, 2U);
  EXPECT_EQ(after.visitors, 2U);
  stores::Statistics reading = statistics();
  const auto days = stores().run(reading.days(Subject(id(kFilm)), first_day, today()));
  ASSERT_EQ(days.size(), 4U);
  EXPECT_EQ(days[0].counts, before);
  EXPECT_TRUE(days[1].counts.empty());
  EXPECT_EQ(days[3].counts.seen.at(99), 1U);
  site_.pass(729 * kDay);
  after = total();
  EXPECT_EQ(after.plays, 2U);
  const auto kept = stores().run(reading.kept_days(Subject(id(kFilm))));
  EXPECT_EQ(kept.size(), 1U);
  site_.pass(3 * kDay);
  EXPECT_EQ(total().plays, 2U);
  EXPECT_EQ(stores().run(reading.kept_days(Subject(id(kFilm)))).size(), 0U);
}

TEST_F(Counting, ApiB4ADeletedMediaTakesItsCountsAlong) {
  watch(session("one"), "0-49");
  site_.run_periodic_tasks();
  watch(session("two"), "0-49");
  stores().command({"DEL", "catalog:media:" + kFilm});
  site_.run_periodic_tasks();
  site_.pass(3 * kDay);
  site_.run_periodic_tasks();
  EXPECT_EQ(keys_of("stats:*:{media:*"), 0U);
  EXPECT_EQ(total(Subject(media::AccountId{1001})).plays, 1U);
}

TEST_F(Counting, ApiB4AMediaThatIsImportedAgainBeginsWithoutCounts) {
  watch(session("one"), "0-49");
  watch(session("two"), "0-49");
  const media::AccountId account{1001};
  const Counts of_account = total(Subject(account));
  const std::string record =
      std::string(*stores().command({"GET", "catalog:media:" + kFilm}).text());
  EXPECT_TRUE(stores().run(stores::end_media(stores().redis(), id(kFilm), account)));
  stores().command({"SET", "catalog:media:" + kFilm, record});
  EXPECT_TRUE(total().empty());
  watch(session("three"), "50-99");
  site_.run_periodic_tasks();
  const Counts counts = total();
  EXPECT_EQ(counts.loads, 1U);
  EXPECT_EQ(counts.plays, 1U);
  EXPECT_EQ(counts.seen.front(), 0U);
  EXPECT_EQ(counts.seen.back(), 1U);
  EXPECT_EQ(total(Subject(account)).plays, of_account.plays + 1);
  EXPECT_EQ(stores().command({"ZSCORE", "stats:plays:1001", kFilm}).text(), "1");
}

TEST_F(Counting, ApiB3ATelephoneWhoseNameSoundsLikeABotIsABrowser) {
  for (const char* name : {"CUBOT_X50", "CUBOT NOTE 20"}) {
    const std::string browser =
        "Mozilla/5.0 (Linux; Android 11; " + std::string(name) +
        ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
    EXPECT_EQ(tell(beacon(session("one"), "load").with("User-Agent", browser)),
              http::Viewing::Counted);
  }
  for (const char* program :
       {"Mozilla/5.0 (compatible; bingbot/2.0)", "Slackbot-LinkExpanding 1.0 (+https://a.example)",
        "TelegramBot (like TwitterBot)", "Mozilla/5.0 HeadlessChrome/140.0", "curl/8.0"})
    EXPECT_EQ(tell(beacon(session("two"), "load").with("User-Agent", program)), http::Viewing::Bot)
        << program;
}

TEST_F(Counting, ApiB5OnlyPlayersCount) {
  for (const char* kind : {"/embed/medias/", "/embed/iframe/", "/medias/"}) ask(kind + kFilm);
  EXPECT_EQ(ask("/embed/medias/" + kFilm + ".m3u8").status, 200);
  EXPECT_NE(ticket(), "");
  EXPECT_TRUE(total().empty());
}

class FewSessions : public Counting {
 protected:
  FewSessions() : Counting({"--stats-sessions=80", "--stats-address-sessions=30"}) {}
};

TEST_F(FewSessions, ApiB3AFloodOfSessionsIsBounded) {
  const auto flood = [&](int count) {
    std::size_t taken = 0;
    for (int i = 0; i < count; ++i)
      taken += tell(beacon(session(site_.address.substr(6) + "x" + std::to_string(i)), "load")) ==
                       http::Viewing::Counted
                   ? 1U
                   : 0U;
    return taken;
  };
  site_.address = "1.1.1.1";
  EXPECT_EQ(flood(100), 30U);
  // Half of all for one media.
  site_.address = "1.1.1.2";
  EXPECT_EQ(flood(100), 10U);
  site_.address = "1.1.1.3";
  EXPECT_EQ(flood(10), 0U);
  EXPECT_EQ(total().loads, 40U);
  // Places of sessions that are over are free again, and addresses may begin others.
  site_.pass(601);
  EXPECT_GT(flood(10), 0U);
}

class WithoutCounting : public Counting {
 protected:
  WithoutCounting() : Counting({"--stats-days=0"}) {}
};

TEST_F(WithoutCounting, ApiB3PlayersGetNoTicket) {
  EXPECT_EQ(ticket(), "");
  EXPECT_EQ(tell(beacon(std::string(22, 'x'), "load")), http::Viewing::Off);
}

}  // namespace
}  // namespace svc::rules
