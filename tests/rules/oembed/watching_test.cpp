// oembed.md, Where a film may be shown: private films, links and passes.
#include <gtest/gtest.h>

#include <tuple>

#include "embed/watch_keys.h"
#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

// As svc-ingest makes them.
constexpr const char* kAssets =
    R"([{"type":"hls","url":"/files/secret0001/720p/index.m3u8","width":1280,"height":720,)"
    R"("bandwidth":1},{"type":"mp4","url":"/files/secret0001/720p.mp4","width":1280,)"
    R"("height":720,"bandwidth":1},{"type":"storyboard","url":"/files/secret0001/s.vtt"},)"
    R"({"type":"captions","url":"/files/secret0001/en.vtt","language":"en","label":"English"}])";
constexpr const char* kPoster =
    R"({"url":"/files/secret0001/poster.jpg","width":1280,"height":720})";
constexpr std::int64_t kDay = 86'400;
// After every other time of a test: a link that was made then is the newest.
constexpr std::int64_t kLast = std::int64_t{1} << 50;

class Watching : public OembedRules {
 protected:
  void SetUp() override {
    OembedRules::SetUp();
    make("private");
  }
  void make(const std::string& visibility, Keys more = {}) {
    more.insert({{"name", R"("Secret film")"},
                 {"visibility", '"' + visibility + '"'},
                 {"assets", kAssets},
                 {"thumbnail", kPoster}});
    import_film("secret0001", more);
  }
  std::string token(std::int64_t lasts = kDay, const std::string& domain = "",
                    const std::string& id = "secret0001") {
    return keys_.token_of(*media::HashedId::parse(id), {site_.now() + lasts, kLast, domain});
  }
  static std::string watched(const std::string& path, const std::string& token) {
    return token.empty() ? path : path + "?watch=" + token;
  }
  static std::string oembed(const std::string& token) {
    return oembed_of(watched(kEmbedHost + "/medias/secret0001", token));
  }
  // The contents of the text fields that have a button to copy them.
  static std::vector<std::string> boxes(const Answer& page) {
    std::vector<std::string> found;
    const std::string begin = "<textarea id=\"";
    for (std::size_t at = 0; (at = page.body.find(begin, at)) != std::string::npos;) {
      at = page.body.find('>', at) + 1;
      found.push_back(page.body.substr(at, page.body.find("</textarea>", at) - at));
    }
    return found;
  }
  static Texts addresses(const std::string& token) {
    return {watched("/medias/secret0001", token), watched("/m/secret0001", token),
            watched("/embed/iframe/secret0001", token),
            watched("/embed/medias/secret0001.json", token),
            watched("/embed/medias/secret0001.m3u8", token)};
  }
  void expect_closed(const std::string& token, const std::string& why) {
    for (const std::string& address : addresses(token)) {
      const Answer answer = ask(address);
      EXPECT_EQ(answer.status, 403) << why << ": " << address;
      EXPECT_EQ(answer.header("Cache-Control"), "no-store") << address;
      EXPECT_FALSE(answer.has("Secret film")) << address;
      EXPECT_FALSE(answer.has("/files/")) << address;
      EXPECT_FALSE(answer.has("signed")) << address;
    }
    const Answer consumer = ask(oembed(token));
    EXPECT_EQ(consumer.status, 401) << why;
    EXPECT_NE(consumer.header("WWW-Authenticate"), "none");
    EXPECT_FALSE(consumer.has("Secret film"));
  }
  void expect_open(const std::string& token) {
    for (const std::string& address : addresses(token)) {
      const Answer answer = ask(address);
      EXPECT_EQ(answer.status, address.starts_with("/m/") ? 302 : 200) << address;
      EXPECT_EQ(answer.header("Cache-Control"), "no-store") << address;
    }
    EXPECT_EQ(ask(oembed(token)).status, 200);
  }

  embed::WatchKeys keys_{&stores().watch_keys(), site_.wall_clock()};
};

TEST_F(Watching, PagesW171SaysWhichLinkIsMissing) {
  const std::string owner = "\u2068Acme Films\u2069";
  const std::string ended = token(50);
  site_.pass(60);
  for (const char* const folder : {"/medias/", "/embed/iframe/"}) {
    for (const auto& [link, title, text] : {
             std::tuple<std::string, std::string, std::string>{
                 "", "This video is private", "It opens with a link. Ask " + owner + " for one."},
             {"guessed", "This link does not open the video",
              "It may be incomplete, or " + owner + " has ended it. Ask for a new one."},
             {ended, "This link has expired", "Ask " + owner + " for a new one."},
         }) {
      const Answer page = ask(watched(folder + std::string("secret0001"), link));
      EXPECT_TRUE(page.has("<h1>" + title + "</h1>")) << page.body;
      EXPECT_TRUE(page.has("<p>" + text + "</p>")) << page.body;
    }
  }
}

TEST_F(Watching, OembedW8OnlyALinkOfTheMediaOpensIt) {
  const std::string good = token();
  expect_open(good);
  EXPECT_LE(good.size(), 200U);
  const std::string longest =
      token(366 * kDay, "*." + std::string(60, 'a') + "." + std::string(58, 'b') + ".example");
  EXPECT_LE(longest.size(), 200U);
  EXPECT_EQ(longest.find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~-"),
            std::string::npos)
      << longest;
  expect_closed("", "none");
  expect_closed("x", "guessed");
  expect_closed(good.substr(0, good.size() - 1), "cut");
  expect_closed(good + "0", "extended");
  expect_closed("9" + good, "a later end");
  expect_closed(token(kDay, "", "l4unchf1lm"), "of another media");
  expect_closed(good + "&watch=" + good, "two");
  expect_closed(keys_.pass(*media::HashedId::parse("secret0001"), 5, site_.now() + kDay),
                "a pass of another time");
  // Other films ignore it, and their codes do not carry it.
  EXPECT_EQ(ask("/medias/l4unchf1lm?watch=x").body, ask("/medias/l4unchf1lm").body);
  EXPECT_EQ(html_of(oembed_of(kEmbedHost + "/medias/l4unchf1lm?watch=x")), html_of(film()));
}

TEST_F(Watching, OembedW9OneLinkEndsAlone) {
  listen();
  const std::int64_t id = site_.now() * 1000;
  const std::string record = "catalog:media:secret0001";
  const std::string ends = R"(,"ends":)" + std::to_string(site_.now() + kDay) + "}";
  const auto listed = [&](std::int64_t number) {
    return keys_.token_of(*media::HashedId::parse("secret0001"),
                          {site_.now() + kDay, number, "", true});
  };
  expect_closed(listed(kLast), "not listed");
  expect_open(token());
  stores().edit(record, R"("links_from":)",
                R"("links_from":1,"links":[{"id":)" + std::to_string(id) + ends + R"(,{"id":)" +
                    std::to_string(id + 1) + ends + R"(],"was":)");
  expect_open(listed(id));
  const std::string path = watched("/embed/medias/secret0001.json", listed(id));
  const Answer data = ask(path);
  EXPECT_TRUE(data.has("/secret0001/1-" + std::to_string(id) + "/720p.mp4")) << data.body;
  const std::size_t at = data.body.find("secret0001.m3u8?watch=");
  ASSERT_NE(at, std::string::npos) << data.body;
  const std::string pass = data.body.substr(at, data.body.find('"', at) - at);
  const std::string manifest = "/embed/medias/" + pass;
  const Answer films = ask(manifest);
  EXPECT_EQ(films.status, 200);
  EXPECT_TRUE(films.has("/1-" + std::to_string(id) + "/720p/index.m3u8")) << films.body;
  stores().edit(record, ends,
                ends.substr(0, ends.size() - 1) + R"(,"refused_until":)" +
                    std::to_string(site_.now() + kDay) + "}");
  site_.until([&] { return ask(path).status == 403; });
  expect_closed(listed(id), "ended");
  EXPECT_EQ(ask(manifest).status, 403) << "a pass of before";
  expect_open(listed(id + 1));
  expect_open(token());
}

TEST_F(Watching, PagesW161ThePageOfAPrivateMediaHasNothingToShare) {
  const Answer page = ask(watched("/medias/secret0001", token()));
  EXPECT_EQ(page.status, 200);
  EXPECT_FALSE(page.has("Share")) << page.body;
  EXPECT_FALSE(page.has("<textarea"));
  EXPECT_FALSE(page.has("<button"));
  EXPECT_TRUE(ask("/medias/l4unchf1lm").has("<h2 id=\"share\">Share</h2>"));
}

TEST_F(Watching, OembedW20EachRefusalHasItsReason) {
  using Reason = http::WatchRefusal;
  const auto reason = [&](const std::string& target) {
    ask(target);
    return ask(target).refused_for;
  };
  const std::string ended = token(0);
  for (const char* kind : {"/embed/iframe/secret0001", "/embed/medias/secret0001.json"}) {
    EXPECT_EQ(reason(kind), Reason::Private) << kind;
    EXPECT_EQ(reason(watched(kind, "x")), Reason::WrongLink) << kind;
    EXPECT_EQ(reason(watched(kind, ended)), Reason::EndedLink) << kind;
  }
  EXPECT_EQ(reason(oembed(ended)), Reason::EndedLink);
  make("public", {{"allowed_domains", R"(["shop.example"])"}});
  EXPECT_EQ(reason("/embed/medias/secret0001.m3u8"), Reason::Pass);
  EXPECT_EQ(reason("/embed/medias/secret0001.json"), Reason::Site);
  EXPECT_EQ(reason("/medias/secret0001"), Reason::None);
}

TEST_F(Watching, OembedW8CodesAndPagesCarryTheLinkOn) {
  const std::string good = token();
  for (const char* type : {"iframe", "async", "async_popover", "web_component", "open_graph_tags"})
    EXPECT_TRUE(ask(oembed(good) + "&embedType=" + type).has(good)) << type;
  const std::string chosen =
      "/embed-codes?url=" + text::percent_encode(watched(kEmbedHost + "/medias/secret0001", good));
  const Answer codes = ask(chosen);
  const std::vector<std::string> ready = boxes(codes);
  EXPECT_EQ(ready.size(), 1u + 6u) << "the code, and those to copy";
  for (const std::string& code : ready) EXPECT_NE(code.find(good), std::string::npos) << code;
  EXPECT_EQ(codes.header("Cache-Control"), "no-store");
  EXPECT_FALSE(ask("/embed-codes?url=secret0001").has("Secret film"));
  // A kind of code that cannot carry the link is left out.
  site_.restart({"--amp-script-url=https://amp.example/player.js"});
  EXPECT_TRUE(ask("/embed-codes").has("amp-svc-player"));
  EXPECT_EQ(boxes(ask(chosen)), ready);
  const Answer page = ask("/medias/secret0001?watch=" + good + "&time=4");
  EXPECT_TRUE(page.has("/embed/iframe/secret0001?watch=" + good + "&amp;time=4")) << page.body;
  EXPECT_EQ(ask("/m/secret0001?watch=" + good).header("Location"),
            "/medias/secret0001?watch=" + good);
}

TEST_F(Watching, OembedW8ADomainReplacesTheSitesOfTheFilm) {
  make("private", {{"allowed_domains", R"(["shop.example"])"}});
  const auto data_at = [&](const std::string& watch, const char* origin) {
    return ask(Ask("GET /embed/medias/secret0001.json?watch=" + watch).with("Origin", origin))
        .status;
  };
  const std::string anywhere = token();
  EXPECT_EQ(data_at(anywhere, "https://shop.example"), 200);
  EXPECT_EQ(data_at(anywhere, "https://partner.example"), 403);
  EXPECT_EQ(ask("/medias/secret0001?watch=" + anywhere).status, 200);
  EXPECT_EQ(ask("/embed/medias/secret0001.m3u8?watch=" + anywhere).status, 403)
      << "the manifest cannot know the page";
  const std::string partner = token(kDay, "*.partner.example");
  EXPECT_EQ(data_at(partner, "https://www.partner.example"), 200);
  EXPECT_EQ(data_at(partner, "https://shop.example"), 403);
  EXPECT_TRUE(ask(oembed(partner)).has("/embed/iframe/secret0001?watch=" + partner));
  const Answer page = ask("/medias/secret0001?watch=" + partner);
  EXPECT_EQ(page.status, 403);
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  for (const char* target : {"/embed/medias/secret0001.json", "/embed/iframe/secret0001"}) {
    const Answer foreign = ask(Ask("GET " + watched(target, partner))
                                   .with("Origin", "https://evil.example")
                                   .with("Referer", "https://evil.example/"));
    EXPECT_EQ(foreign.status, 403) << target;
    EXPECT_EQ(foreign.header("Cache-Control"), "no-store") << target;
  }
  const std::string policy =
      ask("/embed/iframe/secret0001?watch=" + partner).header("Content-Security-Policy");
  EXPECT_NE(policy.find("http://*.partner.example"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("shop.example"), std::string::npos) << policy;
}

TEST_F(Watching, OembedW9ALinkEndsWithTheSecondOfItsEnd) {
  listen();
  const std::string link = token(100);
  expect_open(link);
  expect_open(link);
  site_.pass(99);
  expect_open(link);
  site_.pass(1);
  expect_closed(link, "it has ended");
}

TEST_F(Watching, OembedW20WhatIsPrivateIsClosedAtOnceInEveryAddress) {
  make("public");
  listen();
  const Texts open{"/medias/secret0001", "/embed/iframe/secret0001",
                   "/embed/medias/secret0001.json", "/embed/medias/secret0001.m3u8", oembed("")};
  std::map<std::string, std::string> tags;
  for (int i = 0; i < 3; ++i)
    for (const std::string& address : open) tags[address] = ask(address).header("ETag");
  make("private");
  site_.until([&] { return ask(open[0]).status == 403; });
  expect_closed("", "while it was hot");
  for (const std::string& address : open) {
    const Answer answer = ask(Ask("GET " + address).with("If-None-Match", tags[address]));
    EXPECT_GE(answer.status, 401) << address;
  }
  const std::string good = token();
  EXPECT_TRUE(ask("/medias/secret0001?watch=" + good).has("noindex"));
  // The discovery links of its page carry the link on (oembed-W8).
  for (const char* path : {"/medias/secret0001?watch=", "/embed/iframe/secret0001?watch="}) {
    const std::string page = unescaped(ask(path + good).body);
    const std::string begin = "type=\"application/json+oembed\" href=\"";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos) << page;
    const std::size_t from = at + begin.size();
    const Answer found = ask(page.substr(from, page.find('"', from) - from));
    EXPECT_EQ(found.status, 200) << path;
    EXPECT_TRUE(found.has("watch=" + good)) << found.body;
  }
}

TEST_F(Watching, OembedW20APlaylistLeavesAPrivateMediaOut) {
  import_film(
      "second0001",
      {{"name", R"("Second film")"},
       {"thumbnail", R"({"url":"/files/second0001/poster.jpg","width":640,"height":480})"}});
  import_playlist("mixedlist1", {"secret0001", "second0001"});
  import_playlist("secretlist", {"secret0001"});
  const Answer data = ask("/embed/playlists/mixedlist1.json");
  EXPECT_FALSE(data.has("secret0001")) << data.body;
  EXPECT_TRUE(data.has("second0001"));
  const Answer code = ask(list("", "mixedlist1"));
  EXPECT_TRUE(value_of(code, "thumbnail_url").find("second0001") != std::string::npos) << code.body;
  EXPECT_FALSE(code.has("secret0001")) << code.body;
  EXPECT_FALSE(ask("/embed/playlists/mixedlist1").has("secret0001"));
  const Answer closed = ask("/embed/playlists/secretlist.json");
  EXPECT_EQ(closed.status, 403);
  EXPECT_TRUE(closed.has("\"reason\":\"link\"")) << closed.body;
  EXPECT_EQ(closed.header("Cache-Control"), "no-store");
  const Answer page = ask("/embed/playlists/secretlist");
  EXPECT_EQ(page.status, 403);
  EXPECT_TRUE(page.has("A playlist shows no private video.")) << page.body;
  EXPECT_EQ(page.refused_for, http::WatchRefusal::Private);
  EXPECT_TRUE(page.has("Ask \u2068Acme Films\u2069 for a link to each of them.")) << page.body;
  const Answer no_code = ask(list("", "secretlist"));
  EXPECT_EQ(no_code.status, 501);
  EXPECT_TRUE(no_code.has("what it could play is private")) << no_code.body;
  EXPECT_TRUE(ask("/embed-codes?url=https://embed.svc.example:8443/embed/playlists/secretlist")
                  .has("a playlist shows no private video"));
  make("public");
  EXPECT_EQ(ask("/embed/playlists/secretlist.json").status, 200);
}

TEST_F(Watching, OembedW21AddressesOfFilesEnd) {
  const std::string link = token(kDay);
  const Answer data = ask("/embed/medias/secret0001.json?watch=" + link);
  EXPECT_FALSE(data.has("\"/files/")) << data.body;
  for (const char* name : {"720p.mp4", "poster.jpg", "en.vtt", "s.vtt"})
    EXPECT_TRUE(data.has("/secret0001/0/" + std::string(name)) || data.has(name)) << data.body;
  EXPECT_FALSE(data.has(kEmbedHost + "/files/")) << data.body;
  const std::string manifest = value_of(data, "manifest");
  const std::string path = manifest.substr(kEmbedHost.size());
  EXPECT_TRUE(ask(path).has("/signed-files/")) << path;
  // The film lasts 8.008 s: an hour and 18 s, to the next ten minutes.
  const std::int64_t end = (site_.now() + 3618) / 600 * 600 + 600;
  EXPECT_NE(path.find(".m3u8?watch=" + std::to_string(end) + "."), std::string::npos) << path;
  site_.pass(end - site_.now() - 1);
  EXPECT_EQ(ask(path).status, 200);
  site_.pass(1);
  EXPECT_EQ(ask(path).status, 403);
  // A link that ends sooner: nginx serves a file up to the second of its end.
  const std::int64_t soon = site_.now() + 50;
  const Answer short_lived = ask("/embed/medias/secret0001.json?watch=" + token(50));
  const std::string signed_until = "/" + std::to_string(soon - 1) + "/secret0001/";
  EXPECT_TRUE(short_lived.has(signed_until)) << short_lived.body;
  const Answer by_pass = ask(value_of(short_lived, "manifest").substr(kEmbedHost.size()));
  EXPECT_TRUE(by_pass.has(signed_until)) << by_pass.body;
}

TEST_F(Watching, OembedW21ViewersOfALinkGetTheSameAndTheStoreIsAskedOnce) {
  listen();
  const std::string target = "/embed/medias/secret0001.json?watch=" + token();
  const std::string first = ask(target).body;
  site_.pass(1);
  ask(target);
  const int before = site_.trips.count;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(ask(target).body, first) << i;
  EXPECT_EQ(site_.trips.count, before);
  site_.pass(600);
  EXPECT_NE(ask(target).body, first) << "other addresses after ten minutes";
}

TEST_F(Watching, OembedW21TheLastFilmOfAPlaylistPlaysAfterAllOthers) {
  make("public", {{"allowed_domains", R"(["shop.example"])"}, {"duration", "7200"}});
  import_playlist("longlist01", {"secret0001", "secret0001"});
  const Answer data =
      ask(Ask("GET /embed/playlists/longlist01.json").with("Origin", "https://shop.example"));
  const std::int64_t end = (site_.now() + 3600 + 2 * 14'400) / 600 * 600 + 600;
  EXPECT_TRUE(data.has("m3u8?watch=" + std::to_string(end) + ".")) << data.body;
}

TEST_F(Watching, OembedW21TokensOfOthersShareOneResponse) {
  listen();
  for (const char* target : {"/embed/medias/l4unchf1lm.json", "/embed/medias/l4unchf1lm.m3u8",
                             "/embed/iframe/l4unchf1lm", "/medias/l4unchf1lm"}) {
    for (int i = 0; i < 3; ++i) ask(watched(target, "x" + std::to_string(i)));
    const int before = site_.trips.count;
    for (int i = 0; i < 50; ++i)
      EXPECT_EQ(ask(watched(target, std::to_string(i) + ".1." + std::string(32, 'a'))).status, 200);
    EXPECT_EQ(site_.trips.count, before) << target;
  }
  const Answer data = ask("/embed/medias/secret0001.json?watch=" + token());
  const std::string manifest = value_of(data, "manifest").substr(kEmbedHost.size());
  const std::size_t at = manifest.find("watch=") + 6;
  EXPECT_EQ(ask(manifest.substr(0, at) + "0" + manifest.substr(at)).status, 403);
}

TEST_F(Watching, OembedW21ARestrictedFilmHasPassesAndOpenPosters) {
  make("public", {{"allowed_domains", R"(["shop.example"])"}});
  const Answer without = ask("/embed/medias/secret0001.m3u8");
  EXPECT_EQ(without.status, 403);
  EXPECT_TRUE(without.has("\"reason\":\"pass\"")) << without.body;
  EXPECT_FALSE(without.has("link")) << without.body;
  const Answer data =
      ask(Ask("GET /embed/medias/secret0001.json").with("Origin", "https://shop.example"));
  EXPECT_EQ(ask(value_of(data, "manifest").substr(kEmbedHost.size())).status, 200);
  EXPECT_EQ(value_of(data, "poster"),
            kEmbedHost + "/files/secret0001/poster.jpg?image_crop_resized=640x360");
  EXPECT_TRUE(value_of(data, "mp4").starts_with(kEmbedHost + "/signed-files/"));
  const Answer page = ask("/medias/secret0001");
  EXPECT_EQ(page.status, 200);
  EXPECT_FALSE(page.has("720p.mp4")) << "previews would keep an address that ends";
}

}  // namespace
}  // namespace svc::rules
