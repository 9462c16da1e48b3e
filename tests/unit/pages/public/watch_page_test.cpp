#include "pages/public/watch_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fakes/examples.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"
#include "http/router.h"
#include "pages/public/embed_codes_page.h"

namespace svc {
namespace {

using http::Response;

class WatchPage : public testing::Test {
 protected:
  using Kind = pages::WatchPage::Kind;

  WatchPage() {
    catalog_.add(fakes::example_video());
    media::Media audio = fakes::example_video("aud10only1");
    audio.type = "Audio";
    catalog_.add(audio);
    catalog_.add(fakes::example_playlist({"l4unchf1lm"}));
    router_.add_below(pages::WatchPage::folder(Kind::MediaFrame), media_frame_);
    router_.add_below(pages::WatchPage::folder(Kind::PlaylistFrame), playlist_frame_);
    router_.add_below(pages::WatchPage::folder(Kind::MediaPage), media_page_);
    router_.add("/embed-codes", embed_codes_);
  }

  Response ask(const std::string& path, const std::string& query = "") {
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.query = query;
    return fakes::now(router_.answer(request));
  }

  const embed::Site site_ = fakes::example_site();
  fakes::MemoryCatalog catalog_;
  pages::WatchPage media_frame_{Kind::MediaFrame, site_, 60, 10, catalog_};
  pages::WatchPage playlist_frame_{Kind::PlaylistFrame, site_, 60, 10, catalog_};
  pages::WatchPage media_page_{Kind::MediaPage, site_, 60, 10, catalog_};
  pages::EmbedCodesPage embed_codes_{site_, catalog_};
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

TEST_F(WatchPage, IsAPageAlsoIfTheStoreIsUnavailable) {
  catalog_.away = true;
  const Response response = ask("/medias/l4unchf1lm");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
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
           R"(<canvas width="4320" height="7680" aria-hidden="true"></canvas>)",
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

TEST_F(WatchPage, EmbedCodesNameTheSizeOfEachCode) {
  const Response response = ask("/embed-codes");
  for (const std::string_view name : {"Async, 600 × 366", "Async, responsive", "Popover, 150 × 100",
                                      "Iframe, 640 × 360", "Iframe, responsive"}) {
    EXPECT_NE(response.body.find(name), std::string::npos) << name;
  }
}

TEST_F(WatchPage, EmbedCodesAcceptIdsOfVideosAndPlaylists) {
  struct Case {
    std::string_view pasted;
    std::vector<std::string> asked;
    std::string_view shows;
  };
  for (const Case& c : {
           Case{"l4unchf1lm", {"find media l4unchf1lm", "find media l4unchf1lm"}, "Launch film"},
           Case{"pl4yl1st01",
                {"find media pl4yl1st01", "find playlist pl4yl1st01", "find playlist pl4yl1st01",
                 "find medias l4unchf1lm"},
                "Launch week"},
           Case{"unknown000",
                {"find media unknown000", "find playlist unknown000", "find media unknown000"},
                "There is no video or playlist"},
           Case{"", {}, "embed-codes"},
       }) {
    SCOPED_TRACE(c.pasted);
    catalog_.asked.clear();
    const Response response = ask("/embed-codes", "url=" + std::string(c.pasted));
    EXPECT_EQ(response.status, 200);
    EXPECT_NE(response.body.find(c.shows), std::string::npos) << response.body;
    EXPECT_EQ(catalog_.asked, c.asked);
  }
}

TEST_F(WatchPage, PagesW10EmbedCodesAreFilledWithTheChosenVideo) {
  const std::string empty = ask("/embed-codes").body;
  EXPECT_NE(empty.find("svc_async_ID"), std::string::npos);
  EXPECT_NE(empty.find("Replace <code>ID</code>"), std::string::npos);
  const std::string page = ask("/embed-codes", "url=l4unchf1lm").body;
  EXPECT_EQ(page.find("svc_async_ID"), std::string::npos);
  EXPECT_EQ(page.find("TITLE"), std::string::npos);
  EXPECT_NE(page.find("svc_async_l4unchf1lm"), std::string::npos);
}

TEST_F(WatchPage, PagesW10EmbedCodesHaveAmpOnlyIfThereIsAComponent) {
  EXPECT_EQ(ask("/embed-codes").body.find("amp-svc-player"), std::string::npos);
  embed::Site with_amp = site_;
  with_amp.amp_script_url = "https://amp.example/player.js?a&b";
  pages::EmbedCodesPage page(with_amp, catalog_);
  http::Request request;
  request.method = "GET";
  request.path = "/embed-codes";
  EXPECT_NE(fakes::now(page.answer(request))
                .body.find("src=&quot;https://amp.example/player.js?a&amp;amp;b&quot;"),
            std::string::npos);
  request.query = "url=l4unchf1lm";
  EXPECT_NE(
      fakes::now(page.answer(request)).body.find("data-media-hashed-id=&quot;l4unchf1lm&quot;"),
      std::string::npos);
  request.query = "url=pl4yl1st01";
  EXPECT_EQ(fakes::now(page.answer(request)).body.find("amp-svc-player"), std::string::npos)
      << "for videos only";
}

TEST_F(WatchPage, PagesW10EmbedCodesPreviewEachType) {
  struct Case {
    std::string_view query, shows;
  };
  for (
      const Case& c : {
          Case{
              "",
              R"(<canvas width="640" height="360" aria-hidden="true"></canvas><iframe src="https://embed.host.example/embed/iframe/l4unchf1lm" )"},
          Case{"&width=320", R"(<canvas width="320" height="180")"},
          Case{"&videoFoam=true", R"(<canvas width="2560" height="1440")"},
          Case{"&embedType=async&playerColor=%23ff0000&muted=true",
               R"(/embed/iframe/l4unchf1lm?muted=true&amp;playerColor=ff0000")"},
          Case{"&embedType=async_popover", R"(image_crop_resized=150x100" alt="Thumbnail")"},
          Case{"&embedType=open_graph_tags", R"(image_crop_resized=640x360" alt="Thumbnail")"},
      }) {
    const std::string page = ask("/embed-codes", "url=l4unchf1lm" + std::string(c.query)).body;
    EXPECT_NE(page.find(c.shows), std::string::npos) << c.query << page;
  }
}

TEST_F(WatchPage, PagesW10EmbedCodesRefuseValuesAndNameTheReason) {
  struct Case {
    std::string_view query, field, reason;
  };
  for (const Case& c : {
           Case{"width=0", "width",
                "Width, in pixels: must be a whole number of pixels from 1 to 10,000."},
           Case{"height=9x", "height", "Height, in pixels: must be a whole number"},
           Case{"playerColor=red", "playerColor", "must be six hexadecimal digits"},
           Case{"playerColor=%23%23ff000", "playerColor", "must be six hexadecimal digits"},
           Case{"stillUrl=javascript:alert(1)", "stillUrl", "must be the address of a picture"},
           Case{"time=1m30", "", ""},
           Case{"time=1s30m", "time", "must be a time such as"},
           Case{"time=soon", "time", "must be a time such as"},
           Case{"volume=1.5", "volume", "must be a number from 0 to 1"},
           Case{"volume=0.5", "", ""},
           Case{"qualityMin=1", "qualityMin", "must be a whole number of lines"},
           Case{"qualityMin=720&qualityMax=360", "qualityMax",
                "must not be below the least quality"},
           Case{"handle=document.title", "handle", "must be a free JavaScript name"},
           Case{"handle=app.player", "", ""},
           Case{"embedType=nonsense", "embedType", "The type must be one of this list."},
           Case{"muted=perhaps", "muted", "Without sound: must be true or false."},
           Case{"preload=all", "preload", "must be one of its list"},
           Case{"preload=auto&endVideoBehavior=loop&playbar=false", "", ""},
       }) {
    SCOPED_TRACE(c.query);
    const std::string page = ask("/embed-codes", "url=l4unchf1lm&" + std::string(c.query)).body;
    const bool has_code = page.find("<textarea id=\"code\"") != std::string::npos;
    EXPECT_EQ(has_code, c.field.empty());
    if (c.field.empty()) continue;
    const std::size_t summary = page.find("<li><a href=\"#" + std::string(c.field) + "\">");
    ASSERT_NE(summary, std::string::npos) << page;
    EXPECT_NE(page.find(c.reason, summary), std::string::npos);
    EXPECT_NE(page.find("id=\"" + std::string(c.field) + "\""), std::string::npos)
        << "the link leads there";
  }
}

TEST_F(WatchPage, PagesW10EmbedCodesNameTheReasonThatThereIsNoCode) {
  media::Media queued = fakes::example_video("qu3u3d0001");
  queued.status = media::Status::Processing;
  catalog_.add(queued);
  media::Media failed = fakes::example_video("f41l3d0001");
  failed.status = media::Status::Failed;
  catalog_.add(failed);
  catalog_.add(fakes::example_playlist({"aud10only1"}, "pl4ynov1d0"));
  for (const auto& [pasted, reason] : {
           std::pair{"aud10only1", "its type is Audio. Only videos"},
           std::pair{"qu3u3d0001", "still being processed"},
           std::pair{"f41l3d0001", "There is no video or playlist"},
           std::pair{"pl4ynov1d0", "has no video that can be embedded"},
           std::pair{"https://evil.example/medias/l4unchf1lm", "This is not the address of"},
           std::pair{"", "Enter the address or the id"},
       }) {
    const std::string page = ask("/embed-codes", "url=" + std::string(pasted)).body;
    EXPECT_NE(page.find(reason), std::string::npos) << pasted << page;
    EXPECT_EQ(page.find("<textarea id=\"code\""), std::string::npos) << pasted;
  }
}

}  // namespace
}  // namespace svc
