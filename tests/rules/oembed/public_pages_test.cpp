// oembed.md, Discovery; the public pages of media (pages-W9, W10, W25).
#include <gtest/gtest.h>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using PublicPagesOnTheWire = OembedRules;
using PublicPages = OembedRules;
using namespace std::string_literals;

TEST_F(PublicPagesOnTheWire, EachPageLinksToItsOembedResponseAndItsPlayer) {
  const auto discovery = [](const std::string& type, const std::string& page,
                            const std::string& format) {
    return "type=\"" + type + "\" href=\"https://oembed.svc.example/oembed?url=" +
           text::percent_encode(kEmbedHost + page) + "&amp;format=" + format + "\"";
  };
  for (const auto& [path, page, player] :
       {std::tuple("/medias/l4unchf1lm", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm"),
        {"/medias/l4unchf1lm/manage", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm"},
        {"/embed/iframe/l4unchf1lm", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm"},
        {"/embed/playlists/pl4yl1st01", "/embed/playlists/pl4yl1st01",
         "/embed/playlists/pl4yl1st01"}}) {
    const std::string frame = kEmbedHost + player;
    expect_page(path, {discovery("application/json+oembed", page, "json"),
                       discovery("text/xml+oembed", page, "xml"),
                       discovery("application/xml+oembed", page, "xml"),
                       "<link rel=\"iframely player\" type=\"text/html\" href=\"" + frame + "\"",
                       "name=\"twitter:player\" content=\"" + frame + "\"",
                       "property=\"og:video:url\" content=\"" + frame + "\""});
    EXPECT_EQ(ask(frame).status, 200);
  }
}

TEST_F(PublicPagesOnTheWire, APageWithoutAVideoExplainsIt) {
  for (const auto& [path, status] : {std::pair("/medias/nobodyhasthis", 404),
                                     {"/medias/aud10only1", 501},
                                     {"/embed/iframe/qu3u3d0001", 501},
                                     {"/medias/", 404},
                                     {"/embed/iframe/%3Cscript%3E", 404},
                                     {"/embed/playlists/pl4yempty0", 501},
                                     {"/embed/playlists/l4unchf1lm", 404}}) {
    SCOPED_TRACE(path);
    const Answer page = ask(path);
    EXPECT_EQ(page.status, status);
    EXPECT_EQ(page.type, kHtml);
    EXPECT_TRUE(page.has("<meta name=\"robots\"")) << page.body;
    for (const char* none : {"<video", "<script>"}) EXPECT_FALSE(page.has(none)) << page.body;
    // The page of embed codes is on the web application's host only, and in no frame.
    EXPECT_EQ(count(page.body,
                    "<a class=\"button primary\" href=\"https://app.svc.example/embed-codes\""),
              std::string_view(path).starts_with("/embed/") ? 0u : 1u);
    EXPECT_EQ(page.header("Cache-Control"), "public, max-age=10");
  }
}

TEST_F(PublicPages, PagesW9HasWhatSearchEnginesAndOtherSitesRead) {
  import_film("hostile001", {{"name", R"("</script><script>alert(1)</script> & \"q\"")"},
                             {"description", R"("<p>One &amp; <b>two</b></p>")"},
                             {"assets", R"([{"type":"mp4","url":"/d/360p.mp4","bandwidth":1,)"
                                        R"("width":640,"height":360}])"}});
  const std::string file = kEmbedHost + "/d/360p.mp4";
  expect_page(
      "/medias/hostile001",
      {R"(<meta property="og:description" content="One &amp; two">)",
       "<meta property=\"og:video\" content=\"" + file + "\">",
       R"(<meta property="og:video:type" content="video/mp4">)",
       R"(<meta property="og:video:type" content="text/html">)",
       R"x(media="(aspect-ratio: 1920/1080)">)x",
       R"(<script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject",)"
       R"x("name":"\u003c/script\u003e\u003cscript\u003ealert(1)\u003c/script\u003e \u0026 \"q\"",)x"
       R"("description":"One \u0026 two",)",
       R"("uploadDate":"2026-03-01T10:00:00Z","duration":"PT8.008S","url":")" + kEmbedHost +
           R"(/medias/hostile001","embedUrl":")" + kEmbedHost +
           R"(/embed/iframe/hostile001","contentUrl":")" + file +
           R"(","width":1920,"height":1080}</script>)"});
  import_film("plain");
  const Answer plain = ask("/medias/plain");
  for (const char* part : {"og:description", "\"og:video\"", "contentUrl", "\"description\""})
    EXPECT_FALSE(plain.has(part)) << part;
}

TEST_F(PublicPages, PagesW9HasTheRatioOfTheVideoAndWhatToShare) {
  expect_page("/medias/p0rtrait99",
              {R"(%20width=%224320%22%20height=%227680%22/%3E" alt="">)",
               R"x(media="(aspect-ratio: 1080/1920)">)x",
               "value=\"" + kEmbedHost + "/medias/p0rtrait99\" readonly",
               R"(data-copy="page-link" hidden>Copy the link</button>)",
               "&lt;iframe src=&quot;" + kEmbedHost + "/embed/iframe/p0rtrait99&quot;",
               R"(data-copy="embed-code" hidden>Copy the embed code</button>)",
               R"(<a class="brand" href="https://app.svc.example/">)"});
  expect_page("/embed/iframe/mp4only001",
              {R"(type="video/mp4")", kEmbedHost + "/deliveries/clipmp4/360p.mp4"});
}

TEST_F(PublicPages, PagesW25FramesAllowTheHostsOfTheirFiles) {
  import_film(
      "f0reign001",
      {{"assets",
        R"([{"type":"hls","url":"https://cdn.example:8443/a/index.m3u8","bandwidth":1},)"
        R"({"type":"mp4","url":"https://cdn.example:8443/a.mp4","bandwidth":1},)"
        R"({"type":"mp4","url":"/deliveries/a.mp4","bandwidth":1},)"
        R"({"type":"captions","url":"http://[2001:db8::1]/a.vtt","language":"en","label":"E"},)"
        R"({"type":"storyboard","url":"https://my_boards.example/a.vtt"}])"}});
  import_playlist("f0reign001", {"l4unchf1lm", "f0reign001"});
  const std::string all = kEmbedHost + " http: https: https://cdn.example:8443";
  const auto policy = [&](const std::string& path) {
    return ask(path).header("Content-Security-Policy");
  };
  for (const auto& [path, hosts] : {std::pair("/embed/iframe/f0reign001", all),
                                    {"/embed/playlists/f0reign001", all},
                                    {"/embed/iframe/l4unchf1lm", kEmbedHost},
                                    {"/embed/iframe/unknown000", kEmbedHost}}) {
    EXPECT_TRUE(policy(path).ends_with("; media-src " + hosts + " blob:; connect-src " + hosts))
        << policy(path);
    EXPECT_EQ(policy(path).find("frame-ancestors"), std::string::npos) << path;
  }
  for (const char* path : {"/medias/l4unchf1lm", "/embed-codes"})
    EXPECT_NE(policy(path).find("frame-ancestors 'none'"), std::string::npos) << path;
  std::string assets;
  for (int i = 0; i < 60; ++i) {
    const std::string host = std::string(50, 'h') + std::to_string(i) + ".example";
    assets += (i == 0 ? "" : ",") + R"({"type":"mp4","bandwidth":1,"url":"https://)"s + host +
              "/a.mp4\"}";
  }
  import_film("f0reign001", {{"assets", "[" + assets + "]"}});
  EXPECT_TRUE(policy("/embed/iframe/f0reign001").ends_with("connect-src " + kEmbedHost + " https:"))
      << "too many hosts: their schemes";
}

class WithAnAssetBase : public OembedRules {
 protected:
  WithAnAssetBase()
      : OembedRules({"--asset-base=https://cdn.example/films",
                     "--amp-script-url=https://amp.example/player.js"}) {}
};

TEST_F(WithAnAssetBase, PagesW25TheAssetBaseIsAnOriginInThePolicy) {
  EXPECT_TRUE(ask("/embed/iframe/l4unchf1lm")
                  .header("Content-Security-Policy")
                  .ends_with("connect-src " + kEmbedHost + " https://cdn.example"));
}

TEST_F(WithAnAssetBase, PagesW10HasAmpOnlyIfThereIsAComponent) {
  const std::string script = "src=&quot;https://amp.example/player.js&quot;";
  const std::string player = "amp-svc-player data-media-hashed-id=&quot;l4unchf1lm&quot;";
  expect_page("/embed-codes", {script});
  expect_page("/embed-codes?url=l4unchf1lm", {player});
  EXPECT_FALSE(ask("/embed-codes?url=pl4yl1st01").has("amp-svc-player")) << "for videos only";
}

TEST_F(PublicPagesOnTheWire, PagesW10ThePageOfEmbedCodesIsFilledWithTheChosenVideo) {
  const Answer empty = ask("/embed-codes");
  for (const char* text :
       {"Async, 600 × 366", "Async, responsive", "Popover, 150 × 100", "Iframe, 640 × 360",
        "Iframe, responsive", "height:366px;width:600px", "?seo=true&amp;amp;videoFoam=false",
        "and <code>TITLE</code>, where there is one", "svc_async_ID", "Replace <code>ID</code>"})
    EXPECT_TRUE(empty.has(text)) << text;
  EXPECT_FALSE(empty.has("amp-svc-player"));
  for (const auto& [pasted, shows] :
       {std::pair("l4unchf1lm", "svc_async_l4unchf1lm"),
        {"pl4yl1st01", "The launch films"},
        {"+pl4yl1st01+", "The launch films"},
        {"https%3A%2F%2Fsvc.localhost%2Fm%2Fl4unchf1lm", "svc_async_l4unchf1lm"}}) {
    const Answer page = ask("/embed-codes?url=" + std::string(pasted));
    EXPECT_TRUE(page.has(shows)) << pasted << page.body;
    for (const char* none : {"svc_async_ID", "TITLE"}) EXPECT_FALSE(page.has(none)) << pasted;
  }
}

TEST_F(PublicPagesOnTheWire, PagesW10ShowsTheOembedResponseAndAPreview) {
  struct Choice {
    std::string query, preview;
  };
  const std::string frame = "<iframe src=\"" + kEmbedHost + "/embed/iframe/l4unchf1lm";
  for (const Choice& row : {
           Choice{"", R"(%20width=%22640%22%20height=%22360%22/%3E" alt="">)" + frame + "\" "},
           {"&width=320", "%20width=%22320%22%20height=%22180%22"},
           {"&videoFoam=true", "%20width=%222560%22%20height=%221440%22"},
           {"&embedType=async&width=500", frame},
           {"&embedType=async&videoFoam=true&playerColor=ff0000", frame},
           {"&embedType=async&playerColor=%23ff0000&muted=true",
            frame + "?muted=true&amp;playerColor=ff0000\""},
           {"&embedType=async_popover", R"(image_crop_resized=150x100" alt="Thumbnail")"},
           {"&embedType=open_graph_tags", R"(image_crop_resized=640x360" alt="Thumbnail")"},
       }) {
    SCOPED_TRACE(row.query);
    const std::string page = ask("/embed-codes?url=l4unchf1lm" + row.query).body;
    EXPECT_NE(page.find(row.preview), std::string::npos) << page;
    const auto text_of = [&](const std::string& id) {
      const std::size_t begin = page.find('>', page.find("<textarea id=\"" + id + '"')) + 1;
      const std::string text =
          unescaped(page.substr(begin, page.find("</textarea>", begin) - begin));
      return text.starts_with('\n') ? text.substr(1) : text;
    };
    std::string query = row.query;
    if (const std::size_t mark = query.find("%23"); mark != std::string::npos) query.erase(mark, 3);
    const Answer answer = ask(oembed_of(kEmbedHost + "/medias/l4unchf1lm") + query);
    EXPECT_EQ(text_of("code"), value_of(answer, "html"));
    EXPECT_NE(unescaped(page).find(answer.body.substr(0, 24)), std::string::npos);
  }
}

TEST_F(PublicPages, PagesW10RefusesValuesAndNamesTheReason) {
  struct Value {
    std::string query, field, reason;  // without a field: it is accepted
  };
  for (const Value& row : {
           Value{"width=0", "width",
                 "Width, in pixels: must be a whole number of pixels from 1 to 10,000."},
           {"height=9x", "height", "Height, in pixels: must be a whole number"},
           {"playerColor=red", "playerColor", "must be six hexadecimal digits"},
           {"playerColor=%23%23ff000", "playerColor", "must be six hexadecimal digits"},
           {"stillUrl=javascript:alert(1)", "stillUrl", "must be the address of a picture"},
           {"stillUrl=https://x.example/a.jpg", "", ""},
           {"time=1m30", "", ""},
           {"time=1s30m", "time", "must be a time such as"},
           {"time=soon", "time", "must be a time such as"},
           {"volume=1.5", "volume", "must be a number from 0 to 1"},
           {"volume=0.5", "", ""},
           {"qualityMin=1", "qualityMin", "must be a whole number of lines"},
           {"qualityMin=720&qualityMax=360", "qualityMax", "must not be below the lowest quality"},
           {"qualityMin=720&qualityMax=720", "", ""},
           {"handle=document.title", "handle", "must be a free JavaScript name"},
           {"handle=app.player", "", ""},
           {"embedType=nonsense", "embedType", "The type must be one of this list."},
           {"muted=perhaps", "muted", "Muted: must be true or false."},
           {"preload=all", "preload", "must be one of its list"},
           {"preload=auto&endVideoBehavior=loop&playbar=false", "", ""},
       }) {
    SCOPED_TRACE(row.query);
    const Answer page = ask("/embed-codes?url=l4unchf1lm&" + row.query);
    EXPECT_EQ(page.has("<textarea id=\"code\""), row.field.empty());
    if (row.field.empty()) continue;
    const std::size_t summary = page.body.find("<li><a href=\"#" + row.field + "\">");
    ASSERT_NE(summary, std::string::npos) << page.body;
    EXPECT_NE(page.body.find(row.reason, summary), std::string::npos);
    EXPECT_TRUE(page.has("id=\"" + row.field + "\"")) << "the link leads there";
  }
}

TEST_F(PublicPages, PagesW10ExplainsAMissingCode) {
  import_film("f41l3d0001", {{"status", R"("failed")"}});
  for (const auto& [pasted, reason] :
       {std::pair("aud10only1", "its type is Audio. Only videos"),
        {"qu3u3d0001", "still being processed"},
        {"f41l3d0001", "There is no video or playlist"},
        {"unknown000", "There is no video or playlist"},
        {"pl4ynov1d0", "has no video that can be embedded"},
        {"https://evil.example/medias/l4unchf1lm", "This is not the address of"},
        {"", "Enter the address or the id"}}) {
    const Answer page = ask("/embed-codes?url=" + std::string(pasted));
    EXPECT_TRUE(page.has(reason)) << pasted << page.body;
    EXPECT_FALSE(page.has("<textarea id=\"code\"")) << pasted;
  }
}

}  // namespace
}  // namespace svc::rules
