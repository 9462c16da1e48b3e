#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "embed/watch_keys.h"
#include "integration/ctl/command_fixture.h"
#include "stores/catalog/catalog.h"
#include "text/rfc3339.h"

namespace svc {
namespace {

using integration::Ran;

class Media : public integration::CommandFixture {
 protected:
  Ran media(const std::vector<std::string>& words) { return run(ctl::media_commands(), words); }

  void add(const std::string& id, const std::string& more = "", int account = 41,
           const std::string& name = "Film") {
    set("catalog:media:" + id,
        R"({"id":")" + id + R"(","account_id":)" + std::to_string(account) +
            R"(,"type":"Video","name":")" + name +
            R"(","status":"ready","duration":16.43,"width":null,"height":null,"player_color":""})" +
            "\n{" + more +
            R"("description":"","created":"2026-01-05T09:00:00Z","updated":"2026-01-06T09:00:00Z",)" +
            R"("assets":[]})");
  }
  void add_playlist(const std::string& id, const std::string& medias) {
    set("catalog:playlist:" + id,
        R"({"id":")" + id + R"(","account_id":41,"name":"P","media_ids":[)" + medias + "]}");
  }
  std::string playlist(const std::string& id) {
    const std::string record = server_.text({"GET", "catalog:playlist:" + id});
    return record.substr(record.find("media_ids\":") + 11);
  }
  bool exists(const std::string& key) { return server_.command({"EXISTS", key}).integer() == 1; }
};

TEST_F(Media, AreListedAsATableOrAsJson) {
  EXPECT_EQ(media({"list"}).err, "no media\n");
  add("abc", R"("project_id":"prj1",)");
  const Ran plain = media({"list"});
  EXPECT_EQ(plain.status, 0);
  EXPECT_EQ(plain.out,
            "HASHED ID   ACCOUNT  TYPE   STATUS      SECONDS   NAME\n"
            "abc         41       Video  ready       16.43     Film\n");
  EXPECT_EQ(media({"list", "--json"}).out,
            R"({"hashed_id":"abc","account_id":41,"project_id":"prj1","type":"Video",)"
            R"("status":"ready","name":"Film","duration":16.43,"created":"2026-01-05T09:00:00Z",)"
            R"("updated":"2026-01-06T09:00:00Z"})"
            "\n");
}

TEST_F(Media, AreShownWithTheirCaptions) {
  add("abc", R"("captions":[{"url":"/d/en.vtt","language":"en","label":"English","default":true},)"
             R"({"url":"/d/de.m3u8","language":"de","label":"Deutsch","default":false}],)");
  const std::string shown = media({"show", "abc", "--json"}).out;
  EXPECT_NE(shown.find(R"("assets":[],"captions":["en English /d/en.vtt default",)"
                       R"("de Deutsch /d/de.m3u8"])"),
            std::string::npos)
      << shown;
}

TEST_F(Media, AreListedByAccountAndProject) {
  add("a", R"("project_id":"prj1",)");
  add("b", R"("project_id":"prj2",)");
  add("c", "", 42);
  const auto ids = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"list", "--limit", "10", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string out = media(words).out;
    std::string found;
    for (const char* id : {"a", "b", "c"}) {
      if (out.find("hashed_id\":\"" + std::string(id) + '"') != std::string::npos) found += id;
    }
    return found;
  };
  EXPECT_EQ(ids({}), "abc");
  EXPECT_EQ(ids({"--account", "41"}), "ab");
  EXPECT_EQ(ids({"--account", "42"}), "c");
  EXPECT_EQ(ids({"--project", "prj2"}), "b");
  EXPECT_EQ(ids({"--project", "prj2", "--account", "42"}), "");
}

TEST_F(Media, PagesContainEachMediaOnceInOrder) {
  for (int i = 0; i < 2500; ++i) add("m" + std::to_string(10'000 + i));
  const std::string all = media({"list", "--json"}).out;
  EXPECT_EQ(std::ranges::count(all, '\n'), 2500);
  std::vector<std::string> found;
  std::string after;
  for (int pages = 0; pages < 3; ++pages) {
    std::vector<std::string> words{"list", "--limit", "1000"};
    if (!after.empty()) words.insert(words.end(), {"--after", after});
    const Ran page = media(words);
    ASSERT_EQ(page.status, 0) << page.err;
    std::istringstream lines(page.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("HASHED ID"));
    while (std::getline(lines, line)) found.push_back(line.substr(0, line.find(' ')));
    after = found.back();
    EXPECT_EQ(page.err, pages < 2 ? "there are more: --after " + after + "\n" : "");
  }
  EXPECT_EQ(found.size(), 2500u);
  EXPECT_TRUE(std::ranges::is_sorted(found));
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 2500u);
  EXPECT_EQ(media({"list", "--limit", "5", "--after", after}).err, "no media\n");
  EXPECT_EQ(media({"list", "--after", after}).status, 2) << "--limit is missing";
  EXPECT_EQ(media({"list", "--limit", "0"}).status, 2);
}

TEST_F(Media, ListsTheOthersIfARecordCannotBeRead) {
  add("a");
  set("catalog:media:b", "{");
  server_.command({"HSET", "catalog:media:c", "not", "a string"});
  const Ran ran = media({"list", "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("the record catalog:media:c cannot be read"), std::string::npos);
  EXPECT_NE(ran.out.find(R"("hashed_id":"a")"), std::string::npos);
  EXPECT_NE(ran.err.find("the record catalog:media:b cannot be read"), std::string::npos);
}

TEST_F(Media, OperationsD59AFolderIsThatOfOneMediaOrMayBeDeleted) {
  add("abc", R"("folders":["given"],)");
  set("catalog:files:given", "abc");
  add("stale");
  set("catalog:files:stale", "abc");
  server_.command({"XADD", "ingest:deletions", "*", "job", "set-poster", "media", "abc", "account",
                   "41", "source", "/files/picture/original.png"});
  for (const auto& [folder, owner] : std::vector<std::pair<std::string, std::string>>{
           {"abc", "abc"}, {"given", "abc"}, {"stale", "stale"}}) {
    EXPECT_EQ(media({"of", folder, "--json"}).out,
              R"({"folder":")" + folder + R"(","hashed_id":")" + owner +
                  R"(","account_id":41,"name":"Film","may_be_deleted":false})" + "\n");
  }
  for (const auto& [folder, may] :
       std::vector<std::pair<std::string, std::string>>{{"picture", "false"}, {"none", "true"}}) {
    EXPECT_EQ(media({"of", folder, "--json"}).out,
              R"({"folder":")" + folder +
                  R"(","hashed_id":null,"account_id":null,"name":null,"may_be_deleted":)" + may +
                  "}\n");
  }
  EXPECT_EQ(media({"of", ".work"}).status, 1);
  set("catalog:media:broken", "{");
  EXPECT_EQ(media({"of", "broken"}).status, 1) << "its owner is not known";
}

TEST_F(Media, ARecordThatCannotBeReadIsARefusal) {
  set("catalog:media:b", "{");
  const Ran ran = media({"show", "b"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.err.starts_with("svcctl media show: the record catalog:media:b cannot be read"))
      << ran.err;
}

TEST_F(Media, ShowsOne) {
  add("abc");
  std::string record = server_.text({"GET", "catalog:media:abc"});
  record.replace(record.size() - 1, 1,
                 R"(,"customizations":{"autoPlay":true,"playerColor":"54bbff","volume":0.5}})");
  set("catalog:media:abc", record);
  const Ran ran = media({"show", "abc"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("hashed_id         abc\n"), std::string::npos) << ran.out;
  EXPECT_NE(
      media({"show", "abc", "--json"})
          .out.find(R"("customizations":["autoPlay true","playerColor 54bbff","volume 0.5"])"),
      std::string::npos);
  EXPECT_NE(media({"show", "nothing"}).err.find("there is no media nothing"), std::string::npos);
  EXPECT_NE(media({"show", "a b"}).err.find("1 to 64 letters and digits"), std::string::npos);
}

TEST_F(Media, IsDeletedFromEveryPlaylistAndTheCache) {
  add("abc");
  add("other");
  add_playlist("both", R"("abc","other","abc")");
  add_playlist("alone", R"("abc")");
  add_playlist("none", R"("other")");
  for (const char* id : {"abc", "both", "alone", "other"})
    server_.command({"HSET", std::string("embed:rendering:") + id, "f", "v"});
  const std::string report =
      R"({"hashed_id":"abc","account_id":41,"name":"Film","playlists":2,"playlists_emptied":1,)"
      R"("deleted":)";

  const std::string before = server_.digest();
  const Ran asked = media({"delete", "abc", "--json"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, report + "false}\n");
  EXPECT_NE(asked.err.find("--yes is missing"), std::string::npos);
  EXPECT_EQ(server_.digest(), before);

  const Ran ran = media({"delete", "abc", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, report + "true}\n");
  EXPECT_FALSE(exists("catalog:media:abc"));
  EXPECT_EQ(playlist("both"), R"(["other"]})");
  EXPECT_EQ(playlist("alone"), "[]}");
  EXPECT_EQ(playlist("none"), R"(["other"]})");
  for (const char* id : {"abc", "both", "alone"})
    EXPECT_FALSE(exists(std::string("embed:rendering:") + id)) << id;
  EXPECT_TRUE(exists("embed:rendering:other"));
  EXPECT_NE(audited().find(R"("what":"media.deleted","account":41,"detail":"by )"),
            std::string::npos);
  EXPECT_NE(audited().find("media abc, in 2 playlists"), std::string::npos);

  const Ran again = media({"delete", "abc", "--yes"});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("there is no media abc"), std::string::npos);
}

TEST_F(Media, AnInterruptedDeletionIsCompletedByTheNextRun) {
  add_playlist("list", R"("abc")");
  EXPECT_EQ(media({"delete", "abc", "--yes"}).status, 0) << "without a record, but in a playlist";
  EXPECT_EQ(playlist("list"), "[]}");
  add("abc");
  EXPECT_EQ(media({"delete", "abc", "--yes"}).status, 0) << "with a record, but in no playlist";
  EXPECT_FALSE(exists("catalog:media:abc"));
}

TEST_F(Media, ARecordThatCannotBeReadIsDeleted) {
  set("catalog:media:abc", "{");
  EXPECT_EQ(media({"delete", "abc", "--yes", "--json"}).out,
            R"({"hashed_id":"abc","account_id":null,"name":"","playlists":0,)"
            R"("playlists_emptied":0,"deleted":true})"
            "\n");
  EXPECT_FALSE(exists("catalog:media:abc"));
}

TEST_F(Media, WithAFileElsewhereIsNeitherPrivateNorForSomeSites) {
  add("abc", R"("storyboard":{"url":"https://cdn.example/1.vtt"},)");
  const std::string before = server_.text({"GET", "catalog:media:abc"});
  const std::string why = "https://cdn.example/1.vtt is not a file of this service\n";
  EXPECT_EQ(media({"edit", "abc", "--visibility", "private"}).err,
            "svcctl media edit: --visibility must not be private: " + why);
  EXPECT_EQ(media({"edit", "abc", "--allowed-domains", "a.example"}).err,
            "svcctl media edit: --allowed-domains must allow every site: " + why);
  EXPECT_EQ(server_.text({"GET", "catalog:media:abc"}), before);
  EXPECT_EQ(media({"edit", "abc", "--allowed-domains", "any"}).status, 0);
}

TEST_F(Media, IsEdited) {
  add("abc", R"("project_id":"old",)");
  set("catalog:project:new",
      R"({"id":"new","account_id":41,"name":"New",)"
      R"("created":"2026-01-05T09:00:00Z","updated":"2026-01-05T09:00:00Z"})");
  set("catalog:project:other",
      R"({"id":"other","account_id":42,"name":"Other",)"
      R"("created":"2026-01-05T09:00:00Z","updated":"2026-01-05T09:00:00Z"})");
  server_.command({"HSET", "embed:rendering:abc", "f", "v"});
  const Ran ran = media(
      {"edit", "abc", "--name", " After ", "--description", "More", "--project", "new", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find(R"("project_id":"new","type":"Video","status":"ready","name":"After")"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find(R"("description":"More","visibility":"public","allowed_domains":null})"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(server_.text({"GET", "catalog:media:abc"}).find(R"("project_id":"new")"),
            std::string::npos);
  EXPECT_FALSE(exists("embed:rendering:abc"));
  EXPECT_NE(audited().find("media abc name description\""), std::string::npos);
  EXPECT_NE(audited().find("project new, media abc\""), std::string::npos);

  const auto domains = [&](const char* list) {
    const Ran edited = media({"edit", "abc", "--allowed-domains", list});
    return edited.status == 0 ? server_.text({"GET", "catalog:media:abc"}) : edited.err;
  };
  EXPECT_NE(
      domains("A.Example,*.b.example").find(R"("allowed_domains":["a.example","*.b.example"])"),
      std::string::npos);
  EXPECT_NE(domains("a.example b").find("--allowed-domains has b, which must be"),
            std::string::npos);
  EXPECT_NE(
      media({"show", "abc", "--json"}).out.find(R"("allowed_domains":["a.example","*.b.example"])"),
      std::string::npos);
  EXPECT_NE(domains("any").find(R"("allowed_domains":[])"), std::string::npos);
  EXPECT_NE(media({"show", "abc", "--json"}).out.find(R"("allowed_domains":[])"),
            std::string::npos);
  EXPECT_EQ(domains("inherit").find("allowed_domains"), std::string::npos);

  const std::string before = server_.text({"GET", "catalog:media:abc"});
  EXPECT_EQ(media({"edit", "abc"}).status, 2);
  EXPECT_EQ(media({"edit", "abc", "--name", " "}).status, 1);
  EXPECT_EQ(media({"edit", "none", "--name", "a"}).err,
            "svcctl media edit: there is no media none\n");
  EXPECT_EQ(media({"edit", "abc", "--name", "a", "--project", "other"}).err,
            "svcctl media edit: the account has no project other; nothing was changed\n");
  EXPECT_EQ(server_.text({"GET", "catalog:media:abc"}), before);
}

TEST_F(Media, ALinkOpensItUntilAllLinksEnd) {
  add("abc");
  EXPECT_EQ(media({"link", "abc", "--for", "7d"}).err,
            "svcctl media link: the setting watch-key-file is empty, so there are no links\n");
  watch_key_file_ = key_file_;
  const base::KeyRing keys = ring();
  const embed::WatchKeys watch(&keys, clock_);
  const auto id = *media::HashedId::parse("abc");
  const auto opened = [&](const std::string& token) {
    stores::Catalog catalog(store_.redis());
    media::Reads reads;
    const auto stored = store_.run(catalog.find_media(id, media::Detail::Embed, reads));
    return watch.open(id, stored->links_from, token);
  };
  EXPECT_EQ(media({"edit", "abc", "--visibility", "private"}).status, 0);
  clock_.advance(1);
  const Ran made = media({"link", "abc", "--for", "7d", "--domain", "*.A.Example", "--json"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err,
            "it opens the media only in pages of *.a.example: embed the frame of the media with "
            "the token, or use the url with oEmbed\n");
  const std::size_t at = made.out.find("\"token\":\"") + 9;
  const std::string token = made.out.substr(at, made.out.find('"', at) - at);
  EXPECT_EQ(made.out, R"({"url":"https://embed.example/medias/abc?watch=)" + token +
                          R"(","token":")" + token + R"(","ends":")" +
                          text::to_rfc3339(clock_.now() + 7 * 86'400) +
                          "\",\"link\":" + std::to_string(clock_.now_ms()) + "}\n");
  EXPECT_EQ(opened(token)->domain, "*.a.example");
  EXPECT_NE(audited().find(R"("what":"link.created")"), std::string::npos);

  const std::string link = std::to_string(clock_.now_ms());
  const std::string listed = R"({"link":)" + link + R"(,"name":"","ends":")" +
                             text::to_rfc3339(clock_.now() + 7 * 86'400) +
                             R"(","domain":"*.a.example","contact_id":0,"openings":0})" + "\n";
  EXPECT_EQ(media({"links", "abc", "--json"}).out, listed);
  EXPECT_EQ(media({"link", "abc", "--for", "1d", "--name", "For Ann"}).status, 0);
  EXPECT_NE(media({"links", "abc"}).out.find("For Ann"), std::string::npos);
  EXPECT_EQ(media({"end-links", "abc", "--link", "7"}).err,
            "svcctl media end-links: the media has no link 7\n");
  const std::string other = std::to_string(clock_.now_ms() + 1);
  EXPECT_EQ(media({"end-links", "abc", "--link", other}).status, 0);
  EXPECT_EQ(media({"links", "abc", "--json"}).out, listed);

  EXPECT_EQ(media({"end-links", "abc"}).status, 1);
  EXPECT_TRUE(opened(token));
  const Ran ended = media({"end-links", "abc", "--yes", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(
      ended.out,
      "{\"hashed_id\":\"abc\",\"name\":\"Film\",\"visibility\":\"private\",\"ended\":true}\n");
  EXPECT_FALSE(opened(token));
  EXPECT_NE(audited().find(R"("what":"links.ended")"), std::string::npos);
}

TEST_F(Media, RefusesWhatIsNoLink) {
  add("abc");
  watch_key_file_ = key_file_;
  for (const char* wrong : {"9s", "367d", "8785h", "60", "", "d", "-1d", "99999999999999999999d"}) {
    const Ran ran = media({"link", "abc", "--for", wrong});
    EXPECT_EQ(ran.status, 2) << wrong;
    EXPECT_NE(ran.err.find("from 10s to 366d"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(media({"link", "abc"}).status, 2);
  EXPECT_NE(media({"link", "abc", "--for", "1h", "--domain", "b"}).err.find("--domain must be"),
            std::string::npos);
  EXPECT_EQ(media({"link", "none", "--for", "1h"}).err,
            "svcctl media link: there is no media none\n");
  EXPECT_EQ(media({"end-links", "none", "--yes"}).err,
            "svcctl media end-links: there is no media none\n");
  const Ran open = media({"link", "abc", "--for", "366d"});
  EXPECT_EQ(open.status, 0);
  EXPECT_EQ(
      open.err,
      "the media is public: nobody needs a link to it, and this one ends if it becomes private\n");
  watch_key_file_ = directory_.path("missing");
  EXPECT_EQ(media({"link", "abc", "--for", "1h"}).status, 1);
}

}  // namespace
}  // namespace svc
