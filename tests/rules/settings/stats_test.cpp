// pages.md: statistics in the settings.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "media/media.h"
#include "rules/settings/settings.h"
#include "rules/views.h"

namespace svc::rules {
namespace {

const std::string kStats = "/settings/accounts/1002/media/watched0001/stats";
const std::string kAllStats = "/settings/accounts/1002/stats";
const media::AccountId kStudio{1002};

// The statistics of Binary & Sons, whose manager is Manuel.
class StatisticsPages : public WithSettings {
 protected:
  StatisticsPages() {
    browser_.log_in(kManuelsId);
    add("watched0001", "A <film>");
  }
  void add(const std::string& id, const std::string& name, double duration = 100) {
    media::Media one;
    one.id = *media::HashedId::parse(id);
    one.account = kStudio;
    one.type = "Video";
    one.name = name;
    one.status = media::Status::Ready;
    one.duration = duration;
    one.created = one.updated = "2026-03-01T10:00:00Z";
    put(one);
  }
  void watch(const std::string& id, const viewing::Counts& counts, int ago = 0,
             std::vector<std::string> visitors = {}) {
    views_.add(*media::HashedId::parse(id), kStudio, counts, ago, std::move(visitors));
  }
  // "NAME VALUE, CHANGE", as the page lists them.
  static std::vector<std::string> numbers(const Answer& page) {
    std::vector<std::string> found;
    const std::string begin = "<div><dt>";
    for (std::size_t at = 0; (at = page.body.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      const std::size_t middle = page.body.find("</dt><dd>", at);
      const std::size_t end = page.body.find("</dd>", middle);
      const std::string change = "<dd class=\"change\">";
      const std::size_t change_at = page.body.find(change, end) + change.size();
      found.push_back(page.body.substr(at, middle - at) + " " +
                      page.body.substr(middle + 9, end - middle - 9) + ", " +
                      page.body.substr(change_at, page.body.find("</dd>", change_at) - change_at));
    }
    return found;
  }
  // The rows of the tables, each cell after a space.
  static std::vector<std::string> rows(const Answer& page) {
    std::vector<std::string> found;
    const std::string begin = "<tr><th scope=\"row\">";
    for (std::size_t at = 0; (at = page.body.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      std::string row = page.body.substr(at, page.body.find("</tr>", at) - at);
      for (const std::string tag : {"<td>", "</td>", "</th>", "<bdi>", "</bdi>", "</a>"}) {
        for (std::size_t i = 0; (i = row.find(tag)) != std::string::npos;)
          row.replace(i, tag.size(), tag == "<td>" ? " " : "");
      }
      found.push_back(row);
    }
    return found;
  }

  // "3 March 2026"
  std::string words_of_day(int ago) const {
    const std::chrono::year_month_day day(views_.day(ago));
    static const char* const kMonths[] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};
    return std::to_string(static_cast<unsigned>(day.day())) + " " +
           kMonths[static_cast<unsigned>(day.month()) - 1] + " " +
           std::to_string(static_cast<int>(day.year()));
  }

  Views views_{site_};
};

TEST_F(StatisticsPages, PagesW130AMediaHasItsNumbersDaysAndParts) {
  viewing::Counts seen = views(1200, 900, 5400);
  for (std::size_t i = 0; i < viewing::kParts; ++i) {
    seen.seen.at(i) = i < 50 ? 900 : 450;
    seen.again.at(i) = i >= 90 ? 90 : 0;
  }
  watch("watched0001", seen, 40, {"a", "b"});
  watch("watched0001", views(4, 3, 36), 1, {"a"});
  const Answer page = browser_.ask(kStats);
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.has("<bdi>A &lt;film&gt;</bdi>")) << page.body;
  EXPECT_EQ(numbers(page),
            (std::vector<std::string>{
                "Plays 3, down 99% from 900", "Hours watched 0.01, down 99% from 1.5",
                "Loads 4, down 99% from 1,200", "Plays per load 75%, as before",
                "Engagement 0%, down from 75%", "Visitors 1, down 50% from 2"}));
  EXPECT_TRUE(page.has("<h2 id=\"all\">Last 30 days</h2>")) << page.body;
  EXPECT_TRUE(
      page.has("Compared with the 30 days before. "
               "Since counting began: 903 plays, 1.51 hours watched."));
  EXPECT_TRUE(page.has("it is forgotten at midnight (UTC), so no person is followed over days"));
  EXPECT_TRUE(page.has("aria-label=\"Plays per day, ")) << page.body;
  EXPECT_TRUE(page.has(": 3 in all, most on "));
  EXPECT_TRUE(page.has("<path class=\"bars\" d=\"M28.1 100V25h.8V100z\"/>")) << page.body;
  EXPECT_TRUE(page.has("<title>" + words_of_day(1) + ": 3</title>")) << page.body;
  EXPECT_TRUE(page.has("<text x=\"95%\" y=\"25%\" dy=\"-.35em\">3</text>"));
  const Answer quarter = browser_.ask(kStats + "?days=90");
  EXPECT_EQ(numbers(quarter).front(), "Plays 903, none before");
  EXPECT_FALSE(quarter.has("<text"));
  EXPECT_TRUE(
      quarter.has("aria-label=\"Share of the 903 plays that saw each part: 100% the "
                  "beginning, 50% the middle, 50% the end\""));
  std::vector<std::string> all = rows(quarter);
  all.erase(all.begin(), all.begin() + 60);
  ASSERT_EQ(all.size(), 30u + 10u);
  EXPECT_EQ(all[28], views_.date(1) + " 4 3 0.01 1");
  EXPECT_EQ(all[29], views_.date(0) + " 0 0 0 0");
  EXPECT_EQ(all[30], "0:00 to 0:10 100% 0%");
  EXPECT_EQ(all[39], "1:30 to 1:40 50% 10%");
}

TEST_F(StatisticsPages, PagesW130AShortMediaHasTenthsAndLittleIsNotNothing) {
  add("short000001", "Short", 8);
  viewing::Counts seen = views(1000, 4, 16);  // 0.0044 hours
  for (std::size_t i = 0; i < viewing::kParts; ++i) seen.seen.at(i) = 4;
  watch("short000001", seen, 1);
  const Answer page = browser_.ask("/settings/accounts/1002/media/short000001/stats");
  EXPECT_EQ(numbers(page), (std::vector<std::string>{
                               "Plays 4, none before", "Hours watched &lt;0.01, none before",
                               "Loads 1,000, none before", "Plays per load &lt;1%, up from 0%",
                               "Engagement 100%, up from 0%", "Visitors 0, as before"}));
  EXPECT_TRUE(page.has(": &lt;0.01 in all, most on ")) << page.body;
  const std::vector<std::string> all = rows(page);
  ASSERT_EQ(all.size(), 30u + 10u);
  EXPECT_EQ(all[28], views_.date(1) + " 1,000 4 &lt;0.01 0");
  EXPECT_EQ(all[30], "0:00 to 0:00.8 100% 0%");
  EXPECT_EQ(all[32], "0:01.6 to 0:02.4 100% 0%");
  EXPECT_EQ(rows(browser_.ask(kAllStats)).back(),
            "<a href=\"/settings/accounts/1002/media/short000001/stats\">Short 4 &lt;0.01");
}

TEST_F(StatisticsPages, PagesW130TheHighestBarFillsHalfOfItsDiagram) {
  watch("watched0001", views(600, 550, 0), 1);
  EXPECT_TRUE(browser_.ask(kStats).has("<span>600</span><span>300</span>"));
  watch("watched0001", views(60, 51, 0), 1);
  EXPECT_TRUE(browser_.ask(kStats).has("<span>800</span><span>400</span>"));
}

TEST_F(StatisticsPages, PagesW130ThePeriodIsAChoice) {
  watch("watched0001", views(4, 3, 36), 80);
  for (const auto& [query, days] : {std::pair{"", 30u},
                                    {"?days=7", 7u},
                                    {"?days=90", 90u},
                                    {"?days=365", 365u},
                                    {"?days=8", 30u},
                                    {"?days=x", 30u}}) {
    const Answer page = browser_.ask(kStats + query);
    EXPECT_TRUE(page.has("<span aria-current=\"page\">" + std::to_string(days) + " days</span>"))
        << query;
    EXPECT_EQ(rows(page).size(), days >= 90 ? days + 10u : 0u) << query;
    EXPECT_EQ(numbers(page).front(), days >= 90 ? "Plays 3, none before" : "Plays 0, as before")
        << query;
    EXPECT_EQ(page.has("There were no views in these " + std::to_string(days) + " days."),
              days < 90)
        << query;
  }
}

TEST_F(StatisticsPages, PagesW130TheDaysAreAFile) {
  watch("watched0001", views(4, 3, 36), 6, {"a"});
  const Answer page = browser_.ask(kStats + "?days=7");
  EXPECT_TRUE(page.has("href=\"" + kStats + "?days=7&amp;format=csv\"")) << page.body;
  const Answer file = browser_.ask(kStats + "?days=7&format=csv");
  EXPECT_EQ(file.type, "text/csv; charset=utf-8");
  EXPECT_EQ(file.header("Content-Disposition"), "attachment; filename=\"statistics-watched0001-" +
                                                    views_.date(6) + "-to-" + views_.date(0) +
                                                    ".csv\"");
  EXPECT_EQ(file.header("Cache-Control"), "no-store");
  EXPECT_EQ(file.header("X-Content-Type-Options"), "nosniff");
  std::string lines =
      "date,loads,plays,hours_watched,visitors\r\n" + views_.date(6) + ",4,3,0.01,1\r\n";
  for (int ago = 5; ago >= 0; --ago) lines += views_.date(ago) + ",0,0,0,0\r\n";
  EXPECT_EQ(file.body, lines);
}

TEST_F(StatisticsPages, PagesW130WithoutViewsASentenceSaysSo) {
  const Answer page = browser_.ask(kStats);
  EXPECT_TRUE(page.has("Nobody has loaded this video yet.")) << page.body;
  EXPECT_TRUE(numbers(page).empty());
  EXPECT_FALSE(page.has("<svg"));
}

TEST_F(StatisticsPages, PagesW130OnlyForItsAccount) {
  Browser uma(site_);
  uma.log_in(kUmasId);
  EXPECT_EQ(uma.ask(kStats).status, 404);
  EXPECT_EQ(uma.ask(kStats + "?format=csv").status, 404);
  EXPECT_EQ(uma.ask(std::string(kAcme) + "/stats").status, 403) << "a user of that account";
  EXPECT_EQ(browser_.ask("/settings/accounts/1002/media/absent00001/stats").status, 404);
  EXPECT_EQ(browser_.ask(std::string(kAcme) + "/media/watched0001/stats").status, 404);
}

TEST_F(StatisticsPages, PagesW131AnAccountHasItsNumbersAndTheMediaThatWerePlayedMost) {
  EXPECT_TRUE(browser_.ask(kAllStats).has("Nobody has loaded a video of this account"));
  add("watched0002", "=1+1");
  watch("watched0001", views(4, 3, 36));
  watch("watched0002", views(40, 30, 7200), 3);
  watch("deleted0001", views(50, 40, 36), 3);
  watch("watched0001", views(50, 24, 3600), 31);
  const Answer page = browser_.ask(kAllStats);
  EXPECT_EQ(numbers(page), (std::vector<std::string>{
                               "Plays 73, up 204% from 24", "Hours watched 2.02, up 102% from 1",
                               "Loads 94, up 88% from 50", "Plays per load 78%, up from 48%"}));
  const std::vector<std::string> all = rows(page);
  ASSERT_EQ(all.size(), 30u + 2u) << "the deleted one has no row";
  EXPECT_EQ(all[26], views_.date(3) + " 90 70 2.01");
  EXPECT_EQ(all[30], "<a href=\"/settings/accounts/1002/media/watched0002/stats\">=1+1 30 2");
  EXPECT_EQ(all[31], "<a href=\"" + kStats + "\">A &lt;film&gt; 3 0.01");
  const Answer file = browser_.ask(kAllStats + "?days=7&format=csv");
  std::string lines = "media,name,date,loads,plays,hours_watched\r\n";
  for (int ago = 6; ago >= 0; --ago) {
    if (ago == 0) {
      lines += "watched0001,\"A <film>\"," + views_.date(0) + ",4,3,0.01\r\n";
    } else if (ago == 3) {
      lines += "watched0002,\"'=1+1\"," + views_.date(3) + ",40,30,2\r\n";
      lines += ",," + views_.date(3) + ",50,40,0.01\r\n";  // of the deleted media
    } else {
      lines += ",," + views_.date(ago) + ",0,0,0\r\n";
    }
  }
  EXPECT_EQ(file.body, lines);
  EXPECT_TRUE(file.header("Content-Disposition").starts_with("attachment; filename=\"statistics-"));
}

TEST_F(StatisticsPages, PagesW131TheListAndTheMediaLinkToTheirStatistics) {
  EXPECT_TRUE(browser_.ask("/settings/accounts/1002/media").has("href=\"" + kAllStats + "\""));
  EXPECT_TRUE(
      browser_.ask("/settings/accounts/1002/media/watched0001").has("href=\"" + kStats + "\""));
}

}  // namespace
}  // namespace svc::rules
