// oembed.md, Caches. The algorithms: unit/cache/, integration/stores/renderings_test.cpp.
#include <gtest/gtest.h>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using http::CacheUse;
using namespace std::string_literals;

class OembedCaches : public OembedRules {
 protected:
  using OembedRules::OembedRules;

  std::string title(const std::string& target) { return value_of(ask(target), "title"); }
  void rename(const std::string& name) { import_film("l4unchf1lm", {{"name", '"' + name + '"'}}); }
  std::int64_t renderings(const std::string& id) {
    return stores().cache_command({"HLEN", "embed:rendering:" + id}).integer();
  }
  void until_kept(const std::string& id, std::int64_t count) {
    site_.until([&] { return renderings(id) == count; });
  }
  // Sets the start of their builds to long after the pools' subscription, so that find() accepts
  // them.
  void age_renderings(const std::string& id) {
    stores().cache_command({"EVAL", R"(
      for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
        local begun, rest = string.match(redis.call('HGET', KEYS[1], name), '^(%d+)( .*)$')
        redis.call('HSET', KEYS[1], name, string.format('%.0f', begun + 60000) .. rest)
      end)",
                            "1", "embed:rendering:" + id});
  }
};

// A write of any record that it was built from, found or not, ends a response.
TEST_F(OembedCaches, OembedC2NoResponseOutlivesAChangeOfARecordThatItWasBuiltFrom) {
  import_film("late");
  import_playlist("p1", {"l4unchf1lm"});
  import_playlist("p2", {"aud10only1", "cinema2391"});
  import_playlist("p3", {"late", "sm4ll480px"});
  import_playlist("p4", {"p0rtrait99"});
  stores().command({"DEL", "catalog:media:late"});
  listen();
  const std::string a_film(*stores().command({"GET", "catalog:media:l4unchf1lm"}).text());
  struct Record {
    std::string key;
    Texts targets;
  };
  for (const Record& record : std::vector<Record>{
           {"media:l4unchf1lm",
            {film(), film("format=xml&callback=x"), list("", "p1"), "/embed/medias/l4unchf1lm.m3u8",
             "/embed/medias/l4unchf1lm.json", "/embed/playlists/p1.json", "/medias/l4unchf1lm",
             "/medias/l4unchf1lm/manage", "/embed/iframe/l4unchf1lm", "/embed/playlists/p1",
             "/m/l4unchf1lm"}},
           {"media:mp4only001", {"/embed/medias/mp4only001.m3u8"}},
           {"media:aud10only1",
            {film("", "aud10only1"), list("", "pl4ynov1d0"), "/embed/playlists/pl4ynov1d0.json",
             "/embed/iframe/aud10only1", "/embed/playlists/p2"}},
           {"media:late", {list("", "p3"), "/embed/playlists/p3.json"}},
           {"playlist:p4", {list("", "p4"), "/embed/playlists/p4.json", "/embed/playlists/p4"}},
           {"media:un",
            {film("", "un"), "/embed/medias/un.m3u8", "/embed/medias/un.json", "/embed/iframe/un"}},
           {"playlist:un", {list("", "un"), "/embed/playlists/un.json", "/embed/playlists/un"}},
       }) {
    const std::string key = "catalog:" + record.key;
    const redis::Reply old = stores().command({"GET", key});
    for (const std::string& target : record.targets) {
      ask(target);
      EXPECT_EQ(ask(target).cache, CacheUse::Memory) << target;
    }
    stores().command({"SET", key, old.text() ? *old.text() : a_film});
    for (const std::string& target : record.targets) {
      SCOPED_TRACE(target + " from " + key);
      site_.until([&] { return ask(target).cache != CacheUse::Memory; });
    }
  }
}

TEST_F(OembedCaches, OembedC2ImportsAndDeletionsAreSeenAndChangeNothingElse) {
  listen();
  ask(film("", "p0rtrait99"));
  rename("Changed once");
  site_.until([&] { return title(film()) == "Changed once"; });
  import_film("l4unchf1lm", {{"duration", "1234.5"}});
  site_.until([&] { return value_of(ask(list()), "duration") != "24.016"; });
  stores().command({"DEL", "catalog:media:l4unchf1lm"});
  site_.until([&] { return ask(film()).status == 404; });
  rename("Back");
  site_.until([&] { return title(film()) == "Back"; });
  EXPECT_EQ(ask(film("", "p0rtrait99")).cache, CacheUse::Memory);
  stores().command({"FLUSHDB"});
  site_.until(
      [&] { return ask(film()).status == 404 && ask(film("", "p0rtrait99")).status == 404; });
}

TEST_F(OembedCaches, OembedC3APlaylistIsBuiltOnceForAllSizes) {
  import_film("p0rtrait99",
              {{"assets", R"([{"type":"mp4","url":"https://cdn.example/a.mp4","bandwidth":1}])"}});
  import_playlist("file", {"p0rtrait99"});
  listen();
  ask(list("", "file"));
  until_kept("file", 1);
  age_renderings("file");
  EXPECT_TRUE(ask("/embed/playlists/file").has("https://cdn.example/a.mp4"));
  EXPECT_EQ(ask(list("width=300")).cache, CacheUse::Miss);
  EXPECT_EQ(ask(list("width=300")).cache, CacheUse::Memory);
  until_kept("pl4yl1st01", 1);
  age_renderings("pl4yl1st01");
  const Answer other = ask(list("width=500&embedType=playlist_popover"));
  EXPECT_EQ(other.cache, CacheUse::Redis);
  for (const auto& [name, value] : {std::pair("title", "The launch films"),
                                    {"width", "500"},
                                    {"height", "281"},
                                    {"thumbnail_height", "281"},
                                    {"duration", "24.024"}})
    EXPECT_EQ(value_of(other, name), value) << name;
  const Answer page = ask("/embed/playlists/pl4yl1st01");
  EXPECT_EQ(page.cache, CacheUse::Redis);
  EXPECT_TRUE(page.has("/embed/medias/l4unchf1lm.m3u8")) << "though the first did not need it";
  EXPECT_NE(page.header("Content-Security-Policy").find(" https://cdn.example"), std::string::npos)
      << "of all videos, not only of the first";
  EXPECT_EQ(ask("/embed-codes?url=pl4yl1st01").status, 200);
  EXPECT_EQ(ask("/embed/playlists/pl4yl1st01.json").cache, CacheUse::Miss);
  until_kept("pl4yl1st01", 2);
  EXPECT_EQ(ask("/embed/playlists/pl4yl1st01.json?_=1").cache, CacheUse::Memory) << "no parameters";
}

TEST_F(OembedCaches, OembedC3KeepsUnknownFieldsAndPlaylistsWithoutAVideo) {
  import_film("bare", {{"width", "null"},
                       {"height", "null"},
                       {"duration", "null"},
                       {"thumbnail", "null"},
                       {"player_color", "\"\""}});
  import_playlist("bare", {"bare"});
  listen();
  const std::string built = ask(list("", "bare")).body;
  until_kept("bare", 1);
  age_renderings("bare");
  const Answer kept = ask(list("_=1", "bare"));
  EXPECT_EQ(kept.cache, CacheUse::Redis);
  EXPECT_EQ(kept.body, built);
  const auto field = stores().cache_command({"HKEYS", "embed:rendering:bare"});
  const std::string name(*field.at(0).text());
  for (
      const std::string& damaged : Texts{
          "", "{", "[]", "{}", R"({"first_video":"*"})", R"({"first_video":"bare")",
          R"({"first_video":"bare","title":"","poster":"","player_color":"","mp4":"","sources":""})",
          R"({"first_video":"bare","title":"","width":1,"poster":"","player_color":"",)"
          R"("has_manifest":true,"mp4":"","sources":""})"}) {
    const auto text = stores().cache_command({"HGET", "embed:rendering:bare", name});
    std::string value(*text.text());
    value.replace(value.find('{'), value.size(), damaged);
    stores().cache_command({"HSET", "embed:rendering:bare", name, value});
    age_renderings("bare");
    const Answer rebuilt = ask(list("theme=" + text::percent_encode(damaged), "bare"));
    EXPECT_EQ(rebuilt.cache, CacheUse::Miss) << damaged;
    EXPECT_EQ(value_of(rebuilt, "title"), "The list");
    site_.until([&] {
      const auto again = stores().cache_command({"HGET", "embed:rendering:bare", name});
      return again.text()->find("The list") != std::string_view::npos;
    });
  }
  ask(list("", "pl4ynov1d0"));
  until_kept("pl4ynov1d0", 1);
  age_renderings("pl4ynov1d0");
  const Answer refused = ask(list("_=1", "pl4ynov1d0"));
  EXPECT_EQ(refused.status, 501);
  EXPECT_EQ(refused.cache, CacheUse::Redis);
  ask("/embed/playlists/pl4ynov1d0.json");
  until_kept("pl4ynov1d0", 2);
  // An attacker can invent any number of these.
  ask(list("", "unknown000"));
  ask(film("", "l4unchf1lm"));
  ask(list("", "pl4yempty0"));
  until_kept("pl4yempty0", 1);
  EXPECT_EQ(renderings("unknown000") + renderings("l4unchf1lm"), 0);
}

TEST_F(OembedCaches, OembedC3SimultaneousRequestsAreBuiltOnce) {
  listen();
  const std::string data = "/embed/medias/l4unchf1lm.json";
  const std::string nothing = film("", "unknown000");
  const auto answers =
      site_.ask_at_once({film(), "HEAD " + film(), Ask(film()).with("If-None-Match", "*"), film(),
                         nothing, nothing, data + "?_=1", data, film("width=300")});
  std::vector<CacheUse> uses;
  for (const Answer& answer : answers) uses.push_back(answer.cache);
  constexpr CacheUse kMade = CacheUse::Miss;
  constexpr CacheUse kShared = CacheUse::Handover;
  EXPECT_EQ(uses, (std::vector<CacheUse>{kMade, kShared, kShared, kShared, kMade, kShared, kMade,
                                         kShared, kMade}));
  EXPECT_EQ(answers[1].body, "");
  EXPECT_EQ(answers[1].header("ETag"), answers[0].header("ETag"));
  EXPECT_EQ(answers[2].status, 304);
  EXPECT_EQ(answers[3].body, answers[0].body);
  EXPECT_EQ(answers[5].status, 404);
  EXPECT_EQ(answers[7].body, answers[6].body);
}

TEST_F(OembedCaches, OperationsD3WithoutItsStoreAPoolServesCachedResponsesAsStale) {
  listen();
  const Answer fresh = ask(film());
  ask(film("", "p0rtrait99"));
  stores().command({"SET", "catalog:media:p0rtrait99", "damaged"});
  site_.until([&] { return ask(film("", "p0rtrait99")).status == 503; });
  stores().command({"ACL", "SETUSER", "embed", "off"});
  stores().command({"CLIENT", "KILL", "USER", "embed"});
  EXPECT_EQ(ask(film()).cache, CacheUse::Memory) << "fresh for some seconds";
  site_.pass(6);
  const Answer stale = ask(film());
  EXPECT_EQ(stale.cache, CacheUse::Stale);
  EXPECT_EQ(stale.body, fresh.body);
  EXPECT_EQ(stale.header("Cache-Control"), "no-cache");
  EXPECT_EQ(ask("HEAD " + film()).body, "");
  for (const std::string& other :
       {film("", "cinema2391"), film("", "unknown000"), film("", "p0rtrait99")}) {
    const Answer away = ask(other);
    EXPECT_EQ(away.status, 503) << other;
    EXPECT_EQ(away.header("Retry-After"), "1");
  }
  site_.pass(3600);
  EXPECT_EQ(ask(film()).status, 503) << "too old";
  stores().command({"ACL", "SETUSER", "embed", "on"});
  site_.pass(10);
  EXPECT_EQ(ask(film()).header("Cache-Control"), fresh.header("Cache-Control"));
}

class RenderingsOfMedia : public OembedCaches {
 protected:
  RenderingsOfMedia() : OembedCaches({"--rendering-cache=on", "--memory-cache-size=0"}) {}
};

TEST_F(RenderingsOfMedia, OembedC1EachRequestHasOneAndOneDeletionDropsAllOfAMedia) {
  listen();
  const Texts variants{film(),
                       film("format=xml"),
                       film("embedType=async"),
                       film("embedType=async_popover"),
                       film("embedType=open_graph_tags"),
                       film("width=300"),
                       film("height=300"),
                       film("maxwidth=300"),
                       film("maxheight=300"),
                       film("width=300&height=300"),
                       film("width=3003"),
                       film("videoFoam=true"),
                       film("videoFoam=1"),
                       film("embedType=async&handle=app"),
                       film("theme=a"),
                       film("theme=b"),
                       film("autoPlay=a"),
                       film("autoPlay=a&theme=b"),
                       film("autoPlay=ao5:theme=1:b"),
                       film("loading=lazy"),
                       "/embed/medias/l4unchf1lm.m3u8"};
  Texts bodies;
  for (const std::string& variant : variants) bodies.push_back(ask(variant).body);
  const auto all = static_cast<std::int64_t>(variants.size());
  until_kept("l4unchf1lm", all);
  // No others for unknown and default parameters, callbacks and any order.
  for (const char* same : {"utm_source=x", "callback=f", "width=wrong", "embedType=iframe",
                           "theme=b&autoPlay=a", "loading=eager"})
    ask(film(same));
  ask(film("", "p0rtrait99"));
  until_kept("p0rtrait99", 1);
  EXPECT_EQ(renderings("l4unchf1lm"), all);
  // oembed-C4: nothing else is in that store.
  EXPECT_EQ(stores().cache_command({"DBSIZE"}).integer(), 2);
  const std::int64_t lives =
      stores().cache_command({"PTTL", "embed:rendering:l4unchf1lm"}).integer();
  EXPECT_TRUE(0 < lives && lives <= 60'000) << lives;
  age_renderings("l4unchf1lm");
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Answer kept = ask(variants[i]);
    EXPECT_EQ(kept.cache, CacheUse::Redis) << variants[i];
    EXPECT_EQ(kept.body, bodies[i]);
    EXPECT_EQ(kept.counts_for, i + 1 == variants.size() ? 1001 : 0);
  }
  EXPECT_EQ(ask(film("callback=f")).body, "/**/f(" + bodies[0] + ");");
  rename("Another name");
  EXPECT_EQ(renderings("l4unchf1lm"), 0);
  EXPECT_EQ(renderings("p0rtrait99"), 1);
  site_.until([&] { return title(film()) == "Another name"; });
  EXPECT_TRUE(ask(film("format=xml")).has("Another name"));
}

TEST_F(RenderingsOfMedia, OembedC3DataAndPagesOfPlaylistsAreKeptToo) {
  listen();
  const std::string page = "/embed/playlists/";
  for (const auto& [id, status] : {std::pair("pl4yl1st01", 200), {"pl4ynov1d0", 501}}) {
    const Texts targets{page + id + ".json", page + id};
    for (const std::string& target : targets) ask(target);
    until_kept(id, 2);
    age_renderings(id);
    for (const std::string& target : targets) {
      const Answer kept = ask(target);
      EXPECT_EQ(kept.status, status) << target;
      EXPECT_EQ(kept.cache, CacheUse::Redis) << target;
    }
  }
  EXPECT_EQ(ask(film("theme=" + std::string(5000, 'a'))).status, 200);
  ask(film());
  until_kept("l4unchf1lm", 1);  // too long a request has none
}

class WithoutACache : public OembedCaches {
 protected:
  WithoutACache()
      : OembedCaches({"--redis-cache=unix:///nowhere.sock", "--rendering-cache=on",
                      "--memory-cache-size=0"}) {}
};

TEST_F(WithoutACache, OembedC1OperationsD3RequestsSucceed) {
  listen();
  for (int width = 100; width < 150; ++width)
    EXPECT_EQ(ask(film("width=" + std::to_string(width))).status, 200);
  EXPECT_EQ(ask(list()).status, 200);
  rename("Without a cache");
  EXPECT_EQ(title(film()), "Without a cache");
}

}  // namespace
}  // namespace svc::rules
