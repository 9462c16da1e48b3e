// api.md: links to private media.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/signed_files.h"
#include "embed/watch_keys.h"
#include "fakes/manual_clock.h"
#include "rules/api/api.h"
#include "stores/catalog/catalog.h"
#include "text/rfc3339.h"

namespace svc::rules::links {
namespace {

constexpr std::int64_t kDay = 86'400;

class Links : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    put(media("linked00001"));
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Ask post(const std::string& body, const std::string& id = "linked00001") const {
    return with_token(Ask("POST /v1/medias/" + id + "/links")
                          .with("Content-Type", "application/json")
                          .with_body(body));
  }
  Answer make(const std::string& body) { return ask(post(body)); }
  Answer end() { return ask(with_token("DELETE /v1/medias/linked00001/links")); }
  Answer set_visibility(const std::string& word) {
    return ask(with_token(Ask("PUT /v1/medias/linked00001")
                              .with("Content-Type", "application/json")
                              .with_body(R"({"visibility":")" + word + R"("})")));
  }
  // Opens the media with the token, as the pool of embeds does.
  auto opened(const std::string& token) {
    media::Reads reads;
    stores::Catalog catalog(stores().redis());
    const auto id = *media::HashedId::parse("linked00001");
    const auto media = stores().run(catalog.find_media(id, media::Detail::Embed, reads));
    fakes::ManualWallClock clock;
    clock.advance(site_.now() - clock.now());
    const embed::WatchKeys keys(&stores().watch_keys(), clock);
    return keys.open(id, media->links_from, token);
  }

  std::string token_;
};

TEST_F(Links, ApiL1ALinkOpensThePrivateMediaUntilItEnds) {
  EXPECT_EQ(member(set_visibility("private"), "visibility"), "private");
  site_.pass(1);
  const Answer made = make(R"({"expires_in":86400})");
  EXPECT_EQ(made.status, 201) << made.body;
  const std::string token = member(made, "token");
  EXPECT_EQ(member(made, "url"),
            "https://embed.svc.example:8443/medias/linked00001?watch=" + token);
  EXPECT_EQ(made.header("Location"), member(made, "url"));
  EXPECT_EQ(member(made, "visibility"), "private");
  EXPECT_EQ(member(made, "expires_at"), text::to_rfc3339(site_.now() + kDay));
  EXPECT_EQ(made.header("Cache-Control"), "no-store");
  ASSERT_TRUE(opened(token));
  EXPECT_EQ(opened(token)->ends, site_.now() + kDay);
  site_.pass(kDay - 1);
  EXPECT_TRUE(opened(token));
  site_.pass(1);
  EXPECT_FALSE(opened(token));
  EXPECT_EQ(stores().events("link.created 502 media linked00001"), 1u);
  EXPECT_EQ(stores().events(token), 0u);
}

TEST_F(Links, ApiL1ALinkCanBeForOneSite) {
  const Answer made = make(R"({"expires_in":"10","domain":"*.Bücher.Example"})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(opened(member(made, "token"))->domain, "*.xn--bcher-kva.example");
  EXPECT_EQ(
      opened(member(make(R"({"expires_in":31622400,"domain":"localhost:8080"})"), "token"))->domain,
      "localhost:8080");
  for (const char* domain : {"capacitor://localhost", "ionic://localhost:8080", "127.0.0.1:*"})
    EXPECT_EQ(opened(member(make(R"({"expires_in":60,"domain":")" + std::string(domain) + "\"}"),
                            "token"))
                  ->domain,
              domain);
}

TEST_F(Links, ApiL1AMediaThatIsNotPrivateSaysSo) {
  const Answer early = make(R"({"expires_in":60})");
  EXPECT_EQ(member(early, "visibility"), "public");
  set_visibility("unlisted");
  EXPECT_EQ(member(make(R"({"expires_in":60})"), "visibility"), "unlisted");
  set_visibility("private");
  EXPECT_FALSE(opened(member(early, "token"))) << "it was made before";
}

TEST_F(Links, ApiL1AllLinksEndTogether) {
  const std::string before = member(make(R"({"expires_in":60})"), "token");
  EXPECT_TRUE(opened(before));
  // All in the same moment.
  EXPECT_EQ(end().status, 204);
  EXPECT_FALSE(opened(before));
  const std::string after = member(make(R"({"expires_in":60})"), "token");
  EXPECT_TRUE(opened(after));
  EXPECT_EQ(end().status, 204);
  EXPECT_FALSE(opened(after));
  EXPECT_EQ(stores().events("links.ended 502 media linked00001 links_from"), 2u);
  const Answer now = ask(with_token("/v1/medias/linked00001"));
  EXPECT_EQ(member(now, "updated"), "2026-03-01T10:00:00Z");
}

TEST_F(Links, ApiL3ListsTheLinksWithoutTokensAndEndsOne) {
  set_visibility("private");
  const auto list = [&](const std::string& query = "") {
    return ask(with_token("/v1/medias/linked00001/links" + query));
  };
  EXPECT_EQ(list().body, "[]");
  const Answer first = make(R"({"expires_in":60,"name":"For <Ann>"})");
  const Answer second = make(R"({"expires_in":3600,"domain":"site.example"})");
  EXPECT_EQ(member(first, "name"), "For <Ann>");
  const std::string one = member(first, "id");
  const std::string two = member(second, "id");
  const auto made = [](const std::string& id) { return text::to_rfc3339(std::stoll(id) / 1000); };
  const std::string of_one = R"({"id":")" + one +
                             R"(","name":"For \u003cAnn\u003e","created_at":")" + made(one) +
                             R"(","expires_at":")" + member(first, "expires_at") +
                             R"(","domain":null,"made_by":502,"openings":2})";
  const std::string of_two = R"({"id":")" + two + R"(","name":"","created_at":")" + made(two) +
                             R"(","expires_at":")" + member(second, "expires_at") +
                             R"(","domain":"site.example","made_by":502,"openings":0})";
  stores().command({"HSET", "stats:openings:{media:linked00001}", one, "2"});
  EXPECT_EQ(list().body, "[" + of_two + "," + of_one + "]");
  EXPECT_EQ(list("?per_page=1&page=2").body, "[" + of_one + "]");
  EXPECT_EQ(list("?sort_by=name").status, 400);
  const auto end_one = [&](const std::string& id) {
    return ask(with_token("DELETE /v1/medias/linked00001/links/" + id)).status;
  };
  EXPECT_EQ(end_one("7"), 404);
  EXPECT_EQ(end_one("x"), 404);
  stores().take_files();
  EXPECT_EQ(end_one(two), 204);
  EXPECT_EQ(end_one(two), 404);
  EXPECT_EQ(list().body, "[" + of_one + "]");
  EXPECT_EQ(stores().events("links.ended 502 media linked00001 link " + two), 1u);
  site_.pass(60);
  EXPECT_EQ(list().body, "[]") << "the other has ended by itself";
  EXPECT_EQ(stores().events(member(first, "token")), 0u);
}

TEST_F(Links, ApiL1AMediaHasAtMostAHundredLinks) {
  for (int i = 0; i < 100; ++i) ASSERT_EQ(make(R"({"expires_in":60})").status, 201) << i;
  const Answer refused = make(R"({"expires_in":60})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(refused.has("the media has 100 links")) << refused.body;
  const Answer listed = ask(with_token("/v1/medias/linked00001/links?per_page=1"));
  const std::string id = listed.body.substr(8, listed.body.find('"', 8) - 8);
  EXPECT_EQ(ask(with_token("DELETE /v1/medias/linked00001/links/" + id)).status, 204);
  EXPECT_EQ(make(R"({"expires_in":60})").status, 409) << "addresses for it may still be good";
  site_.pass(61);
  EXPECT_EQ(make(R"({"expires_in":60})").status, 201);
}

TEST_F(Links, ApiL1RefusesWhatIsNoLink) {
  const std::string time = "must be a number of seconds from 10 to 31622400";
  const std::string site = "must have at most 128 bytes";
  const std::string longest = std::string(60, 'a') + "." + std::string(60, 'b') + ".example";
  for (const auto& [body, why] :
       {std::pair<std::string, std::string>(R"({})", time),
        {R"({"expires_in":9})", time},
        {R"({"expires_in":31622401})", time},
        {R"({"expires_in":1e300})", time},
        {R"({"expires_in":60.5})", time},
        {R"({"expires_in":null})", time},
        {R"({"expires_in":"soon"})", time},
        {R"({"expires_in":60,"name":"a\u0007b"})", "must be one line of UTF-8"},
        {R"({"expires_in":60,"name":")" + std::string(129, 'a') + "\"}",
         "must be one line of UTF-8"},
        {R"({"expires_in":60,"domain":"https://site.example"})", "must be a host name"},
        {R"({"expires_in":60,"domain":")" + longest + "\"}", site}}) {
    const Answer refused = make(body);
    EXPECT_EQ(refused.status, 422) << body;
    EXPECT_TRUE(refused.has("[\"" + why)) << refused.body;
  }
  const Answer list =
      ask(with_token(Ask("POST /v1/medias/linked00001/links")
                         .with_form({{"expires_in", "60"}, {"domain[]", "site.example"}})));
  EXPECT_EQ(list.status, 422) << "a link for every site";
  EXPECT_TRUE(list.has(R"("domain":["must be one text, not a list"])")) << list.body;
  EXPECT_EQ(ask(post(R"({"expires_in":60})", "unknown0001")).status, 404);
  EXPECT_EQ(ask(with_token("DELETE /v1/medias/unknown0001/links")).status, 404);
  EXPECT_EQ(stores().events("link"), 0u);
  const std::string reader = token_of("all:read");
  for (const char* each : {"POST", "DELETE"})
    EXPECT_EQ(ask(Ask(std::string(each) + " /v1/medias/linked00001/links")
                      .with("Authorization", "Bearer " + reader))
                  .status,
              403);
}

TEST_F(Links, ApiL1ARepetitionGetsTheSameLink) {
  const Ask asking = post(R"({"expires_in":60})").with("Idempotency-Key", "once");
  const Answer first = ask(asking);
  site_.pass(5);
  const Answer second = ask(asking);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.header("Location"), first.header("Location"));
  EXPECT_EQ(stores().events("link.created"), 1u);
  // A link is stored nowhere (oembed-W8), so the response is encrypted.
  const redis::Reply kept = stores().command({"KEYS", "oauth:repetition:*"});
  ASSERT_EQ(kept.size(), 1u);
  const redis::Reply record = stores().command({"GET", kept.at(0).text().value_or("")});
  const std::string location = first.header("Location");
  const std::string token = location.substr(location.find("watch=") + 6);
  EXPECT_FALSE(token.empty());
  EXPECT_TRUE(record.text().value_or("").starts_with("kept "));
  EXPECT_EQ(record.text().value_or("").find(token), std::string_view::npos);
}

TEST_F(Links, ApiL1WithoutKeysThereAreNoLinks) {
  site_.restart({"--watch-key-file="});
  const Answer refused = make(R"({"expires_in":60})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(refused.has("watch-key-file")) << refused.body;
  EXPECT_EQ(end().status, 204);
}

class SignedFiles : public Links {
 protected:
  void SetUp() override {
    Links::SetUp();
    film_ = media("guarded0001");
    film_.duration = 60;
    film_.project = media::ProjectId::parse("prj1launch");
    film_.thumbnail =
        media::Thumbnail{"/files/guarded0001/poster.jpg", media::Dimensions{640, 360}};
    film_.storyboard = "/files/guarded0001/storyboard.vtt";
    film_.assets.resize(2);
    for (media::Asset& asset : film_.assets) asset.bandwidth = 1000;
    film_.assets[0].url = "/files/guarded0001/index.m3u8";
    film_.assets[1].type = media::AssetType::Mp4;
    film_.assets[1].url = "https://elsewhere.example/a.mp4";
    const std::string set = media::url_of_captions(film_.id, "en", "0123456789abcdef");
    film_.captions = {{.url = "/files/guarded0001/de.vtt", .language = "de", .label = "Deutsch"},
                      {.url = set, .language = "en", .label = "English"}};
  }
  Answer get(const std::string& path) { return ask(with_token(path)); }
  // The names of the files whose addresses have a signature that nginx checks now, in the order of
  // the response. "?" follows a name whose address it would refuse.
  std::string signed_in(const Answer& answer) {
    std::string names;
    const std::string begin = "\"https://embed.svc.example:8443";
    for (std::size_t at = 0; (at = answer.body.find(begin + "/", at)) != std::string::npos;) {
      at += begin.size();
      const std::string path = answer.body.substr(at, answer.body.find('"', at) - at);
      if (!path.starts_with("/signed-files/")) continue;
      names += (names.empty() ? "" : " ") + path.substr(path.rfind('/') + 1);
      const base::SignedFolder folder{film_.id.value(), film_.links_from.value_or(0),
                                      site_.now() - site_.now() % 600 + 4199};
      if (path != "/signed-files/" + base::signed_path(stores().watch_keys(), folder) +
                      path.substr(path.rfind('/') + 1))
        names += "?";
    }
    return names;
  }

  media::Media film_;
};

TEST_F(SignedFiles, ApiL2AddressesOfAPrivateMediaHaveASignature) {
  film_.visibility = media::Visibility::Private;
  film_.links_from = 1'779'999'999'000;
  put(film_);
  const std::string all = "poster.jpg index.m3u8 de.vtt storyboard.vtt";
  for (const char* path :
       {"/v1/medias/guarded0001", "/v1/medias?hashed_id=guarded0001", "/v1/projects/prj1launch"}) {
    const Answer answer = get(path);
    EXPECT_EQ(signed_in(answer), all) << path << answer.body;
    EXPECT_FALSE(answer.has("8443/files/guarded0001"));
    EXPECT_TRUE(answer.has("https://elsewhere.example/a.mp4"));
    EXPECT_TRUE(answer.has("0123456789abcdef")) << answer.body;
    EXPECT_TRUE(answer.has("watch=")) << "a pass for the text that a client set";
  }
  const Answer edited = ask(with_token(Ask("PUT /v1/medias/guarded0001")
                                           .with("Content-Type", "application/json")
                                           .with_body(R"({"name":"After"})")));
  EXPECT_EQ(signed_in(edited), all) << edited.body;
}

TEST_F(SignedFiles, ApiL2PostersOfARestrictedMediaStayOpen) {
  film_.allowed_domains = media::AllowedDomains{"site.example"};
  put(film_);
  const Answer own = get("/v1/medias/guarded0001");
  EXPECT_EQ(signed_in(own), "index.m3u8 de.vtt storyboard.vtt") << own.body;
  EXPECT_TRUE(own.has("8443/files/guarded0001/poster.jpg"));
  film_.allowed_domains.reset();
  film_.assets.pop_back();
  put(film_);
  stores().take_files();
  EXPECT_EQ(signed_in(get("/v1/medias/guarded0001")), "");
  ask(with_token(Ask("POST /v1/allowed_domains").with_form({{"domain", "site.example"}})));
  EXPECT_EQ(signed_in(get("/v1/medias/guarded0001")), "index.m3u8 de.vtt storyboard.vtt");
  film_.allowed_domains = media::AllowedDomains{};
  put(film_);
  EXPECT_EQ(signed_in(get("/v1/medias/guarded0001")), "") << "every site";
}

// The addresses change while the record does not.
TEST_F(SignedFiles, ApiL2AnOldEntityTagIsRightForAChange) {
  film_.visibility = media::Visibility::Private;
  put(film_);
  for (const char* path : {"/v1/medias/guarded0001", "/v1/projects/prj1launch"}) {
    const Answer before = get(path);
    const std::string tag = before.header("ETag");
    const auto again = [&] { return ask(with_token(Ask(path).with("If-None-Match", tag))); };
    EXPECT_EQ(again().status, 304) << path;
    site_.pass(1200);
    const Answer after = again();
    EXPECT_EQ(after.status, 200) << path;
    EXPECT_NE(after.header("ETag"), tag);
    EXPECT_NE(after.body, before.body);
    const auto edit = [&](const std::string& description) {
      return ask(with_token(Ask(std::string("PUT ") + path)
                                .with("Content-Type", "application/json")
                                .with("If-Match", "\"other\", " + tag)
                                .with_body(R"({"description":")" + description + R"("})")));
    };
    const Answer edited = edit("After");
    EXPECT_EQ(edited.status, 200) << path << edited.body;
    EXPECT_EQ(get(path).header("ETag"), edited.header("ETag"));
    EXPECT_EQ(edit("Later").status, 412) << path;
  }
}

}  // namespace
}  // namespace svc::rules::links
