#include "pages/public/watch_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"
#include "fakes/headers.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"
#include "http/router.h"

namespace svc {
namespace {

using http::Response;

media::Asset asset_at(const std::string& url) {
  media::Asset asset;
  asset.url = url;
  return asset;
}

class WatchPage : public testing::Test {
 protected:
  using Kind = pages::WatchPage::Kind;

  WatchPage() {
    catalog_.add(fakes::example_video());
    media::Media audio = fakes::example_video("aud10only1");
    audio.type = "Audio";
    catalog_.add(audio);
    catalog_.add(fakes::example_playlist({"l4unchf1lm"}));
    router_.add("/embed/iframe/*", media_frame_);
    router_.add("/embed/playlists/*", playlist_frame_);
    router_.add("/medias/*", media_page_);
  }

  Response ask(const std::string& path) {
    http::Request request;
    request.method = "GET";
    request.path = path;
    return fakes::now(router_.answer(request));
  }

  const embed::Site site_ = fakes::example_site();
  fakes::MemoryCatalog catalog_;
  pages::WatchPage media_frame_{Kind::MediaFrame, site_, 60, 10, catalog_};
  pages::WatchPage playlist_frame_{Kind::PlaylistFrame, site_, 60, 10, catalog_};
  pages::WatchPage media_page_{Kind::MediaPage, site_, 60, 10, catalog_};
  http::Router router_;
};

TEST_F(WatchPage, OembedC2NotesDependenciesOfResponsesAndRefusals) {
  struct Case {
    std::string path;
    int status;
    std::vector<std::string> made_from;
  };
  for (const Case& c : {
           Case{"/medias/l4unchf1lm", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/medias/l4unchf1lm/manage", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/embed/iframe/l4unchf1lm", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/embed/iframe/unknown000", 404, {"catalog:media:unknown000"}},
           Case{"/embed/iframe/aud10only1", 501, {"catalog:media:aud10only1"}},
           Case{"/embed/playlists/pl4yl1st01",
                200,
                {"catalog:playlist:pl4yl1st01", "catalog:media:l4unchf1lm"}},
           Case{"/embed/playlists/unknown000", 404, {"catalog:playlist:unknown000"}},
           Case{"/medias/", 404, {}},
       }) {
    SCOPED_TRACE(c.path);
    const Response response = ask(c.path);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.made_from, c.made_from);
    EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  }
}

TEST_F(WatchPage, PagesW9HasWhatSearchEnginesAndOtherSitesRead) {
  media::Media video = fakes::example_video("hostile001");
  video.name = "</script><script>alert(1)</script> & \"q\"";
  video.description = "<p>One &amp; <b>two</b></p>";
  media::Asset file;
  file.type = media::AssetType::Mp4;
  file.url = "/deliveries/hostile001/360p.mp4";
  file.size = media::Dimensions{640, 360};
  video.assets.push_back(file);
  catalog_.add(video);
  const std::string page = ask("/medias/hostile001").body;
  for (
      const std::string_view part : {
          R"(<meta property="og:description" content="One &amp; two">)",
          R"(<meta property="og:video" content="https://assets.host.example/deliveries/hostile001/360p.mp4">)",
          R"(<meta property="og:video:type" content="video/mp4">)",
          R"(<meta property="og:video:type" content="text/html">)",
          R"x(media="(aspect-ratio: 1920/1080)">)x",
          R"(<script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject",)"
          R"x("name":"\u003c/script\u003e\u003cscript\u003ealert(1)\u003c/script\u003e \u0026 \"q\"",)x"
          R"("description":"One \u0026 two",)",
          R"("uploadDate":"2026-03-01T10:00:00Z","duration":"PT16.43S",)"
          R"("url":"https://embed.host.example/medias/hostile001",)"
          R"("embedUrl":"https://embed.host.example/embed/iframe/hostile001",)"
          R"("contentUrl":"https://assets.host.example/deliveries/hostile001/360p.mp4","width":1920,"height":1080}</script>)",
      }) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const std::string plain = ask("/medias/l4unchf1lm").body;
  for (const std::string_view part :
       {"og:description", "\"og:video\"", "contentUrl", "\"description\""})
    EXPECT_EQ(plain.find(part), std::string::npos) << part;
}

TEST_F(WatchPage, PagesW9HasTheRatioOfTheVideoAndWhatToShare) {
  media::Media tall = fakes::example_video("p0rtrait99");
  tall.native = media::Dimensions{1080, 1920};
  catalog_.add(tall);
  const std::string page = ask("/medias/p0rtrait99").body;
  for (const std::string_view part : {
           R"(%20width=%224320%22%20height=%227680%22/%3E" alt="">)",
           R"x(media="(aspect-ratio: 1080/1920)">)x",
           R"(value="https://embed.host.example/medias/p0rtrait99" readonly)",
           R"(data-copy="page-link" hidden>Copy the link</button>)",
           R"(&lt;iframe src=&quot;https://embed.host.example/embed/iframe/p0rtrait99&quot;)",
           R"(data-copy="embed-code" hidden>Copy the embed code</button>)",
           R"(<a href="https://app.home.example/"><bdi>Svc &amp; Co</bdi></a>)",
       }) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
}

TEST_F(WatchPage, PagesW25FramesAllowTheHostsOfTheirFiles) {
  media::Media film = fakes::example_video("f0reign001");
  film.assets = {asset_at("https://cdn.example:8443/a/index.m3u8"),
                 asset_at("https://cdn.example:8443/a.mp4"), asset_at("/deliveries/a.mp4")};
  media::Captions captions;
  captions.url = "http://[2001:db8::1]/a.vtt";
  film.captions = {captions};
  film.storyboard = "https://my_boards.example/a.vtt";
  catalog_.add(film);
  catalog_.add(fakes::example_playlist({"l4unchf1lm", "f0reign001"}));
  const std::string hosts = "https://embed.host.example https://assets.host.example";
  const std::string all = hosts + " http: https: https://cdn.example:8443";
  const auto files_of = [&](const std::string& path) {
    const std::string policy = fakes::header(ask(path), "Content-Security-Policy");
    return policy.substr(policy.find("media-src"));
  };
  EXPECT_EQ(files_of("/embed/iframe/f0reign001"),
            "media-src " + all + " blob:; connect-src " + all);
  EXPECT_EQ(files_of("/embed/playlists/pl4yl1st01"),
            "media-src " + all + " blob:; connect-src " + all);
  EXPECT_EQ(files_of("/embed/iframe/l4unchf1lm"),
            "media-src " + hosts + " blob:; connect-src " + hosts);
  EXPECT_EQ(files_of("/embed/iframe/unknown000"),
            "media-src " + hosts + " blob:; connect-src " + hosts);
}

TEST_F(WatchPage, PagesW25FramesAllowTheSchemesOfTooManyHosts) {
  media::Media film = fakes::example_video("f0reign001");
  film.assets.clear();
  for (int i = 0; i < 500; ++i) {
    const std::string host = "host-" + std::to_string(i) + ".example";
    film.assets.push_back(asset_at("https://" + host + "/a.mp4"));
  }
  catalog_.add(film);
  const std::string policy =
      fakes::header(ask("/embed/iframe/f0reign001"), "Content-Security-Policy");
  EXPECT_TRUE(policy.ends_with(" https://assets.host.example https:")) << policy;
}

TEST_F(WatchPage, PagesW25TheAssetBaseIsAnOriginInThePolicy) {
  embed::Site site = fakes::example_site();
  site.asset_base = "https://cdn.example/films";
  pages::WatchPage frame{Kind::MediaFrame, site, 60, 10, catalog_};
  http::Router router;
  router.add("/embed/iframe/*", frame);
  http::Request request;
  request.method = "GET";
  request.path = "/embed/iframe/l4unchf1lm";
  const std::string policy =
      fakes::header(fakes::now(router.answer(request)), "Content-Security-Policy");
  EXPECT_TRUE(policy.ends_with("connect-src https://embed.host.example https://cdn.example"))
      << policy;
}

}  // namespace
}  // namespace svc
