// pages.md: the pages of an account's media and projects.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "embed/watch_keys.h"
#include "fakes/manual_clock.h"
#include "media/media.h"
#include "rules/settings/settings.h"
#include "stores/catalog/catalog.h"
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
  EXPECT_TRUE(searched.has("Nothing here matches all of this."));
  EXPECT_TRUE(searched.has("Ads &amp; more"));
}

TEST_F(Library, PagesW176SeveralMediaAreChangedAfterOneQuestion) {
  stores().import(R"({"kind": "project", "id": "prj2", "account_id": 1002, "name": "Drafts", )"
                  R"("created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z"})"
                  "\n");
  add("many1", "One <1>");
  add("many2", "Two");
  add("many3", "Three");
  media::Media foreign = film("foreign0001", "Theirs");
  foreign.account = {1001};
  put(foreign);
  const Answer page = browser_.ask(kLibrary);
  EXPECT_TRUE(page.has("<input type=\"checkbox\" name=\"media\" value=\"many1\" form=\"many\">"))
      << page.body;
  // The search has the same address.
  Answer many = page;
  many.body = page.body.substr(page.body.rfind("<form", page.body.find("id=\"many\"")));
  const auto send = [&](const Ask::Fields& fields) {
    return browser_.submit(many, kLibrary, fields);
  };
  const Ask::Fields two{{"media", "many1"}, {"media", "many2"}};
  const auto with = [&](Ask::Fields fields) {
    fields.insert(fields.end(), two.begin(), two.end());
    return fields;
  };

  const Answer asked = send(with({{"action", "visibility"}, {"visibility", "unlisted"}}));
  EXPECT_EQ(asked.status, 200);
  EXPECT_TRUE(asked.has("<h1><bdi>Change who can watch 2 videos?</bdi></h1>")) << asked.body;
  EXPECT_TRUE(asked.has("<bdi>One &lt;1&gt;</bdi>") && asked.has("deliberate.js"));
  EXPECT_EQ(stores().events(), Events{}) << "a question changes nothing";
  EXPECT_TRUE(after(browser_, asked, kLibrary, {{"action", "visibility"}})
                  .has("The selected items are changed."));
  EXPECT_EQ(stores().events(),
            (Events{"media.access_changed 502 media many1 visibility=unlisted",
                    "media.access_changed 502 media many2 visibility=unlisted"}));
  EXPECT_TRUE(after(browser_, asked, kLibrary, {{"action", "visibility"}})
                  .has("The selected items are changed."))
      << "sent twice";

  const Answer where = send(with({{"action", "move"}, {"project_id", "prj2"}}));
  EXPECT_TRUE(where.has("Move 2 videos to “Drafts”?")) << where.body;
  EXPECT_TRUE(
      after(browser_, where, kLibrary, {{"action", "move"}}).has("The selected items are moved."));
  EXPECT_EQ(listed("?project=prj2&sort=name"), (Ids{"many1", "many2"}));

  const Answer sure = send(with({{"action", "delete"}, {"media", "foreign0001"}}));
  EXPECT_TRUE(sure.has("Delete 2 videos?")) << "not one of another account";
  EXPECT_TRUE(sure.has("This cannot be undone."));
  // Another user deletes one of them first.
  browser_.submit(browser_.ask(kLibrary + "/many1/delete"), kLibrary + "/many1/delete");
  EXPECT_TRUE(after(browser_, sure, kLibrary, {{"action", "delete"}})
                  .has("The selected items are deleted."));
  EXPECT_EQ(listed("?project=prj2"), Ids{});
  EXPECT_TRUE(after(browser_, sure, kLibrary, {{"action", "delete"}})
                  .has("The selected items are deleted."))
      << "sent twice";
  EXPECT_EQ(stores().events("media.removed 502 media many2"), 1u);

  for (const auto& [fields, why] : std::initializer_list<std::pair<Ask::Fields, std::string>>{
           {{{"action", "delete"}}, "Select at least one video."},
           {{{"action", "move"}, {"media", "many3"}, {"project_id", ""}}, "Choose a project."},
           {{{"action", "move"}, {"media", "many3"}, {"project_id", "prj1launch"}},
            "Choose a project."},
           {{{"action", "visibility"}, {"media", "many3"}, {"visibility", "x"}},
            "Choose who can watch."},
           {{{"action", "visibility"}, {"media", "many1"}, {"visibility", "public"}},
            "have been deleted."}}) {
    const Answer told = send(fields);
    EXPECT_EQ(told.status, 422) << why;
    EXPECT_TRUE(told.has("Nothing has been changed: ")) << told.body;
    EXPECT_TRUE(told.has(why)) << told.body;
  }
  EXPECT_EQ(send({{"action", "paint"}, {"media", "many3"}}).status, 405);
  EXPECT_EQ(send({{"action", "delete"}, {"media", "many3"}, {"csrf", "x"}}).status, 403);
  EXPECT_EQ(stores().events("media.removed 502 media many3"), 0u);
}

TEST_F(Library, PagesW53HasPagesOfFifty) {
  const Ids before = listed("");
  for (int i = 0; i < 120; ++i)
    add("film" + std::to_string(1000 + i), "Episode " + std::to_string(i));
  const Answer first = browser_.ask(kLibrary);
  EXPECT_EQ(ids(first).size(), 50u);
  EXPECT_EQ(ids(first).front(), "film1119");
  EXPECT_TRUE(first.has("Page 1 of 3")) << first.body;
  EXPECT_TRUE(first.has(std::to_string(120 + before.size()) + " items"));
  const Answer last = browser_.ask(link_to(first, "Last"));
  EXPECT_EQ(ids(last).size(), 20 + before.size());
  EXPECT_EQ(browser_.ask(link_to(last, "Previous")).body.find("film1069") == std::string::npos,
            false);
  EXPECT_EQ(ids(browser_.ask(kLibrary + "?page=99")), ids(last)) << "the last page";
  EXPECT_EQ(ids(browser_.ask(kLibrary + "?page=x")), ids(first));
  const Answer searched = browser_.ask(kLibrary + "?q=episode&sort=created");
  EXPECT_TRUE(searched.has("120 items"));
  EXPECT_EQ(ids(searched).front(), "film1000");
  const Answer next = browser_.ask(link_to(searched, "Next"));
  EXPECT_EQ(ids(next).front(), "film1050");
  EXPECT_TRUE(next.has("value=\"episode\"")) << "the search goes on";
}

// The index's count alone makes an account large.
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

TEST_F(Library, PagesW53AMediaWithABlankNameIsUntitled) {
  for (const auto& [id, name] : {std::pair("none1", ""), {"none2", " "}}) {
    add(id, name);
    const Answer listed = browser_.ask(kLibrary);
    EXPECT_TRUE(
        listed.has(std::string("/media/") + id + "\"><bdi class=\"clamp\">Untitled</bdi></a>"))
        << listed.body;
    const Answer page = browser_.ask(std::string(kLibrary) + "/" + id);
    EXPECT_TRUE(page.has("<title>Untitled · ")) << page.body;
    EXPECT_TRUE(page.has("<h1><bdi class=\"clamp\">Untitled</bdi></h1>"));
  }
}

TEST_F(Library, PagesW53AUserOfTheAccountReadsWhatIsForItsOwners) {
  browser_.log_in(kUmasId);
  const auto only = [](const std::string& does) {
    return "You are a user of this account. Only its owners and managers " + does +
           ": ask one of them.";
  };
  for (const auto& [page, title, does] :
       {std::tuple("/media", "Media", "see, upload and change its media"),
        {"/media/l4unchf1lm/edit", "Media", "see, upload and change its media"},
        {"/projects", "Projects", "see and change its projects"},
        {"/sites", "Sites", "choose where its films may be shown"},
        {"/stats", "Statistics", "see its statistics"},
        {"/applications", "Applications", "see and change its applications"}}) {
    const Answer told = browser_.ask(kAcme + std::string(page));
    EXPECT_EQ(told.status, 403) << page;
    EXPECT_TRUE(told.has("<title>" + std::string(title) + " ·")) << told.body;
    EXPECT_TRUE(told.has("<h1>" + std::string(title) + " of <bdi>Acme Films</bdi></h1>")) << page;
    EXPECT_TRUE(told.has(only(does))) << told.body;
  }
}

// --- a media ---

class MediaSettings : public Library {
 protected:
  MediaSettings() { add("film00001", "A film", media::Status::Ready, "prj1"); }
  std::string record(const std::string& key = "catalog:media:film00001") {
    return std::string(stores().command({"GET", key}).text().value_or(""));
  }
  bool has(const std::string& text) { return record().find(text) != std::string::npos; }
  // Sends a form of multipart/form-data with a file, after its page was opened.
  Answer send_file(const Answer& page, const std::string& action, const std::string& file,
                   const Ask::Fields& fields = {}) {
    std::string body;
    Ask::Fields all = form_in(page.body, action);
    for (const auto& [name, value] : fields) {
      std::erase_if(all, [&given = name](const auto& each) { return each.first == given; });
      all.emplace_back(name, value);
    }
    for (const auto& [name, value] : all) {
      if (name == "caption_file") continue;
      body +=
          "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    }
    body +=
        "--b\r\nContent-Disposition: form-data; name=\"caption_file\"; "
        "filename=\"a.srt\"\r\n\r\n" +
        file + "\r\n--b--\r\n";
    return browser_.ask(Ask("POST " + action)
                            .with("Origin", "null")
                            .with("Content-Type", "multipart/form-data; boundary=b")
                            .with_body(body));
  }

  static std::string token_in(const Answer& page) {
    const std::size_t at = page.body.find("?watch=");
    if (at == std::string::npos) return "none";
    return page.body.substr(at + 7, page.body.find('"', at) - at - 7);
  }
  // Opens the media with the token.
  auto opened(const std::string& token) {
    media::Reads reads;
    stores::Catalog catalog(stores().redis());
    const auto id = *media::HashedId::parse("film00001");
    const auto media = stores().run(catalog.find_media(id, media::Detail::Embed, reads));
    fakes::ManualWallClock clock;
    clock.advance(site_.now() - clock.now());
    const embed::WatchKeys keys(&stores().watch_keys(), clock);
    return keys.open(id, media->links_from, token);
  }

  const std::string path_ = kLibrary + "/film00001";
  const std::string links_ = path_ + "/links";
  const std::string edit_ = path_ + "/edit";
  const std::string captions_ = path_ + "/captions";
  const std::string look_ = path_ + "/look";
  const std::string chapters_ = path_ + "/chapters";
};

const std::string kHello = "1\n00:00:00,000 --> 00:00:02,000\nHello\n";
const std::string kBye = "1\n00:00:00,000 --> 00:00:02,000\nBye\n";

TEST_F(MediaSettings, PagesW3TitlesNameTheMedia) {
  put(film("film00001", "A <film>"));
  for (const auto& [page, title] : {std::pair("", ""),
                                    {"/edit", "Edit video – "},
                                    {"/delete", "Delete video – "},
                                    {"/links", "Links – "},
                                    {"/links/end", "End all links – "},
                                    {"/captions", "Captions – "},
                                    {"/look", "Player – "},
                                    {"/chapters", "Chapters – "},
                                    {"/poster", "Poster – "},
                                    {"/replace", "Replace the file – "},
                                    {"/stats", "Statistics – "}}) {
    const Answer shown = browser_.ask(path_ + page);
    EXPECT_TRUE(shown.has("<title>" + std::string(title) + "A &lt;film&gt; · ")) << shown.body;
  }
  const Answer told = browser_.submit(browser_.ask(edit_), edit_, {{"name", " "}});
  EXPECT_TRUE(told.has("<title>Not saved: Edit video – A &lt;film&gt; · ")) << told.body;
}

TEST_F(MediaSettings, PagesW54NameAndDescriptionAreEdited) {
  const Answer form = browser_.ask(edit_);
  const Ask::Fields typed{{"name", "  A <better> name "}, {"description", "<p>one\r\ntwo</p>"}};
  const Answer saved = after(browser_, form, edit_, typed);
  EXPECT_TRUE(saved.has("The changes are saved."));
  EXPECT_TRUE(saved.has("<h1><bdi class=\"clamp\">A &lt;better&gt; name<")) << saved.body;
  EXPECT_TRUE(saved.has("<bdi class=\"clamp\">one two<"));
  EXPECT_TRUE(has(R"("name":"A \u003cbetter\u003e name")")) << record();
  EXPECT_TRUE(has("one\\ntwo")) << record();
  EXPECT_EQ(after(browser_, form, edit_, typed).status, 200) << "sent twice";
  EXPECT_EQ(stores().events(), Events{"media.changed 502 media film00001 name description"});
  EXPECT_EQ(listed("?q=better").size(), 1u) << "the list follows";
}

TEST_F(MediaSettings, ApiV1TheSettingsShowAndChangeWhoFindsAMedia) {
  EXPECT_TRUE(browser_.ask(edit_).has("<option value=\"public\" selected>"));
  const Answer saved = after(browser_, browser_.ask(edit_), edit_, {{"visibility", "unlisted"}});
  EXPECT_TRUE(saved.has("Video, unlisted")) << saved.body;
  EXPECT_TRUE(browser_.ask(edit_).has("<option value=\"unlisted\" selected>"));
  EXPECT_EQ(stores().events(),
            Events{"media.access_changed 502 media film00001 visibility=unlisted"});
  const Answer told =
      browser_.submit(browser_.ask(edit_), edit_, {{"visibility", "secret"}, {"name", "Kept"}});
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("must be one of public, unlisted, private")) << told.body;
  EXPECT_TRUE(told.has("value=\"Kept\""));
}

TEST_F(MediaSettings, ApiV1TheFormRefusesAPrivateMediaWithAFileElsewhere) {
  media::Media one = film("elsewhere01", "A film");
  one.storyboard = "https://cdn.example/1.vtt";
  put(one);
  const std::string edit = kLibrary + "/elsewhere01/edit";
  const Answer told =
      browser_.submit(browser_.ask(edit), edit, {{"visibility", "private"}, {"name", "Kept"}});
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("https://cdn.example/1.vtt is not a file of this service")) << told.body;
  EXPECT_TRUE(told.has("value=\"Kept\""));
  EXPECT_EQ(stores().events(), Events{});
}

TEST_F(MediaSettings, PagesW128ThePagesSayWhoMayWatch) {
  EXPECT_TRUE(browser_.ask(path_).has("<p>Everyone, search engines too</p>"));
  const Answer hidden =
      after(browser_, browser_.ask(edit_), edit_,
            {{"visibility", "private"}, {"sites", "list"}, {"allowed_domains", "site.example"}});
  EXPECT_TRUE(hidden.has("<p>Only people to whom you give a link that ends</p>")) << hidden.body;
  EXPECT_TRUE(
      hidden.has("Its files are closed within a minute after a change. What browsers, "
                 "search engines or a CDN kept while it was public stays there"));
  EXPECT_TRUE(hidden.has("<li><bdi>site.example</bdi></li>"));
  EXPECT_FALSE(hidden.has("id=\"code-film00001\"")) << "it plays only with a link";
  EXPECT_TRUE(
      entry(browser_.ask(kLibrary), "media-film00001").find("Video, private, on some sites only") !=
      std::string::npos);
}

TEST_F(MediaSettings, PagesW128ALinkIsMadeAndShownOnce) {
  const Answer open = browser_.ask(links_);
  EXPECT_TRUE(open.has("</bdi> is public, so nobody needs a link,")) << open.body;
  after(browser_, browser_.ask(edit_), edit_, {{"visibility", "private"}});
  const Answer form = browser_.ask(links_);
  EXPECT_FALSE(form.has("so nobody needs a link"));
  const Answer made = browser_.submit(form, links_, {{"lasts", "day"}});
  EXPECT_EQ(made.status, 200);
  const std::string page = "https://embed.svc.example:8443/medias/film00001?watch=";
  const std::string token = token_in(made);
  EXPECT_TRUE(made.has("value=\"" + page + token + "\" readonly")) << made.body;
  EXPECT_EQ(count(made, "watch=" + token), 2u) << "also in an embed code" << made.body;
  EXPECT_EQ(opened(token)->ends, site_.now() + 86'400);
  EXPECT_EQ(opened(token)->domain, "");
  EXPECT_FALSE(browser_.ask(links_).has("watch="));
  EXPECT_EQ(stores().events("link.created 502 media film00001"), 1u);
  for (const auto& [fields, days] : {std::pair<Ask::Fields, int>({{"lasts", "week"}}, 7),
                                     {{{"lasts", "month"}}, 30},
                                     {{{"lasts", "year"}}, 365},
                                     {{{"lasts", "days"}, {"days", "366"}}, 366}}) {
    const Answer each = browser_.submit(form, links_, fields);
    EXPECT_EQ(opened(token_in(each))->ends, site_.now() + days * 86'400) << days;
  }
}

TEST_F(MediaSettings, PagesW160LinksAreListedAndEndAlone) {
  after(browser_, browser_.ask(edit_), edit_, {{"visibility", "private"}});
  EXPECT_FALSE(browser_.ask(links_).has("id=\"listed\""));
  const Answer first =
      browser_.submit(browser_.ask(links_), links_, {{"name", "For <Ann>"}, {"lasts", "day"}});
  EXPECT_TRUE(first.has("<option value=\"day\" selected>")) << "the choice stays" << first.body;
  EXPECT_TRUE(first.has("<h2 id=\"listed\">1 link</h2>"));
  const Answer second = browser_.submit(first, links_, {{"lasts", "days"}, {"days", "3"}});
  EXPECT_TRUE(second.has("<option value=\"days\" selected>"));
  EXPECT_TRUE(second.has("name=\"days\" value=\"3\""));
  const auto row = [](const Answer& page) {
    const std::size_t at = page.body.find("For &lt;Ann&gt;");
    const std::size_t begin = page.body.rfind("<li class=\"entry\">", at);
    if (at == std::string::npos || begin == std::string::npos) return std::string("none");
    return page.body.substr(begin, page.body.find("</li>", at) - begin);
  };
  const std::string ann = row(second);
  EXPECT_NE(ann.find("not opened yet"), std::string::npos) << second.body;
  EXPECT_NE(ann.find("by <bdi>Manuel"), std::string::npos) << ann;
  const std::size_t at = ann.find("action=\"") + 8;
  const std::string action = ann.substr(at, ann.find('"', at) - at);
  stores().command(
      {"HSET", "stats:openings:{media:film00001}", action.substr(links_.size() + 1, 13), "3"});
  EXPECT_NE(row(browser_.ask(links_)).find("opened 3 times"), std::string::npos);
  const Answer ended = after(browser_, second, action);
  EXPECT_TRUE(ended.has("The link is ended.")) << ended.body;
  EXPECT_FALSE(ended.has("For &lt;Ann&gt;"));
  EXPECT_TRUE(ended.has("<h2 id=\"listed\">1 link</h2>"));
  EXPECT_TRUE(after(browser_, second, action).has("The link is ended.")) << "sent twice";
  EXPECT_TRUE(opened(token_in(second))) << "the other stays";
}

TEST_F(MediaSettings, PagesW128ALinkForOneSiteIsAnEmbedCode) {
  after(browser_, browser_.ask(edit_), edit_, {{"visibility", "private"}});
  const Ask::Fields fields{{"lasts", "day"}, {"site", "Site.Example"}};
  const Answer made = browser_.submit(browser_.ask(links_), links_, fields);
  EXPECT_EQ(made.status, 200);
  EXPECT_TRUE(made.has(", only in pages of <bdi>site.example</bdi>")) << made.body;
  EXPECT_EQ(count(made, "?watch="), 1u) << made.body;
  EXPECT_TRUE(made.has("/embed/iframe/film00001?watch="));
  EXPECT_FALSE(made.has("Copy the link")) << "it has no page";
  add("waiting0001", "Waits", media::Status::Queued);
  const std::string waiting = kLibrary + "/waiting0001/links";
  const Answer told = browser_.submit(browser_.ask(waiting), waiting, fields);
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("id=\"site-problem\">A link for one site opens only in an embed code,"))
      << told.body;
  EXPECT_TRUE(told.has("value=\"Site.Example\""));
}

TEST_F(MediaSettings, PagesW128AWrongLinkIsToldAtItsField) {
  const Answer form = browser_.ask(links_);
  for (const auto& [fields, field] :
       {std::pair<Ask::Fields, std::string>({{"lasts", "ever"}}, "lasts"),
        {{{"lasts", "days"}}, "days"},
        {{{"lasts", "days"}, {"days", "367"}}, "days"},
        {{{"lasts", "week"}, {"days", "3"}}, "days"},
        {{{"lasts", "week"}, {"site", "https://site.example"}}, "site"}}) {
    const Answer told = browser_.submit(form, links_, fields);
    EXPECT_EQ(told.status, 422) << field;
    EXPECT_TRUE(told.has("<a href=\"#" + field + "\">")) << told.body;
    EXPECT_TRUE(told.has("id=\"" + field + "-problem\""));
    EXPECT_FALSE(told.has("watch="));
  }
  EXPECT_EQ(stores().events("link"), 0u);
}

TEST_F(MediaSettings, PagesW128AllLinksEndAfterAQuestion) {
  const std::string token =
      token_in(browser_.submit(browser_.ask(links_), links_, {{"lasts", "week"}}));
  ASSERT_TRUE(opened(token));
  EXPECT_TRUE(
      browser_.ask(links_).has("<p>After this, no link that was made before works. You "
                               "are asked to confirm.</p>"));
  const std::string end = links_ + "/end";
  const Answer asked = browser_.ask(end);
  EXPECT_TRUE(asked.has("End all links to <bdi>A film</bdi>?")) << asked.body;
  EXPECT_TRUE(opened(token));
  site_.pass(1);
  EXPECT_TRUE(after(browser_, asked, end).has("All links are ended."));
  EXPECT_FALSE(opened(token));
  EXPECT_EQ(stores().events("links.ended 502 media film00001 links_from"), 1u);
}

TEST_F(MediaSettings, PagesW128WithoutKeysThereAreNoLinks) {
  site_.restart({"--watch-key-file="});
  const Answer told = browser_.ask(links_);
  EXPECT_TRUE(told.has("its operator has set no <code>watch-key-file</code>")) << told.body;
  EXPECT_FALSE(told.has("Make a link"));
}

TEST_F(MediaSettings, PagesW128ItsPeopleSeeItsPictures) {
  media::Media one = film("guarded0001", "Guarded");
  one.native = media::Dimensions{640, 360};
  one.duration = 60;
  one.thumbnail = media::Thumbnail{"/files/guarded0001/poster.jpg", media::Dimensions{640, 360}};
  one.storyboard = "/files/guarded0001/storyboard.vtt";
  media::Asset& video = one.assets.emplace_back();
  video.type = media::AssetType::Mp4;
  video.url = "/files/guarded0001/video.mp4";
  video.size = media::Dimensions{640, 360};
  video.bandwidth = 1000;
  const std::string host = "https://embed.svc.example:8443";
  const std::string open = host + "/files/guarded0001/";
  const std::string crop = "poster.jpg?image_crop_resized=320x180\"";
  const auto is_signed = [&](const Answer& answer, const std::string& file) {
    const std::size_t at = answer.body.find("\"" + host + "/signed-files/");
    const std::size_t name = answer.body.find("/guarded0001/", at);
    return at != std::string::npos && answer.body.find("/" + file, name) != std::string::npos;
  };
  const std::string page = kLibrary + "/guarded0001";
  one.visibility = media::Visibility::Private;
  put(one);
  for (const std::string& path : {kLibrary, page, page + "/poster"}) {
    const Answer shown = browser_.ask(path);
    EXPECT_TRUE(is_signed(shown, crop)) << path << shown.body;
    EXPECT_FALSE(shown.has(open)) << path;
  }
  EXPECT_TRUE(browser_.ask(page + "/look").has("/embed/iframe/guarded0001?watch="));
  one.visibility = media::Visibility::Public;
  one.allowed_domains = media::AllowedDomains{"site.example"};
  put(one);
  const Answer restricted = browser_.ask(page + "/poster");
  EXPECT_TRUE(restricted.has(open + crop)) << "posters stay open";
  EXPECT_TRUE(is_signed(restricted, "storyboard")) << restricted.body;
  one.allowed_domains.reset();
  put(one);
  EXPECT_FALSE(browser_.ask(page + "/poster").has("/signed-files/"));
}

TEST_F(MediaSettings, PagesW128TheWayToTheEmbedCodesOpensThem) {
  const auto codes = [&](const std::string& id) {
    const std::string page = browser_.ask(kLibrary + "/" + id).body;
    const std::string begin = "href=\"https://app.svc.example/embed-codes?url=";
    const std::size_t at = page.find(begin) + begin.size();
    return page.substr(at, page.find('"', at) - at);
  };
  media::Media one = film("guarded0001", "Guarded");
  one.native = media::Dimensions{640, 360};
  media::Asset& video = one.assets.emplace_back();
  video.type = media::AssetType::Mp4;
  video.url = "/files/guarded0001/video.mp4";
  video.size = media::Dimensions{640, 360};
  video.bandwidth = 1000;
  put(one);
  EXPECT_EQ(codes("guarded0001"), "guarded0001");
  EXPECT_FALSE(browser_.ask(kLibrary + "/guarded0001").has("Watch it on its page"));
  one.visibility = media::Visibility::Private;
  put(one);
  const std::string watch =
      link_to(browser_.ask(kLibrary + "/guarded0001"), "Watch it on its page");
  const std::string host = "https://embed.svc.example:8443";
  ASSERT_TRUE(watch.starts_with(host + "/medias/guarded0001?watch=")) << watch;
  EXPECT_EQ(ask(watch.substr(host.size())).status, 200);
  const std::string link = codes("guarded0001");
  const Answer shown = ask("/embed-codes?url=" + link);
  const std::string frame = "/embed/iframe/guarded0001?watch=";
  const std::size_t at = shown.body.find(frame);
  ASSERT_NE(at, std::string::npos) << link << shown.body;
  EXPECT_TRUE(shown.has("The video is private, and the code plays until its link ends: "));
  const std::string target = shown.body.substr(at, shown.body.find_first_of("\"&", at) - at);
  EXPECT_EQ(ask(target).status, 200) << target;
  site_.pass(3600);
  EXPECT_EQ(ask(target).status, 403);
  EXPECT_EQ(ask(watch.substr(host.size())).status, 403);
  EXPECT_FALSE(ask("/embed-codes?url=guarded0001").has(frame)) << "nobody else sees it";
}

TEST_F(MediaSettings, PagesW121AMediaHasSitesOfItsOwn) {
  EXPECT_TRUE(browser_.ask(edit_).has("<option value=\"account\" selected>"));
  after(browser_, browser_.ask(edit_), edit_,
        {{"sites", "list"}, {"allowed_domains", "Site.Example\r\n*.b.example"}});
  EXPECT_EQ(stores().events(), Events{"media.access_changed 502 media film00001 allowed_domains"});
  const Answer page = browser_.ask(edit_);
  EXPECT_TRUE(page.has("<option value=\"list\" selected>"));
  EXPECT_TRUE(page.has(">site.example&#10;*.b.example&#10;</textarea>")) << page.body;
  for (const auto& [domains, why] :
       {std::pair("https://a.example", "has https://a.example, which must be"),
        {" ", "The list of sites is empty."}}) {
    const Answer told = browser_.submit(browser_.ask(edit_), edit_,
                                        {{"sites", "list"}, {"allowed_domains", domains}});
    EXPECT_EQ(told.status, 422) << domains;
    EXPECT_TRUE(told.has(why)) << told.body;
  }
  // A choice without the list drops the saved list, and keeps the entered values.
  for (const char* choice : {"any", "account"}) {
    const Answer told = browser_.submit(
        browser_.ask(edit_), edit_,
        {{"sites", choice}, {"allowed_domains", "site.example new.example"}, {"name", "Kept"}});
    EXPECT_EQ(told.status, 422) << choice;
    EXPECT_TRUE(
        told.has("id=\"allowed_domains-problem\">Choose &quot;Only on these sites&quot;, "
                 "or empty this field."))
        << told.body;
    EXPECT_TRUE(told.has(">site.example new.example</textarea>"));
    EXPECT_TRUE(told.has("value=\"" + std::string(choice) + "\" selected"));
    EXPECT_TRUE(told.has("value=\"Kept\""));
    EXPECT_FALSE(has("Kept") || has("new.example")) << record();
  }
  after(browser_, browser_.ask(edit_), edit_, {{"sites", "any"}});
  EXPECT_TRUE(browser_.ask(edit_).has("<option value=\"any\" selected>"));
  after(browser_, browser_.ask(edit_), edit_, {{"sites", "account"}});
  EXPECT_TRUE(browser_.ask(edit_).has("<option value=\"account\" selected>"));
}

TEST_F(MediaSettings, PagesW121FilmsWithFilesElsewhereAreForEverySite) {
  stores().take_files();
  media::Media one = film("elsewhere01", "Film");
  one.storyboard = "https://cdn.example/1.vtt";
  put(one);
  const std::string edit = kLibrary + "/elsewhere01/edit";
  const Answer own = browser_.submit(browser_.ask(edit), edit,
                                     {{"sites", "list"}, {"allowed_domains", "site.example"}});
  EXPECT_EQ(own.status, 422);
  EXPECT_TRUE(
      own.has("must allow every site: https://cdn.example/1.vtt is not a file of this "
              "service."))
      << own.body;
  EXPECT_TRUE(own.has(">site.example</textarea>")) << own.body;
  const std::string sites = "/settings/accounts/1002/sites";
  const Answer all =
      browser_.submit(browser_.ask(sites), sites, {{"allowed_domains", "site.example"}});
  EXPECT_EQ(all.status, 422);
  EXPECT_TRUE(
      all.has("must allow every site: https://cdn.example/1.vtt of the media elsewhere01 "
              "is not a file of this service."))
      << all.body;
  EXPECT_TRUE(all.has(">site.example</textarea>"));
  EXPECT_EQ(stores().events(), Events{});
}

TEST_F(MediaSettings, PagesW121AnAccountHasSites) {
  stores().take_files();
  const std::string sites = "/settings/accounts/1001/sites";
  const auto allowed = [&] {
    const std::string page = browser_.ask("/settings/accounts/1001/media/l4unchf1lm/edit").body;
    const std::string begin = "id=\"sites-hint\">";
    const std::size_t at = page.find(begin) + begin.size();
    return page.substr(at, page.find('<', at) - at);
  };
  EXPECT_EQ(allowed(), "The account allows now: every site");
  const Answer first = browser_.ask(sites);
  EXPECT_TRUE(first.has("Empty: every site"));
  after(browser_, first, sites, {{"allowed_domains", "a.example"}, {"no_referrer", "yes"}});
  EXPECT_EQ(stores().events(), Events{"sites.changed 502 allowed_domains"});
  const Answer page = browser_.ask(sites);
  EXPECT_TRUE(page.has(">a.example&#10;</textarea>")) << page.body;
  EXPECT_TRUE(page.has(" checked>"));
  const Answer wrong = browser_.submit(page, sites, {{"allowed_domains", "a.example b"}});
  EXPECT_EQ(wrong.status, 422);
  EXPECT_TRUE(wrong.has("The list of sites has b, which must be a host name")) << wrong.body;
  EXPECT_TRUE(wrong.has(">a.example b</textarea>"));
  // The first page is older than the saved list.
  const Answer late = browser_.submit(first, sites, {{"allowed_domains", "late.example"}});
  EXPECT_EQ(late.status, 409);
  EXPECT_TRUE(late.has("Another user changed this list"));
  EXPECT_TRUE(late.has("<bdi>a.example")) << late.body;
  after(browser_, late, sites, {});
  EXPECT_TRUE(browser_.ask(sites).has(">late.example&#10;</textarea>"));
  EXPECT_EQ(allowed(), "The account allows now: late.example");
}

TEST_F(MediaSettings, PagesW54RefusedValuesStayInTheForm) {
  const std::string before = record();
  const Answer told = browser_.submit(browser_.ask(edit_), edit_,
                                      {{"name", " "}, {"description", std::string(9000, 'x')}});
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("<a href=\"#name\">Enter a name.")) << told.body;
  EXPECT_TRUE(told.has("id=\"description-problem\">The description must be"));
  EXPECT_TRUE(told.has(std::string(9000, 'x')));
  EXPECT_EQ(record(), before);
  EXPECT_EQ(stores().events(), Events{});
}

TEST_F(MediaSettings, PagesW54AChangeOfAnotherUserIsShownAndNothingIsLost) {
  const Answer form = browser_.ask(edit_);
  stores().edit("catalog:media:film00001", "A film", "Theirs");
  const Answer told = browser_.submit(form, edit_, {{"name", "Mine"}});
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("Another user changed this video while you were editing it."));
  EXPECT_TRUE(told.has("<bdi>Theirs</bdi>")) << told.body;
  EXPECT_TRUE(told.has("value=\"Mine\""));
  EXPECT_TRUE(has("Theirs"));
  EXPECT_TRUE(after(browser_, told, edit_, {}).has("The changes are saved."));
  EXPECT_TRUE(has("Mine"));
}

TEST_F(MediaSettings, PagesW54AMediaMovesToAnotherProject) {
  stores().import(R"({"kind": "project", "id": "prj2", "account_id": 1002, "name": "Drafts", )"
                  R"("created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z"})"
                  "\n");
  const Answer page = browser_.ask(path_);
  EXPECT_TRUE(page.has("value=\"prj1\" selected")) << page.body;
  const Answer moved = after(browser_, page, path_ + "/move", {{"project_id", "prj2"}});
  EXPECT_TRUE(moved.has("The video is in its project."));
  EXPECT_TRUE(moved.has("value=\"prj2\" selected"));
  EXPECT_EQ(listed("?project=prj2"), Ids{"film00001"});
  EXPECT_EQ(after(browser_, page, path_ + "/move", {{"project_id", "prj2"}}).status, 200);
  EXPECT_EQ(stores().events(), Events{"media.moved 502 project prj2, media film00001"});
  // Projects of another account, and names of none.
  for (const char* project : {"prj1launch", "", "nothing"})
    EXPECT_EQ(browser_.submit(page, path_ + "/move", {{"project_id", project}}).status, 404)
        << project;
}

TEST_F(MediaSettings, PagesW34AMediaThatIsReadyIsDeletedAfterAQuestion) {
  const Answer page = browser_.ask(path_);
  const std::string question = path_ + "/delete";
  EXPECT_EQ(link_to(page, "Delete this video"), question);
  const Answer asked = browser_.ask(question);
  EXPECT_TRUE(asked.has("The video, its captions and all of its files are deleted"));
  EXPECT_TRUE(asked.has("deliberate.js"));
  EXPECT_TRUE(after(browser_, asked, question).has("The video is deleted."));
  EXPECT_EQ(record(), "");
  EXPECT_EQ(browser_.submit(asked, question).status, 303) << "sent twice";
  EXPECT_EQ(stores().events(), Events{"media.removed 502 media film00001"});
  EXPECT_EQ(listed("?project=prj1"), Ids{});
}

TEST_F(MediaSettings, PagesW54MediaOfOtherAccountsDoesNotExist) {
  media::Media one = film("foreign0001", "Theirs");
  one.account = {1001};
  one.project.reset();
  put(one);
  browser_.log_in(kManuelsId);
  import_paula();
  Browser paula(site_);
  paula.log_in(kPaulasId);
  for (const char* rest :
       {"", "/edit", "/delete", "/captions", "/captions/en", "/captions/en/delete",
        "/captions/en.vtt", "/look", "/poster", "/replace", "/nothing"}) {
    const Answer other = browser_.ask(kLibrary + "/foreign0001" + rest);
    EXPECT_EQ(other.status, 404) << rest;
    EXPECT_TRUE(other.has("Page not found")) << rest;
    EXPECT_EQ(paula.ask("/settings/accounts/1003/media/film00001" + std::string(rest)).status, 403)
        << rest;
  }
  EXPECT_EQ(browser_.ask("/settings/accounts/1002/projects/prj1launch").status, 404);
  EXPECT_EQ(browser_.ask(path_ + "/nothing").status, 404);
}

// --- its file ---

class Replacements : public MediaSettings {
 protected:
  Replacements() {
    put(with_file(film("film00001", "A film")));
    put(with_file(film("newcut001", "A film")));
  }
  static media::Media with_file(media::Media one) {
    media::Asset asset;
    asset.type = media::AssetType::Mp4;
    asset.url = "/files/" + one.id.value() + "/video.mp4";
    asset.size = media::Dimensions{640, 360};
    asset.bandwidth = 1'000'000;
    one.assets = {asset};
    one.duration = 16.43;
    one.native = asset.size;
    one.thumbnail = media::Thumbnail{"/files/" + one.id.value() + "/poster.jpg", asset.size};
    one.storyboard = "/files/" + one.id.value() + "/storyboard.vtt";
    return one;
  }
  media::Media image(const std::string& id) {
    media::Media one = film(id, "Image " + id);
    one.type = "Image";
    one.thumbnail = media::Thumbnail{"/files/" + id + "/original.png", media::Dimensions{800, 600}};
    return one;
  }
  // The values of the choices of that field, as the page shows them.
  static Ids choices(const Answer& page, const std::string& begin) {
    Ids found;
    for (std::size_t at = 0; (at = page.body.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      found.push_back(page.body.substr(at, page.body.find('"', at) - at));
    }
    return found;
  }

  const std::string replace_ = path_ + "/replace";
  const std::string poster_ = path_ + "/poster";
};

TEST_F(Replacements, PagesW62TheFileOfAnotherMediaReplacesIt) {
  put(image("picture01"));
  media::Media queued = film("queued001", "Queued");
  queued.status = media::Status::Queued;
  put(queued);
  EXPECT_EQ(link_to(browser_.ask(path_), "Take the file of another item of the account"), replace_);
  const Answer form = browser_.ask(replace_);
  EXPECT_EQ(choices(form, "<option value=\"").at(1), "newcut001") << form.body;
  EXPECT_FALSE(form.has("value=\"film00001\"")) << "not itself";
  EXPECT_FALSE(form.has("picture01") || form.has("queued001")) << form.body;
  EXPECT_TRUE(form.has("A film, 0:16, ")) << form.body;
  EXPECT_TRUE(form.has("The other item is deleted."));
  EXPECT_TRUE(form.has("deliberate.js"));
  const Answer replaced = after(browser_, form, replace_, {{"replacement", "newcut001"}});
  EXPECT_TRUE(replaced.has("The file is replaced.")) << replaced.body;
  EXPECT_TRUE(has("/files/newcut001/video.mp4")) << record();
  EXPECT_EQ(browser_.ask(kLibrary + "/newcut001").status, 404);
  EXPECT_EQ(after(browser_, form, replace_, {{"replacement", "newcut001"}}).status, 200);
  EXPECT_EQ(stores().events(),
            Events{"media.swapped 502 media film00001 replacement_media_id newcut001"});
}

TEST_F(Replacements, PagesW62ShowsEachErrorAtItsField) {
  put(image("picture01"));
  const std::string before = record();
  const Answer form = browser_.ask(replace_);
  struct Case {
    Ask::Fields fields;
    std::string field;
    std::string words;
  };
  for (const Case& c : {
           Case{{}, "replacement_id", "Choose an item, or enter its id."},
           Case{{{"replacement", "picture01"}},
                "replacement",
                "The replacement must be the id of a media of the type Video, as this one, not "
                "Image."},
           Case{{{"replacement", "newcut001"}, {"replacement_id", "film00001"}},
                "replacement_id",
                "Choose an item or enter an id, not both."},
           Case{{{"replacement_id", " film00001 "}},
                "replacement_id",
                "The replacement must be the id of another media."},
           Case{{{"replacement_id", "l4unchf1lm"}},
                "replacement_id",
                "The replacement must be the id of a media of this account."},
       }) {
    SCOPED_TRACE(c.words);
    const Answer told = browser_.submit(form, replace_, c.fields);
    EXPECT_EQ(told.status, 422);
    EXPECT_TRUE(told.has("<a href=\"#" + c.field + "\">" + c.words)) << told.body;
    EXPECT_TRUE(told.has("id=\"" + c.field + "-problem\">" + c.words));
  }
  EXPECT_TRUE(browser_.submit(form, replace_, {{"replacement_id", "x<y"}}).has("value=\"x&lt;y\""));
  EXPECT_EQ(record(), before);
  stores().edit("catalog:media:film00001", R"("status":"ready")", R"("status":"processing")");
  const Answer busy = browser_.submit(form, replace_, {{"replacement", "newcut001"}});
  EXPECT_EQ(busy.status, 409);
  EXPECT_TRUE(busy.has("id=\"replacement-problem\">The media is not ready:")) << busy.body;
  EXPECT_TRUE(busy.has("value=\"newcut001\" selected"));
}

TEST_F(Replacements, PagesW62AReplacementByAnotherUserIsNotReplacedUnseen) {
  const Answer form = browser_.ask(replace_);
  stores().edit("catalog:media:film00001", "/files/film00001/video.mp4",
                "/files/film00001/other.mp4");
  const Answer told = browser_.submit(form, replace_, {{"replacement", "newcut001"}});
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("The file was replaced while you were choosing."));
  EXPECT_TRUE(has("/files/film00001/other.mp4")) << "nothing changed";
  EXPECT_TRUE(
      after(browser_, told, replace_, {{"replacement", "newcut001"}}).has("The file is replaced."));
}

// --- its poster ---

TEST_F(Replacements, PagesW63AnImageBecomesThePosterAndTheOwnPosterComesBack) {
  put(image("picture01"));
  media::Media blank = image("blank0001");
  blank.thumbnail.reset();
  put(blank);
  EXPECT_EQ(link_to(browser_.ask(path_), "Change the poster"), poster_);
  const Answer form = browser_.ask(poster_);
  EXPECT_EQ(choices(form, "name=\"image\" value=\""), Ids{"picture01"}) << form.body;
  EXPECT_TRUE(form.has("/files/picture01/original.png?image_crop_resized=320x180"));
  EXPECT_FALSE(form.has("own poster</button>")) << "it is shown";
  const Ask::Fields chosen{{"from", "image"}, {"image", "picture01"}};
  EXPECT_TRUE(after(browser_, form, poster_, chosen).has("The changes are saved."));
  EXPECT_TRUE(has(R"("set_poster":{"source":"/files/picture01/original.png")")) << record();
  EXPECT_EQ(after(browser_, form, poster_, chosen).status, 200) << "sent twice";
  const Answer set = browser_.ask(poster_);
  EXPECT_TRUE(set.has("own poster</button>")) << set.body;
  after(browser_, set, poster_, {{"from", "own"}});
  EXPECT_FALSE(has("set_poster")) << record();
  const Events once{"media.changed 502 media film00001 new_still_media_id",
                    "media.changed 502 media film00001 new_still_media_id"};
  EXPECT_EQ(stores().events(), once);
}

TEST_F(Replacements, PagesW63APictureOfTheVideoIsChosenByItsTime) {
  const Answer form = browser_.ask(poster_);
  const Ids times = choices(form, "name=\"moment\" value=\"");
  EXPECT_EQ(times.size(), 9u) << form.body;
  EXPECT_EQ(times.at(1), "2000");
  EXPECT_TRUE(form.has("data-position=\"time\" hidden")) << "of the player beside it";
  EXPECT_TRUE(form.has("viewBox=\"160 0 160 90\"")) << form.body;
  EXPECT_TRUE(form.has("/files/film00001/storyboard.jpg\" width=\"1440\" height=\"90\""));
  for (const Ask::Fields& fields :
       {Ask::Fields{{"from", "video"}, {"moment", "4000"}},
        Ask::Fields{{"from", "video"}, {"moment", "4000"}, {"time", " 0:05.25 "}}}) {
    const Answer page = after(browser_, browser_.ask(poster_), poster_, fields);
    EXPECT_TRUE(page.has("is being made. Until then the former poster is shown.")) << page.body;
    EXPECT_TRUE(page.has("/files/film00001/poster.jpg?"));
    EXPECT_EQ(after(browser_, browser_.ask(poster_), poster_, fields).status, 200) << "twice";
  }
  EXPECT_TRUE(has(R"("next_poster":{"at":5250})")) << record();
  const Events each{"media.changed 502 media film00001 poster_time",
                    "media.changed 502 media film00001 poster_time"};
  EXPECT_EQ(stores().events(), each);
  EXPECT_EQ(stores().command({"XLEN", "ingest:deletions"}).integer(), 2);

  stores().edit("catalog:media:film00001", R"({"at":5250})", R"({"at":5250,"failed":true})");
  const std::string failed = "No picture could be made of the video at 0:05";
  EXPECT_TRUE(browser_.ask(path_).has(failed));
  EXPECT_TRUE(browser_.ask(poster_).has(failed));
  after(browser_, browser_.ask(poster_), poster_, {{"from", "video"}, {"time", "5.25"}});
  EXPECT_FALSE(browser_.ask(path_).has(failed)) << "it is tried again";
  after(browser_, browser_.ask(poster_), poster_, {{"from", "own"}});
  EXPECT_FALSE(has("next_poster")) << "the former poster stays";
}

TEST_F(Replacements, PagesW63ShowsEachErrorAtItsField) {
  const std::string before = record();
  const Answer form = browser_.ask(poster_);
  struct Case {
    Ask::Fields fields;
    std::string field;
    std::string words;
  };
  const std::string no_time = "The time must be one of the video, such as 0:05, from 0:00 to 0:16.";
  for (const Case& c : {
           Case{{{"from", "image"}}, "image_id", "Choose an image, or enter its id."},
           Case{{{"from", "image"}, {"image", "newcut001"}},
                "image",
                "The image must be the id of a media of the type Image, not Video."},
           Case{{{"from", "image"}, {"image_id", "n0thing"}},
                "image_id",
                "The image must be the id of a media of this account."},
           Case{{{"from", "video"}}, "time", "Choose a picture, or enter a time."},
           Case{{{"from", "video"}, {"time", "0:17"}}, "time", no_time},
           Case{{{"from", "video"}, {"time", "0:75"}}, "time", no_time},
           Case{{{"from", "video"}, {"time", "-1"}}, "time", no_time},
           Case{{{"from", "video"}, {"time", "1.2345"}}, "time", no_time},
           Case{{{"from", "video"}, {"time", "0:0:0:1"}}, "time", no_time},
           Case{{{"from", "video"}, {"moment", "17000"}}, "moment", no_time},
       }) {
    SCOPED_TRACE(c.words);
    const Answer told = browser_.submit(form, poster_, c.fields);
    EXPECT_EQ(told.status, 422);
    EXPECT_TRUE(told.has("<a href=\"#" + c.field + "\">" + c.words)) << told.body;
    EXPECT_TRUE(told.has("id=\"" + c.field + "-problem\">" + c.words)) << told.body;
  }
  EXPECT_EQ(record(), before);
  EXPECT_EQ(stores().events(), Events{});
}

TEST_F(Replacements, PagesW63AVideoElsewhereOffersOnlyImages) {
  media::Media one = with_file(film("elsewhere1", "Elsewhere"));
  one.assets.front().url = "https://video.example/a.mp4";
  put(one);
  const std::string path = kLibrary + "/elsewhere1/poster";
  const Answer form = browser_.ask(path);
  EXPECT_FALSE(form.has("name=\"time\"")) << form.body;
  EXPECT_TRUE(form.has("name=\"image_id\""));
  const Answer told = browser_.submit(form, path, {{"from", "video"}, {"time", "0:01"}});
  EXPECT_EQ(told.status, 422);
}

TEST_F(Replacements, PagesW63APosterOfAnotherUserIsShown) {
  put(image("picture01"));
  put(image("picture02"));
  const Answer form = browser_.ask(poster_);
  after(browser_, form, poster_, {{"from", "image"}, {"image", "picture02"}});
  const Answer told = browser_.submit(form, poster_, {{"from", "image"}, {"image", "picture01"}});
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("Another user changed the poster while you were choosing."));
  EXPECT_TRUE(told.has("aria-label=\"The present poster\""));
  EXPECT_TRUE(told.has("value=\"picture01\" checked")) << told.body;
  EXPECT_TRUE(has("/files/picture02/original.png"));
  after(browser_, told, poster_, {{"from", "image"}, {"image", "picture01"}});
  EXPECT_TRUE(has("/files/picture01/original.png")) << record();
}

// --- captions ---

TEST_F(MediaSettings, PagesW55CaptionsAreAddedReplacedReadAndDeleted) {
  const Answer form = browser_.ask(captions_);
  EXPECT_TRUE(form.has("There are no captions yet."));
  const Answer sent = send_file(form, captions_, kHello, {{"language", "DEU"}});
  ASSERT_EQ(sent.status, 303) << sent.body;
  const Answer added = browser_.follow(sent);
  EXPECT_TRUE(added.has("The captions are saved."));
  EXPECT_TRUE(added.has("German (de)")) << added.body;
  EXPECT_EQ(send_file(form, captions_, kHello, {{"language", "de"}}).status, 303) << "sent twice";
  const Answer text = browser_.ask(captions_ + "/de.vtt");
  EXPECT_EQ(text.type, "text/vtt; charset=utf-8");
  EXPECT_EQ(text.header("Content-Disposition"), "attachment; filename=\"film00001-de.vtt\"");
  EXPECT_EQ(text.body, "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nHello\n");
  EXPECT_EQ(browser_.ask(captions_ + "/de.srt").body, "1\n00:00:00,000 --> 00:00:02,000\nHello\n");
  const std::string one = captions_ + "/de";
  const Answer replacing = browser_.ask(one);
  EXPECT_EQ(send_file(replacing, one, kBye).status, 303);
  EXPECT_EQ(send_file(replacing, one, kBye).status, 303) << "sent twice";
  EXPECT_TRUE(browser_.ask(one + ".vtt").has("Bye"));
  const Answer asked = browser_.ask(one + "/delete");
  EXPECT_TRUE(after(browser_, asked, one + "/delete").has("The captions are deleted."));
  EXPECT_EQ(browser_.submit(asked, one + "/delete").status, 303) << "sent twice";
  EXPECT_EQ(browser_.ask(one).status, 404);
  EXPECT_EQ(stores().events(), (Events{"captions.changed 502 media film00001 de",
                                       "captions.changed 502 media film00001 de",
                                       "captions.deleted 502 media film00001 de"}));
}

TEST_F(MediaSettings, PagesW55ShowsEachErrorAtItsField) {
  const Answer form = browser_.ask(captions_);
  send_file(form, captions_, kHello, {{"language", "en"}});
  struct Case {
    std::string name, language, file, field, says;
  };
  for (const Case& c : {
           Case{"no language", "", kHello, "language", "The language must be one of the list"},
           Case{"no tag", "en_!", kHello, "language", "The language must be one of the list"},
           Case{"no registered language", "xx-unknown", kHello, "language",
                "The language must be one of the list, or a language code of ISO 639 or a tag of "
                "BCP 47, such as en or pt-BR; xx is not registered."},
           Case{"there are some", "en", kBye, "language",
                "There are captions in this language already."},
           Case{"no file", "fr", "", "caption_file", "Choose a file of captions."},
           Case{"no captions", "fr", "<html>", "caption_file",
                "The captions must be SRT or WebVTT"},
           Case{"too large", "fr", std::string((2 << 20) + 1, 'x'), "caption_file",
                "The file is larger than 2 MB."},
       }) {
    SCOPED_TRACE(c.name);
    const Answer told = send_file(form, captions_, c.file, {{"language", c.language}});
    EXPECT_EQ(told.status, 422);
    EXPECT_TRUE(told.has("<a href=\"#" + c.field + "\">" + c.says)) << told.body;
    EXPECT_TRUE(told.has("id=\"" + c.field + "-problem\">" + c.says));
    EXPECT_TRUE(told.has("value=\"" + c.language + "\"")) << "it stays in the form";
  }
  EXPECT_EQ(stores().events().size(), 1u);
}

TEST_F(MediaSettings, PagesW174AMediaThatNeverPlaysHasNoSectionsAboutPlaying) {
  struct Case {
    std::string name, type;
    media::Status status;
    bool watched, played;
  };
  for (const Case& c : {
           Case{"a film", "Video", media::Status::Ready, true, true},
           Case{"a film that waits", "Video", media::Status::Queued, true, false},
           Case{"a film that failed", "Video", media::Status::Failed, false, false},
           Case{"a picture", "Image", media::Status::Ready, false, false},
           Case{"a document", "PdfDocument", media::Status::Ready, false, false},
           Case{"an audio without a file", "Audio", media::Status::Ready, false, false},
       }) {
    SCOPED_TRACE(c.name);
    media::Media one = film("film00001", "A film");
    one.type = c.type;
    one.status = c.status;
    if (c.type == "Audio") one.assets.clear();
    put(one);
    const Answer page = browser_.ask(path_);
    for (const char* const id : {"watch"})
      EXPECT_EQ(page.has("<h2 id=\"" + std::string(id) + "\""), c.watched) << id << page.body;
    for (const char* const id : {"statistics", "captions", "chapters", "poster", "look"})
      EXPECT_EQ(page.has("<h2 id=\"" + std::string(id) + "\""), c.played) << id;
    EXPECT_EQ(page.has(">Make or end links</a>"), c.watched);
    EXPECT_EQ(page.has(">Embed code</label>"), c.played);
    EXPECT_TRUE(page.has("<h2 id=\"delete\""));
  }
}

TEST_F(MediaSettings, PagesW170LanguagesOfCaptionsAreChosenByName) {
  const Answer form = browser_.ask(captions_);
  EXPECT_TRUE(form.has("list=\"languages\"")) << form.body;
  EXPECT_TRUE(form.has("<option value=\"German · Deutsch (de)\">"));
  EXPECT_TRUE(form.has("<option value=\"English (en)\">"));
  for (const char* typed : {"English", "Deutsch", "French · français (fr)", "Portuguese (Brazil)"})
    EXPECT_EQ(send_file(form, captions_, kHello, {{"language", typed}}).status, 303) << typed;
  EXPECT_EQ(stores().events(), (Events{"captions.changed 502 media film00001 en",
                                       "captions.changed 502 media film00001 de",
                                       "captions.changed 502 media film00001 fr",
                                       "captions.changed 502 media film00001 pt-BR"}));
  const Answer german = browser_.ask(Ask(captions_).with("Accept-Language", "de"));
  EXPECT_TRUE(german.has("<option value=\"Japanisch · Japanese · 日本語 (ja)\">")) << german.body;
  EXPECT_TRUE(german.has("<option value=\"Deutsch · German (de)\">"));
}

TEST_F(MediaSettings, PagesW55ReplacementsOfAnotherUserAreNotOverwrittenUnseen) {
  send_file(browser_.ask(captions_), captions_, kHello, {{"language", "en"}});
  const std::string one = captions_ + "/en";
  const Answer form = browser_.ask(one);
  send_file(browser_.ask(one), one, kBye);
  const Answer told = send_file(form, one, "1\n00:00:00,000 --> 00:00:02,000\nMine\n");
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("Another user has changed these captions since")) << told.body;
  EXPECT_TRUE(browser_.ask(one + ".vtt").has("Bye"));
  EXPECT_EQ(send_file(told, one, "1\n00:00:00,000 --> 00:00:02,000\nMine\n").status, 303);
  EXPECT_TRUE(browser_.ask(one + ".vtt").has("Mine"));
}

// --- the player ---

TEST_F(MediaSettings, PagesW56OptionsOfThePlayerAreSavedWithTheMedia) {
  media::Media one = film("film00001", "A film");
  one.customizations = {{"seo", false}, {"playbar", false}, {"volume", 0.5}};
  put(one);
  const Answer form = browser_.ask(look_);
  EXPECT_TRUE(form.has("name=\"playbar\" value=\"false\" checked")) << form.body;
  EXPECT_FALSE(form.has("name=\"handle\"")) << "an option of codes only";
  EXPECT_FALSE(form.has("name=\"width\""));
  EXPECT_FALSE(form.has("name=\"playlistLoop\""));
  const Ask::Fields typed{{"playerColor", "#00FF00"},
                          {"autoPlay", "true"},
                          {"endVideoBehavior", "loop"},
                          {"playbar", ""}};
  const Answer saved = after(browser_, form, look_, typed);
  EXPECT_TRUE(saved.has("The changes are saved."));
  EXPECT_TRUE(saved.has("The player has options of its own for this video."));
  EXPECT_TRUE(has(R"("customizations":{"autoPlay":true,"endVideoBehavior":"loop",)"
                  R"("playerColor":"00FF00","seo":false,"volume":0.5})"))
      << record();
  after(browser_, form, look_, typed);
  EXPECT_EQ(stores().events(),
            Events{"customizations.changed 502 media film00001 autoPlay endVideoBehavior playbar "
                   "playerColor"});
  const Answer told = browser_.submit(form, look_, {{"volume", "loud"}, {"muted", "true"}});
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("<a href=\"#volume\">Volume, 0 to 1: must be a number")) << told.body;
  EXPECT_TRUE(told.has("value=\"loud\""));
}

TEST_F(MediaSettings, PagesW56APreviewSavesNothing) {
  const std::string before = record();
  const Answer form = browser_.ask(look_);
  const Answer shown = browser_.submit(form, look_, {{"playbar", "false"}, {"preview", "1"}});
  EXPECT_EQ(shown.status, 200);
  EXPECT_TRUE(shown.has("The preview is not saved yet."));
  EXPECT_TRUE(shown.has("/embed/iframe/film00001?playbar=false\"")) << shown.body;
  EXPECT_TRUE(shown.has("name=\"playbar\" value=\"false\" checked"));
  const Answer asked = browser_.ask(look_ + "?playbar=false&preview=1");
  EXPECT_TRUE(asked.has("/embed/iframe/film00001?playbar=false\""));
  EXPECT_NE(
      asked.header("Content-Security-Policy").find("frame-src https://embed.svc.example:8443;"),
      std::string::npos);
  EXPECT_EQ(record(), before);
}

TEST_F(MediaSettings, PagesW56OptionsOfAnotherUserAreShown) {
  const Answer form = browser_.ask(look_);
  const Answer theirs = browser_.ask(look_);
  after(browser_, theirs, look_, {{"muted", "true"}});
  const Answer told = browser_.submit(form, look_, {{"playerColor", "ff0000"}});
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("<dt><code>muted</code></dt>")) << told.body;
  EXPECT_TRUE(told.has("value=\"ff0000\""));
  EXPECT_TRUE(has(R"("customizations":{"muted":true})"));
  after(browser_, told, look_);
  EXPECT_TRUE(has(R"("playerColor":"ff0000")"));
}

// --- chapters ---

TEST_F(MediaSettings, PagesW58ChaptersAreAddedChangedSortedAndDeleted) {
  const Answer empty = browser_.ask(chapters_);
  EXPECT_EQ(count(empty, "name=\"title-"), 3u) << empty.body;
  const Ask::Fields typed{{"time-1", "1:02.5"},
                          {"title-1", "The end & more"},
                          {"time-3", "0:00"},
                          {"title-3", "Start"}};
  const Answer saved = after(browser_, empty, chapters_, typed);
  EXPECT_TRUE(saved.has("The chapters are saved."));
  EXPECT_TRUE(
      has(R"("chapters":[{"at":0,"title":"Start"},{"at":62500,"title":"The end \u0026 more"}])"))
      << record();
  EXPECT_TRUE(saved.has("name=\"time-1\" value=\"0:00\"")) << saved.body;
  EXPECT_TRUE(saved.has("name=\"time-2\" value=\"1:02.5\""));
  EXPECT_TRUE(saved.has("name=\"title-2\" value=\"The end &amp; more\""));
  EXPECT_TRUE(browser_.ask(path_).has("1:02.5</span> <bdi>The end &amp; more</bdi>"));
  after(browser_, empty, chapters_, typed);
  EXPECT_EQ(stores().events(), Events{"media.changed 502 media film00001 chapters"})
      << "sent twice";
  const Ask::Fields changed{{"delete-1", "1"}, {"title-2", "Credits"}, {"time-2", "1:05"}};
  const Answer again = after(browser_, saved, chapters_, changed);
  EXPECT_TRUE(has(R"("chapters":[{"at":65000,"title":"Credits"}])")) << record();
  after(browser_, again, chapters_, {{"time-1", ""}, {"title-1", ""}});
  EXPECT_FALSE(has("chapters")) << record();
}

TEST_F(MediaSettings, PagesW58ProblemsAreAtTheirFieldsAndInputStays) {
  const std::string before = record();
  const Answer page = browser_.ask(chapters_);
  struct Case {
    Ask::Fields typed;
    std::string field, problem;
  };
  for (const Case& c : std::vector<Case>{
           {{{"time-2", "soon"}, {"title-2", "Kept"}}, "time-2", "The time must be minutes"},
           {{{"time-1", ""}, {"title-1", "Kept"}}, "time-1", "The time must be minutes"},
           {{{"time-1", "1:2:3:4"}, {"title-1", "Kept"}}, "time-1", "The time must be minutes"},
           {{{"time-1", "1.2345"}, {"title-1", "Kept"}}, "time-1", "The time must be minutes"},
           {{{"time-1", "0:75"}, {"title-1", "Kept"}}, "time-1", "The time must be minutes"},
           {{{"time-1", "12"}, {"title-1", ""}}, "title-1", "Enter a title"},
           {{{"time-1", "12"}, {"title-1", std::string(257, 'a')}},
            "title-1",
            "The title must have at most 256 bytes in JSON"},
           {{{"time-1", "12"}, {"title-1", "a\xc2\x85z"}},
            "title-1",
            "The title must not have control"},
           {{{"time-1", "12"}, {"title-1", "A"}, {"time-2", "0:12"}, {"title-2", "Kept"}},
            "time-2",
            "Another chapter begins at this time."},
       }) {
    const Answer told = browser_.submit(page, chapters_, c.typed);
    EXPECT_EQ(told.status, 422) << c.problem;
    EXPECT_TRUE(told.has("<a href=\"#" + c.field + "\">")) << told.body;
    EXPECT_TRUE(told.has("id=\"" + c.field + "-problem\">")) << told.body;
    EXPECT_TRUE(told.has(c.problem)) << told.body;
    for (const auto& [name, value] : c.typed)
      EXPECT_TRUE(told.has("name=\"" + name + "\" value=\"" + value + "\"")) << name;
  }
  EXPECT_EQ(record(), before);
}

TEST_F(MediaSettings, PagesW58HasTwoHundredChapters) {
  const auto rows = [](int last) {
    Ask::Fields typed;
    for (int i = 1; i <= last; ++i) {
      typed.emplace_back("time-" + std::to_string(i), std::to_string(i));
      typed.emplace_back("title-" + std::to_string(i), "Part " + std::to_string(i));
    }
    return typed;
  };
  const Answer page = browser_.ask(chapters_);
  const Answer told = browser_.submit(page, chapters_, rows(201));
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("<a href=\"#time-201\">A video has at most 200 chapters.")) << told.body;
  const Answer saved = after(browser_, page, chapters_, rows(200));
  EXPECT_EQ(count(saved, "name=\"title-"), 200u) << "no further row";
  EXPECT_FALSE(saved.has("More rows"));
}

TEST_F(MediaSettings, PagesW58MoreRowsSaveNothing) {
  const std::string before = record();
  const Answer more = browser_.submit(browser_.ask(chapters_), chapters_,
                                      {{"time-1", "whenever"}, {"title-1", "Kept"}, {"more", "1"}});
  EXPECT_EQ(more.status, 200);
  EXPECT_EQ(count(more, "name=\"title-"), 13u);
  EXPECT_TRUE(more.has("value=\"whenever\""));
  EXPECT_EQ(record(), before);
}

TEST_F(MediaSettings, PagesW58ChaptersOfAnotherUserAreShown) {
  const Answer form = browser_.ask(chapters_);
  const Answer theirs = browser_.ask(chapters_);
  after(browser_, theirs, chapters_, {{"time-1", "7"}, {"title-1", "Theirs"}});
  const Answer told = browser_.submit(form, chapters_, {{"time-1", "9"}, {"title-1", "Mine"}});
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("<li><bdi>0:07 Theirs</bdi></li>")) << told.body;
  EXPECT_TRUE(told.has("value=\"Mine\""));
  EXPECT_TRUE(has("Theirs"));
  after(browser_, told, chapters_);
  EXPECT_TRUE(has(R"("chapters":[{"at":9000,"title":"Mine"}])")) << record();
}

// --- projects ---

TEST_F(Library, PagesW57ProjectsAreCreatedEditedAndDeleted) {
  const std::string list = "/settings/accounts/1002/projects";
  const Answer page = browser_.ask(list);
  EXPECT_TRUE(page.has("<bdi>Ads &amp; more</bdi>")) << page.body;
  const Ask::Fields typed{{"name", "New <one>"}, {"description", "For summer"}};
  const Answer created = after(browser_, page, list, typed);
  EXPECT_TRUE(created.has("The project is created."));
  EXPECT_EQ(count(after(browser_, page, list, typed), "New &lt;one&gt;</bdi></a>"), 1u)
      << "sent twice";
  const std::string edit = link_to(created, "Edit<span class=\"unseen\"> New &lt;one&gt;</span>");
  const Answer form = browser_.ask(edit);
  EXPECT_TRUE(after(browser_, form, edit, {{"name", "Renamed"}}).has("<bdi>Renamed</bdi>"));
  const Answer told = browser_.submit(form, edit, {{"name", "Too late"}});
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("<bdi>Renamed</bdi>"));
  EXPECT_TRUE(told.has("value=\"Too late\""));
  const Answer refused = browser_.submit(page, list, {{"name", ""}, {"description", "Kept"}});
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.has("id=\"name-problem\">Enter a name."));
  EXPECT_TRUE(refused.has(">Kept</textarea>")) << refused.body;
  const Answer asked = browser_.ask(edit + "/delete");
  EXPECT_TRUE(after(browser_, asked, edit + "/delete").has("The project is deleted."));
  EXPECT_EQ(browser_.submit(asked, edit + "/delete").status, 303) << "sent twice";
  EXPECT_EQ(browser_.ask(edit).status, 404);
  const std::string id = edit.substr(list.size() + 1);
  EXPECT_EQ(stores().events(), (Events{"project.created 502 project " + id,
                                       "project.changed 502 project " + id + " name",
                                       "project.deleted 502 project " + id}));
}

TEST_F(Library, PagesW57OnlyAnEmptyProjectIsDeleted) {
  const std::string deletion = "/settings/accounts/1002/projects/prj1/delete";
  const Answer empty = browser_.ask(deletion);
  add("film00001", "A film", media::Status::Ready, "prj1");
  const Answer told = browser_.submit(empty, deletion);
  EXPECT_EQ(told.status, 409);
  EXPECT_TRUE(told.has("The project has 1 item. Only an empty project is deleted")) << told.body;
  const Answer asked = browser_.ask(deletion);
  EXPECT_FALSE(asked.has("Delete the project</button>"));
  EXPECT_EQ(stores().events(), Events{});
  EXPECT_EQ(listed("?project=prj1"), Ids{"film00001"});
}

}  // namespace
}  // namespace svc::rules
