#include "ctl/pools/top_view.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr Recent::Clock::time_point kTopBegin{1000s};
constexpr auto kTopInterval = 2'000ms;

PoolStatus::Endpoint endpoint(const std::string& name, std::int64_t requests,
                              PoolStatus::Errors errors = {}, double ms = 1) {
  PoolStatus::Endpoint made{name, errors, {}};
  made.durations.count = requests;
  made.durations.total_ms = ms * static_cast<double>(requests);
  made.durations.buckets = {
      {1, ms <= 1 ? requests : 0}, {10, ms > 1 ? requests : 0}, {std::nullopt, 0}};
  return made;
}

PoolStatus pool(const std::string& name, pid_t pid, std::vector<PoolStatus::Endpoint> endpoints) {
  PoolStatus status;
  status.pool = name;
  status.pid = pid;
  status.up_since = 7200;
  status.generation = 1;
  status.workers = 2;
  status.idle = 1;
  status.active = 1;
  status.store_up = 2;
  for (const auto& each : endpoints) status.requests += each.durations.count;
  status.endpoints = std::move(endpoints);
  status.processes = {{pid + 1, 1, "idle", status.requests, 3.25, "/" + name + "/first"},
                      {pid + 2, 1, "handling", 0, 0.5, "/" + name + "/second"}};
  return status;
}

// Two looks at a pool, ten seconds apart; before the first it had answered nothing.
Recent recent_of(const PoolStatus& now) {
  PoolStatus before = now;
  before.requests = 0;
  before.endpoints.clear();
  before.processes.clear();
  Recent recent;
  recent.add(before, kTopBegin, kTopInterval);
  recent.add(now, kTopBegin + 10s, kTopInterval);
  return recent;
}

class TopViewTest : public ::testing::Test {
 protected:
  std::vector<PoolView> pools() const {
    return {{"embed", "", &embed_}, {"grant", "", &grant_}, {"web", "", &web_}};
  }
  // The first words of the lines below the one that begins with `header`.
  std::vector<std::string> below(const std::string& header, std::size_t rows = 24,
                                 std::size_t columns = 80) {
    const auto all = view_.lines(pools(), rows, columns);
    auto line = std::ranges::find_if(
        all, [&](const std::string& each) { return each.find(header) != std::string::npos; });
    std::vector<std::string> words;
    while (line != all.end() && ++line != all.end() && !line->empty()) {
      const std::string text = line->substr(line->find_first_not_of(' '));
      if (!text.starts_with("q quit")) words.push_back(text.substr(0, text.find(' ')));
    }
    return words;
  }

  Recent embed_ = recent_of(pool(
      "embed", 100,
      {endpoint("/oembed", 500, {.client = 1, .not_implemented = 20, .unavailable = 0, .other = 0}),
       endpoint("/embed/medias/", 300, {}, 5), endpoint("/status", 5)}));
  Recent grant_ =
      recent_of(pool("grant", 200,
                     {endpoint("/oauth/token", 40,
                               {.client = 9, .not_implemented = 0, .unavailable = 0, .other = 2}),
                      endpoint("/status", 5)}));
  Recent web_ = recent_of(pool(
      "web", 300,
      {endpoint("/login", 8, {.client = 0, .not_implemented = 0, .unavailable = 3, .other = 0})}));
  TopView view_;
};

using Words = std::vector<std::string>;

TEST_F(TopViewTest, FitsAllPoolsAndTheirEndpointsInto24Times80) {
  const auto lines = view_.lines(pools(), 24, 80);
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                "svcctl top: the last 10 s; endpoints 1-6 of 6 by requests/s",
                "POOL       PID     UP   BUSY    REQ/S   5XX   503  P99 MS  QUEUE STORE     LAST",
                "embed      100    2 h    1/2     80.5     0     0    <=10      - up        10 s",
                "grant      200    2 h    1/2      4.5     2     0     <=1      - up        10 s",
                "web        300    2 h    1/2      0.8     0     3     <=1      - up        10 s",
                "",
                "ENDPOINT                 POOL      REQ/S    5XX    501    503  P50 MS  P99 MS",
                "/oembed                  embed      50.0      0     20      0     <=1     <=1",
                "/embed/medias/           embed      30.0      0      0      0    <=10    <=10",
                "/oauth/token             grant       4.0      2      0      0     <=1     <=1",
                "/login                   web         0.8      0      0      3     <=1     <=1",
                "/status                  embed       0.5      0      0      0     <=1     <=1",
                "/status                  grant       0.5      0      0      0     <=1     <=1",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "q quit  w workers  sort: r req/s, e errors, p p99, n name  arrows, PgUp, PgDn"}));
}

TEST_F(TopViewTest, HasExactlyTheSizeOfTheTerminal) {
  Recent long_names = recent_of(
      pool("a-pool-with-a-long-name", 1'000'000, {endpoint(std::string(60, 'x'), 123'456'789)}));
  auto all = pools();
  all.push_back({"a-pool-with-a-long-name", "", &long_names});
  all.push_back(
      {"gone", "/run/svc/gone.sock: Connection refused" + std::string(300, '.'), nullptr});
  for (const char key : {'r', 'w'}) {
    ASSERT_TRUE(view_.press(key));
    for (const std::size_t rows : {0, 1, 2, 3, 5, 8, 12, 24, 60}) {
      for (const std::size_t columns : {1, 10, 40, 79, 80, 81, 120, 200, 400}) {
        const auto lines = view_.lines(all, rows, columns);
        ASSERT_EQ(lines.size(), rows);
        for (const std::string& line : lines) ASSERT_LE(line.size(), columns) << line;
      }
    }
  }
}

TEST_F(TopViewTest, ShowsMoreColumnsIfTheyFit) {
  const auto narrow = view_.lines(pools(), 24, 40);
  EXPECT_EQ(narrow.at(1), "POOL     BUSY    REQ/S   5XX STORE");
  EXPECT_EQ(narrow.at(6).substr(0, 8), "ENDPOINT");
  const auto wide = view_.lines(pools(), 60, 200);
  for (const char* column : {"GEN", "LEAVING", "4XX", "501", "P50 MS", "DEATHS", "SLOW", "TOTAL"})
    EXPECT_NE(wide.at(1).find(column), std::string::npos) << column;
  for (const char* column : {"4XX", "MEAN MS", "P90 MS", "TOTAL"})
    EXPECT_NE(wide.at(6).find(column), std::string::npos) << column;
  EXPECT_NE(wide.back().find("  arrows, PgUp, PgDn"), std::string::npos);
}

TEST_F(TopViewTest, SortsByTheColumnOfTheKeyAndReversesWithTheSameKey) {
  EXPECT_EQ(below("ENDPOINT").front(), "/oembed");
  view_.press('e');
  EXPECT_EQ(below("ENDPOINT"),
            (Words{"/oauth/token", "/login", "/oembed", "/embed/medias/", "/status", "/status"}));
  view_.press('p');
  EXPECT_EQ(below("ENDPOINT").front(), "/embed/medias/");
  view_.press('n');
  EXPECT_EQ(below("ENDPOINT"),
            (Words{"/embed/medias/", "/login", "/oauth/token", "/oembed", "/status", "/status"}));
  view_.press('n');
  EXPECT_EQ(below("by name, reversed").size(), 4u) << "header and pools";
  EXPECT_EQ(below("ENDPOINT").front(), "/status");
  view_.press('n');
  EXPECT_EQ(below("ENDPOINT").front(), "/embed/medias/");
  view_.press('x');
  EXPECT_EQ(below("ENDPOINT").front(), "/embed/medias/") << "a key without a meaning";
}

TEST_F(TopViewTest, SwitchesBetweenEndpointsAndWorkers) {
  view_.press('w');
  EXPECT_EQ(below("SINCE S"), (Words{"101", "201", "301", "102", "202", "302"}));
  view_.press('i');
  EXPECT_EQ(below("SINCE S"), (Words{"101", "102", "201", "202", "301", "302"}));
  view_.press('s');
  EXPECT_EQ(below("SINCE S").front(), "101");
  view_.press('n');
  EXPECT_EQ(below("SINCE S"), (Words{"101", "102", "201", "202", "301", "302"}));
  view_.press('e');
  EXPECT_EQ(below("SINCE S").size(), 6u) << "workers have no errors";
  view_.press('w');
  EXPECT_EQ(below("ENDPOINT").front(), "/oembed") << "each table has its own order";
}

TEST_F(TopViewTest, ScrollsTheTableAndKeepsThePools) {
  // Title, header, three pools, an empty line, header, four rows, footer.
  const auto top = view_.lines(pools(), 12, 80);
  EXPECT_EQ(top.front(), "svcctl top: the last 10 s; endpoints 1-4 of 6 by requests/s");
  view_.press('j');
  EXPECT_EQ(below("ENDPOINT", 12).front(), "/embed/medias/");
  view_.press('G');
  const auto end = view_.lines(pools(), 12, 80);
  EXPECT_EQ(end.front(), "svcctl top: the last 10 s; endpoints 3-6 of 6 by requests/s");
  EXPECT_EQ(end.at(4).substr(0, 3), "web");
  view_.press('k');
  EXPECT_EQ(below("ENDPOINT", 12).front(), "/embed/medias/");
  view_.press('g');
  EXPECT_EQ(below("ENDPOINT", 12).front(), "/oembed");
  view_.press(' ');
  EXPECT_EQ(below("ENDPOINT", 12).front(), "/oauth/token") << "no farther than the end";
  view_.press('b');
  EXPECT_EQ(below("ENDPOINT", 12).front(), "/oembed");
  view_.press('k');
  EXPECT_EQ(below("ENDPOINT", 12).front(), "/oembed");
}

TEST_F(TopViewTest, ScrollsEverythingInALowTerminal) {
  const auto top = view_.lines(pools(), 6, 80);
  EXPECT_EQ(top.front(), "svcctl top: the last 10 s; lines 1-4 of 12 by requests/s");
  EXPECT_EQ(top.at(2).substr(0, 5), "embed");
  view_.press('G');
  const auto end = view_.lines(pools(), 6, 80);
  EXPECT_EQ(end.at(4).substr(0, 7), "/status");
}

TEST_F(TopViewTest, ShowsAPoolThatDoesNotAnswerInItsPlace) {
  const std::vector<PoolView> all{{"embed", "/run/embed.sock: no answer in time", &embed_},
                                  {"grant", "", &grant_},
                                  {"web", "", nullptr}};
  const auto lines = view_.lines(all, 24, 80);
  EXPECT_EQ(lines.at(2), "embed: /run/embed.sock: no answer in time");
  EXPECT_EQ(lines.at(3).substr(0, 5), "grant");
  EXPECT_EQ(lines.at(4), "web: waiting for a response");
  for (const std::string& line : lines) EXPECT_EQ(line.find("/oembed"), std::string::npos);
}

TEST_F(TopViewTest, ShowsALineBelowAPoolWhoseReloadWentWrong) {
  PoolStatus status = pool("web", 1, {});
  status.reload_outcome = "refused";
  status.reload_text = "svc.conf:3: unknown key";
  const Recent recent = recent_of(status);
  const auto lines = view_.lines({{"web", "", &recent}}, 24, 80);
  EXPECT_EQ(lines.at(3), "  last reload refused: svc.conf:3: unknown key");
}

TEST_F(TopViewTest, HasNoRatesAfterOneLook) {
  Recent recent;
  recent.add(pool("web", 1, {endpoint("/login", 99)}), kTopBegin, kTopInterval);
  const auto lines = view_.lines({{"web", "", &recent}}, 24, 80);
  EXPECT_EQ(lines.at(2),
            "web          1    2 h    1/2        -     -     -       -      - up         0 s");
  EXPECT_EQ(lines.at(5),
            "/login                   web           -      -      -      -       -       -");
}

TEST_F(TopViewTest, LetsNothingCommandTheTerminal) {
  PoolStatus status = pool("w\033[2J\u009b", 1, {endpoint("/\033]0;x\007\xff", 1)});
  status.reload_outcome = "failed";
  status.reload_text = "\033[2J\n\r";
  status.processes.front().path = "/\u202e\033[2J";
  status.processes.front().phase = "\033";
  const Recent recent = recent_of(status);
  for (const char key : {'r', 'w'}) {
    view_.press(key);
    for (const std::string& line :
         view_.lines({{status.pool, "", &recent}, {"\033", "\033[2J", nullptr}}, 24, 200)) {
      for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << int{c};
    }
  }
}

TEST(TakeKeys, ReadsLettersAndSequences) {
  struct Case {
    std::string sent, keys, left;
  };
  for (const Case& c : {
           Case{"qr", "qr", ""},
           Case{"\033[A\033OB\033[5~\033[6~\033[H\033OF\033[1~\033[4~", "kjb gGgG", ""},
           Case{"\033[C\033[1;5Ae", "e", ""},
           Case{"\033", "", "\033"},
           Case{"r\033[5", "r", "\033[5"},
           Case{"\033q", "q", ""},
           Case{"\033\033[Aq", "kq", ""},
           Case{"\033[99999999999999999999q", "", ""},
       }) {
    SCOPED_TRACE(c.sent);
    std::string sent = c.sent;
    EXPECT_EQ(take_keys(sent), c.keys);
    EXPECT_EQ(sent, c.left);
  }
}

TEST(TopView, EndsWithQ) {
  TopView view;
  EXPECT_TRUE(view.press('x'));
  EXPECT_FALSE(view.press('q'));
}

}  // namespace
}  // namespace svc::ctl
