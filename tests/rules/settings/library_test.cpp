// pages.md: the pages of an account's media and projects.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "media/media.h"
#include "rules/settings/settings.h"
#include "text/rfc3339.h"

namespace svc::rules {
namespace {

const std::string kLibrary = "/settings/accounts/1002/media";

// The media of Binary & Sons, whose manager is Manuel.
class Library : public WithSettings {
 protected:
  Library() {
    browser_.log_in(kManuelsId);
    stores().import(
        R"({"kind": "project", "id": "prj1", "account_id": 1002, "name": "Ads & more", )"
        R"("created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z"})"
        "\n");
  }
  // Each is a second newer than the one before.
  media::Media film(const std::string& id, const std::string& name) {
    media::Media one;
    one.id = *media::HashedId::parse(id);
    one.account = {1002};
    one.type = "Video";
    one.name = name;
    one.status = media::Status::Ready;
    one.created = one.updated = text::to_rfc3339(++now_);
    return one;
  }
  void add(const std::string& id, const std::string& name,
           media::Status status = media::Status::Ready, const std::string& project = "") {
    media::Media one = film(id, name);
    one.status = status;
    if (!project.empty()) one.project = media::ProjectId::parse(project);
    put(one);
  }
  // The ids of the media that a page lists.
  std::vector<std::string> ids(const Answer& page) {
    std::vector<std::string> found;
    const std::string begin = "<li id=\"media-";
    for (std::size_t at = 0; (at = page.body.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      found.push_back(page.body.substr(at, page.body.find('"', at) - at));
    }
    return found;
  }
  std::vector<std::string> listed(const std::string& query) {
    return ids(browser_.ask(kLibrary + query));
  }
  static std::string link_to(const Answer& page, const std::string& text) {
    const std::size_t end = page.body.find(">" + text + "</a>");
    if (end == std::string::npos) return "";
    const std::size_t begin = page.body.rfind("href=\"", end) + 6;
    return unescaped(page.body.substr(begin, page.body.find('"', begin) - begin));
  }

  using Ids = std::vector<std::string>;
  std::int64_t now_ = 1'790'000'000;
};

TEST_F(Library, PagesW53SearchesFiltersAndSorts) {
  add("old1", "Zebra crossing");
  add("old2", "STRASSE im Regen", media::Status::Ready, "prj1");
  add("old3", "alpha");
  add("new1", "Zebras at night", media::Status::Failed);
  add("new2", "Die Straße", media::Status::Processing, "prj1");
  add("new3", "waiting", media::Status::Queued);
  struct Case {
    std::string query;
    Ids expected;
  };
  for (const Case& c : std::vector<Case>{
           {"?q=zebra", {"new1", "old1"}},
           {"?q=stra%C3%9Fe", {"new2", "old2"}},
           {"?q=+ZEBRA+", {"new1", "old1"}},
           {"?q=%25", {}},
           {"?status=failed", {"new1"}},
           {"?status=processing", {"new3", "new2"}},
           {"?project=prj1", {"new2", "old2"}},
           {"?project=prj1&status=ready", {"old2"}},
           {"?project=prj1&q=zebra", {}},
           {"?q=zebra&sort=created", {"old1", "new1"}},
           {"?q=RA&sort=name", {"new2", "old2", "old1", "new1"}},
       }) {
    EXPECT_EQ(listed(c.query), c.expected) << c.query;
  }
  const Answer searched = browser_.ask(kLibrary + "?q=zebra&status=failed&sort=-name&project=prj1");
  EXPECT_TRUE(searched.has("value=\"zebra\"")) << searched.body;
  for (const char* chosen : {"\"failed\" selected", "\"-name\" selected", "\"prj1\" selected"})
    EXPECT_TRUE(searched.has(chosen)) << chosen;
  EXPECT_TRUE(searched.has("No media here has all of this."));
  EXPECT_TRUE(searched.has("Ads &amp; more"));
}

TEST_F(Library, PagesW53HasPagesOfFifty) {
  const Ids before = listed("");
  for (int i = 0; i < 120; ++i)
    add("film" + std::to_string(1000 + i), "Episode " + std::to_string(i));
  const Answer first = browser_.ask(kLibrary);
  EXPECT_EQ(ids(first).size(), 50u);
  EXPECT_EQ(ids(first).front(), "film1119");
  EXPECT_TRUE(first.has("Page 1 of 3")) << first.body;
  EXPECT_TRUE(first.has(std::to_string(120 + before.size()) + " media"));
  const Answer last = browser_.ask(link_to(first, "Last"));
  EXPECT_EQ(ids(last).size(), 20 + before.size());
  EXPECT_EQ(browser_.ask(link_to(last, "Previous")).body.find("film1069") == std::string::npos,
            false);
  EXPECT_EQ(ids(browser_.ask(kLibrary + "?page=99")), ids(last)) << "the last page";
  EXPECT_EQ(ids(browser_.ask(kLibrary + "?page=x")), ids(first));
  const Answer searched = browser_.ask(kLibrary + "?q=episode&sort=created");
  EXPECT_TRUE(searched.has("120 media"));
  EXPECT_EQ(ids(searched).front(), "film1000");
  const Answer next = browser_.ask(link_to(searched, "Next"));
  EXPECT_EQ(ids(next).front(), "film1050");
  EXPECT_TRUE(next.has("value=\"episode\"")) << "the search goes on";
}

// The number alone says that an account is large.
TEST_F(Library, PagesW53ALargeAccountIsSearchedInSteps) {
  for (int i = 0; i < 60; ++i)
    add("film" + std::to_string(1000 + i), "Episode " + std::to_string(1000 + i));
  listed("");
  stores().command({"HINCRBY", "catalog:index:{1002}", "medias", "100000"});
  const Answer first = browser_.ask(kLibrary + "?q=episode");
  EXPECT_EQ(ids(first).size(), 50u);
  EXPECT_EQ(ids(first).front(), "film1000") << "in the order of names";
  EXPECT_TRUE(first.has("“<bdi>Episode 1049</bdi>” were searched")) << first.body;
  const Answer rest = browser_.ask(link_to(first, "Search the names after it"));
  EXPECT_EQ(ids(rest).size(), 10u);
  EXPECT_EQ(link_to(rest, "Search the names after it"), "");
  EXPECT_EQ(ids(browser_.ask(link_to(rest, "Search again from the first name"))), ids(first));
  EXPECT_TRUE(browser_.ask(kLibrary).has("The pages have the first 100,000 media."));
}

TEST_F(Library, PagesW53ShowsPictureDurationAndProject) {
  media::Media one = film("pictured01", "Film & <b>");
  one.duration = 3723.4;
  one.native = media::Dimensions{640, 360};
  one.thumbnail = media::Thumbnail{"/files/pictured01/poster.jpg", media::Dimensions{640, 360}};
  one.project = media::ProjectId::parse("prj1");
  put(one);
  one = film("foreign0001", "Elsewhere");
  one.thumbnail = media::Thumbnail{"https://tracker.example/a.jpg", media::Dimensions{640, 360}};
  put(one);
  const Answer page = browser_.ask(kLibrary);
  for (const char* part :
       {"Film &amp; &lt;b&gt;", "Video, 1:02:03",
        "/files/pictured01/poster.jpg?image_crop_resized=320x180\"",
        "href=\"/settings/accounts/1002/media?project=prj1\"><bdi>Ads &amp; more<"})
    EXPECT_TRUE(page.has(part)) << part << page.body;
  EXPECT_FALSE(page.has("tracker.example"));
}

}  // namespace
}  // namespace svc::rules
