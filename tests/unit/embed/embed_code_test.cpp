#include "embed/embed_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fakes/examples.h"

namespace svc::embed {
namespace {

const Site kSite = fakes::example_site();

// The embed code of `subject` for an oEmbed request with this query.
std::string code(std::string_view query, const Embeddable& subject, const Site& site = kSite) {
  const EmbedRequest request =
      read_embed_request({subject.kind, subject.id.value(), {}}, text::Form::parse(query));
  return build_embed_code(request, subject, fit(request.size, subject.native), site);
}

Embeddable video() { return embeddable(fakes::example_video()); }
Embeddable titled(const std::string& title) {
  Embeddable subject = video();
  subject.title = title;
  return subject;
}
Embeddable sized(media::Dimensions native) {
  Embeddable subject = video();
  subject.native = native;
  return subject;
}
Embeddable playlist() {
  return *embeddable(fakes::example_playlist({"l4unchf1lm"}), {fakes::example_video()});
}

// Scripts before or after the part that a test checks.
constexpr std::string_view kAsyncScript =
    R"(<script charset="ISO-8859-1" src="https://embed.host.example/assets/external/E-v1.js" async></script>)";
constexpr std::string_view kIframeScript =
    R"(<script src="https://embed.host.example/assets/external/E-v1.js" async></script>)";

TEST(EmbedCode, IframeIsTheDefault) {
  EXPECT_EQ(
      code("", video()),
      R"(<iframe src="https://embed.host.example/embed/iframe/l4unchf1lm" )"
      R"(title="Launch film Video" allow="autoplay; fullscreen" allowtransparency="true" )"
      R"(frameborder="0" scrolling="no" class="svc_embed" name="svc_embed" msallowfullscreen )"
      R"(width="640" height="360"></iframe>)"
      "\n"
      R"(<script src="https://embed.host.example/assets/external/E-v1.js" async></script>)");
}

TEST(EmbedCode, IframeHasTheRequestedSize) {
  const std::string html = code("maxwidth=500", video());
  EXPECT_NE(html.find(R"(msallowfullscreen width="500" height="281"></iframe>)"), std::string::npos)
      << html;
}

TEST(EmbedCode, OembedO18IframesAreLazyIfRequested) {
  for (const Embeddable& subject : {video(), playlist()}) {
    for (const std::string responsive : {"", "videoFoam=true&"}) {
      const std::string eager = code(responsive, subject);
      std::string lazy = eager;
      lazy.insert(lazy.find("></iframe>"), R"( loading="lazy")");
      EXPECT_EQ(code(responsive + "loading=lazy", subject), lazy);
      EXPECT_EQ(code(responsive + "loading=never&loading=lazy", subject), lazy);
      for (const char* other : {"loading=eager&loading=lazy", "loading=", "loading=Lazy"})
        EXPECT_EQ(code(responsive + other, subject), eager) << other;
    }
    for (const std::string type : {"async", "async_popover"}) {
      EXPECT_EQ(code("loading=lazy&embedType=" + type, subject),
                code("embedType=" + type, subject));
    }
  }
}

TEST(EmbedCode, OembedO2IframeCarriesOptionsInItsQuery) {
  EXPECT_EQ(
      code("wmode=x&autoPlay=true&theme=a b%26c/é&plugin[a][on]=%22%3E&unknown=1", video()),
      R"(<iframe src="https://embed.host.example/embed/iframe/l4unchf1lm)"
      R"(?autoPlay=true&amp;plugin%5Ba%5D%5Bon%5D=%22%3E&amp;theme=a%20b%26c%2F%C3%A9&amp;wmode=x" )"
      R"(title="Launch film Video" allow="autoplay; fullscreen" allowtransparency="true" )"
      R"(frameborder="0" scrolling="no" class="svc_embed" name="svc_embed" msallowfullscreen )"
      R"(width="640" height="360"></iframe>)"
      "\n" +
          std::string(kIframeScript));
}

TEST(EmbedCode, OembedR5ReplacesMarkupInIframeTitlesByLookAlikes) {
  struct Case {
    std::string_view name, title, attribute;
  };
  for (const Case& c : {
           Case{"plain", "Launch film", "Launch film Video"},
           Case{"none", "", "Video"},
           Case{"a quote", R"(a"b)", "a”b Video"},
           Case{"tags", "<b>x</b>", "‹b›x‹/b› Video"},
           Case{"an ampersand and an apostrophe", "Q&A's", "Q&amp;A&#39;s Video"},
           Case{"an entity, once escaped", "&quot;", "&amp;quot; Video"},
           Case{"an attack", R"("><script>alert('x')</script>)",
                "”›‹script›alert(&#39;x&#39;)‹/script› Video"},
           Case{"international", "Ćlara 陈 😀", "Ćlara 陈 😀 Video"},
       }) {
    SCOPED_TRACE(c.name);
    const std::string html = code("", titled(std::string(c.title)));
    EXPECT_NE(html.find(" title=\"" + std::string(c.attribute) + "\" allow="), std::string::npos)
        << html;
  }
}

TEST(EmbedCode, AsyncIsAScriptAndADiv) {
  EXPECT_EQ(code("embedType=async", video()),
            std::string(kAsyncScript) + R"(<div class="svc_embed svc_async_l4unchf1lm" )"
                                        R"(style="height:360px;width:640px">&nbsp;</div>)");
}

TEST(EmbedCode, OembedO2AsyncCarriesOptionsInItsClass) {
  EXPECT_EQ(
      code("embedType=async&width=400&wmode=x&autoPlay=true&theme=a b%26\"é&plugin[a]=1", video()),
      std::string(kAsyncScript) +
          R"(<div class="svc_embed svc_async_l4unchf1lm autoPlay=true plugin[a]=1 )"
          R"(theme=a%20b%26%22%C3%A9 wmode=x" style="height:225px;width:400px">&nbsp;</div>)");
}

TEST(EmbedCode, OembedO3AsyncCarriesItsHandleInItsClass) {
  EXPECT_EQ(code("embedType=async&handle=app.player&muted=true&autoPlay=true", video()),
            std::string(kAsyncScript) +
                R"(<div class="svc_embed svc_async_l4unchf1lm autoPlay=true handle=app.player )"
                R"(muted=true" style="height:360px;width:640px">&nbsp;</div>)");
  EXPECT_EQ(code("embedType=async&handle=svcEmbed", video()), code("embedType=async", video()));
  EXPECT_EQ(code("embedType=async&handle=this", video()), code("embedType=async", video()));
}

TEST(EmbedCode, PopoverIsAThumbnailToClickOn) {
  EXPECT_EQ(code("embedType=async_popover", video()),
            std::string(kAsyncScript) +
                R"(<span class="svc_embed svc_async_l4unchf1lm popover=true" )"
                R"(style="display:inline-block;height:100px;width:150px">&nbsp;</span>)");
}

TEST(EmbedCode, PopoverHasTheRequestedSizeAndOptions) {
  EXPECT_EQ(
      code("embedType=async&popover=true&width=300&popoverContent=thumbnail&muted=true", video()),
      std::string(kAsyncScript) +
          R"(<span class="svc_embed svc_async_l4unchf1lm popover=true muted=true )"
          R"(popoverContent=thumbnail" style="display:inline-block;height:169px;width:300px">)"
          R"(&nbsp;</span>)");
  for (const std::string type : {"async_popover", "playlist_popover"})
    EXPECT_EQ(code("embedType=" + type + "&maxwidth=300", playlist()),
              code("embedType=" + type + "&width=300", playlist()));
}

TEST(EmbedCode, ResponsiveAsync) {
  EXPECT_EQ(code("embedType=async&videoFoam=true&muted=true&width=300", video()),
            std::string(kAsyncScript) +
                R"(<div class="svc_responsive_padding" )"
                R"(style="padding:56.25% 0 28px 0;position:relative;">)"
                R"(<div class="svc_responsive_wrapper" )"
                R"(style="height:100%;left:0;position:absolute;top:0;width:100%;">)"
                R"(<div class="svc_embed svc_async_l4unchf1lm videoFoam=true muted=true" )"
                R"(style="height:100%;width:100%">&nbsp;</div></div></div>)");
}

TEST(EmbedCode, ResponsiveIframe) {
  EXPECT_EQ(
      code("videoFoam=true&autoPlay=true&width=300", video()),
      R"(<div class="svc_responsive_padding" style="padding:56.25% 0 0 0;position:relative;">)"
      R"(<div class="svc_responsive_wrapper" )"
      R"(style="height:100%;left:0;position:absolute;top:0;width:100%;">)"
      R"(<iframe src="https://embed.host.example/embed/iframe/l4unchf1lm)"
      R"(?autoPlay=true&amp;seo=true&amp;videoFoam=true" )"
      R"(title="Launch film Video" allow="autoplay; fullscreen" allowtransparency="true" )"
      R"(frameborder="0" scrolling="no" class="svc_embed" name="svc_embed" msallowfullscreen )"
      R"(width="100%" height="100%"></iframe></div></div>)"
      "\n" +
          std::string(kIframeScript));
}

TEST(EmbedCode, ResponsiveKeepsTheNativeRatioWithTwoDecimals) {
  struct Case {
    media::Dimensions native;
    std::string_view percent;
  };
  for (const Case& c : {
           Case{{1920, 1080}, "56.25"},
           Case{{640, 480}, "75"},
           Case{{1080, 1920}, "177.78"},
           Case{{1000, 1000}, "100"},
           Case{{2390, 1000}, "41.84"},
           Case{{1279, 717}, "56.06"},
           Case{{400, 402}, "100.5"},
           Case{{32768, 1}, "0"},
           Case{{1, 32768}, "3276800"},
       }) {
    SCOPED_TRACE(c.percent);
    const std::string html = code("videoFoam=true", sized(c.native));
    EXPECT_NE(html.find("padding:" + std::string(c.percent) + "% 0 0 0;"), std::string::npos)
        << html;
  }
  Embeddable unknown = video();
  unknown.native.reset();
  EXPECT_NE(code("videoFoam=true", unknown).find("padding:56.25% 0 0 0;"), std::string::npos);
}

TEST(EmbedCode, PlaylistIframe) {
  EXPECT_EQ(
      code("playlistLoop=true", playlist()),
      R"(<iframe src="https://embed.host.example/embed/playlists/pl4yl1st01?playlistLoop=true" )"
      R"(title="Launch week Video" allow="autoplay; fullscreen" allowtransparency="true" )"
      R"(frameborder="0" scrolling="no" class="svc_playlist" name="svc_playlist" )"
      R"(msallowfullscreen width="640" height="360"></iframe>)"
      "\n" +
          std::string(kIframeScript));
}

TEST(EmbedCode, PlaylistApi) {
  EXPECT_EQ(code("embedType=playlist_api", playlist()),
            R"(<div id="svc_pl4yl1st01" class="svc_embed" style="width:640px;height:360px;" )"
            R"(data-video-width="640" data-video-height="360">&nbsp;</div>)"
            "\n"
            R"(<script charset="ISO-8859-1" )"
            R"(src="https://embed.host.example/assets/external/playlist-v1.js"></script>)"
            "\n<script>\n"
            R"(svcPlaylist = svc.playlist("pl4yl1st01", {});)"
            "\n</script>");
}

TEST(EmbedCode, PlaylistApiCarriesItsHandleAndItsOptionsAsJson) {
  const std::string html = code(
      "embedType=playlist_api&handle=app.list&width=400&theme=%3C/script%3E%3Cb%3E%22%26%E2%80%A8"
      "&media_0_1[autoPlay]=true",
      playlist());
  EXPECT_EQ(html, R"(<div id="svc_pl4yl1st01" class="svc_embed" style="width:400px;height:225px;" )"
                  R"(data-video-width="400" data-video-height="225">&nbsp;</div>)"
                  "\n"
                  R"(<script charset="ISO-8859-1" )"
                  R"(src="https://embed.host.example/assets/external/playlist-v1.js"></script>)"
                  "\n<script>\n"
                  R"(app.list = svc.playlist("pl4yl1st01", {"media_0_1[autoPlay]":"true",)"
                  R"("theme":"\u003c/script\u003e\u003cb\u003e\"\u0026\u2028"});)"
                  "\n</script>");
}

TEST(EmbedCode, PlaylistPopover) {
  EXPECT_EQ(
      code("embedType=playlist_popover&playlistLinks=auto", playlist()),
      std::string(kAsyncScript) +
          R"(<span class="svc_embed svc_playlist_pl4yl1st01 popover=true playlistLinks=auto" )"
          R"(style="display:inline-block;height:100px;width:150px">&nbsp;</span>)");
}

TEST(EmbedCode, OpenGraphTags) {
  EXPECT_EQ(
      code("embedType=open_graph_tags&width=500&autoPlay=true",
           titled(R"(A "quoted" & <b>film</b>'s)")),
      R"(<meta property="og:title" content="A &quot;quoted&quot; &amp; &lt;b&gt;film&lt;/b&gt;&#39;s">
<meta property="og:type" content="video.other">
<meta property="og:url" content="https://embed.host.example/medias/l4unchf1lm">
<meta property="og:image" content="https://assets.host.example/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=500x281">
<meta property="og:image:width" content="500">
<meta property="og:image:height" content="281">
<meta property="og:video:secure_url" content="https://embed.host.example/embed/iframe/l4unchf1lm">
<meta property="og:video:url" content="https://embed.host.example/embed/iframe/l4unchf1lm">
<meta property="og:video:type" content="text/html">
<meta property="og:video:width" content="500">
<meta property="og:video:height" content="281">
<meta property="og:site_name" content="Svc &amp; Co">)");
}

TEST(EmbedCode, OpenGraphTagsOmitAbsentFields) {
  Embeddable subject = video();
  subject.poster.clear();
  Site site = kSite;
  site.embed_host = "http://127.0.0.1:8080";
  EXPECT_EQ(code("embedType=open_graph_tags", subject, site),
            R"(<meta property="og:title" content="Launch film">
<meta property="og:type" content="video.other">
<meta property="og:url" content="http://127.0.0.1:8080/medias/l4unchf1lm">
<meta property="og:video:url" content="http://127.0.0.1:8080/embed/iframe/l4unchf1lm">
<meta property="og:video:type" content="text/html">
<meta property="og:video:width" content="640">
<meta property="og:video:height" content="360">
<meta property="og:site_name" content="Svc &amp; Co">)");
}

// No option value sent by a client can leave its attribute or its script.
TEST(EmbedCode, OembedR5EscapesEveryByteOfAnOptionValue) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  PlayerOptions options;
  options.add("theme", every_byte);
  for (const EmbedType type : {EmbedType::Iframe, EmbedType::Async, EmbedType::Popover}) {
    EmbedRequest request;
    request.type = type;
    const auto html_with = [&](const PlayerOptions& with) {
      request.options = with;
      return build_embed_code(request, video(), {640, 360}, kSite);
    };
    const std::string plain = html_with({});
    const std::string html = html_with(options);
    for (const char c : std::string_view("<>\"'")) {
      EXPECT_EQ(std::count(html.begin(), html.end(), c), std::count(plain.begin(), plain.end(), c))
          << c;
    }
    for (const char c : html) {
      EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << static_cast<int>(c);
    }
  }
}

TEST(ThumbnailUrl, OembedS6IsThePosterInTheSizeOfTheResponse) {
  EXPECT_EQ(
      thumbnail_url(video(), {640, 360}, kSite),
      "https://assets.host.example/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360");
  Embeddable elsewhere = video();
  elsewhere.poster = "https://cdn.example/p.jpg";
  EXPECT_EQ(thumbnail_url(elsewhere, {1, 2}, kSite),
            "https://cdn.example/p.jpg?image_crop_resized=1x2");
  Embeddable none = video();
  none.poster.clear();
  EXPECT_EQ(thumbnail_url(none, {640, 360}, kSite), "");
}

}  // namespace
}  // namespace svc::embed
