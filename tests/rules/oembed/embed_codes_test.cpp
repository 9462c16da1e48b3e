// oembed.md, Embed codes: the only place with the exact codes.
#include <gtest/gtest.h>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using EmbedCodesOnTheWire = OembedRules;
using EmbedCodes = OembedRules;

const std::string kScript =
    "<script src=\"" + kEmbedHost + "/assets/external/E-v1.js\" async></script>";
const std::string kAsyncScript = "<script charset=\"ISO-8859-1\" src=\"" + kEmbedHost +
                                 "/assets/external/E-v1.js\" async></script>";

// With `page` of the embed host as src, `size` as the last attributes.
std::string iframe(const std::string& page, const std::string& title, const std::string& size,
                   const std::string& name = "svc_embed") {
  return "<iframe src=\"" + kEmbedHost + page + "\" title=\"" + title +
         " Video\" allow=\"autoplay; fullscreen\" allowtransparency=\"true\" frameborder=\"0\" "
         "scrolling=\"no\" class=\"" +
         name + "\" name=\"" + name + "\" msallowfullscreen " + size + "></iframe>";
}
std::string responsive(const std::string& padding, const std::string& inner) {
  return "<div class=\"svc_responsive_padding\" style=\"padding:" + padding +
         ";position:relative;\"><div class=\"svc_responsive_wrapper\" "
         "style=\"height:100%;left:0;position:absolute;top:0;width:100%;\">" +
         inner + "</div></div>";
}
std::string async(const std::string& words, const std::string& style) {
  return "<div class=\"svc_embed svc_async_l4unchf1lm" + words + "\" style=\"" + style +
         "\">&nbsp;</div>";
}
std::string popover(const std::string& words, const std::string& size) {
  return kAsyncScript + "<span class=\"svc_embed svc_" + words +
         "\" style=\"display:inline-block;" + size + "\">&nbsp;</span>";
}
std::string playlist_api(const std::string& width, const std::string& height,
                         const std::string& handle, const std::string& options) {
  return "<div id=\"svc_pl4yl1st01\" class=\"svc_embed\" style=\"width:" + width +
         "px;height:" + height + "px;\" data-video-width=\"" + width + "\" data-video-height=\"" +
         height + "\">&nbsp;</div>\n<script charset=\"ISO-8859-1\" src=\"" + kEmbedHost +
         "/assets/external/playlist-v1.js\"></script>\n<script>\n" + handle +
         " = svc.playlist(\"pl4yl1st01\", " + options + ");\n</script>";
}

const std::string kFull = R"(width="640" height="360")";
const std::string kBox = "height:360px;width:640px";

TEST_F(EmbedCodesOnTheWire, OembedO2EachTypeHasItsExactCode) {
  const std::string page = "/embed/iframe/l4unchf1lm";
  const std::string lists = "/embed/playlists/pl4yl1st01";
  const std::string title = "Launch film";
  struct Code {
    std::string target, html;
  };
  for (const Code& row : {
           Code{film(), iframe(page, title, kFull) + "\n" + kScript},
           {film("maxwidth=500"),
            iframe(page, title, R"(width="500" height="281")") + "\n" + kScript},
           {film("wmode=x&autoPlay=true&theme=a%20b%26c/é&plugin[a][on]=%22%3E&unknown=1"),
            iframe(page + "?autoPlay=true&amp;plugin%5Ba%5D%5Bon%5D=%22%3E&amp;"
                          "theme=a%20b%26c%2F%C3%A9&amp;wmode=x",
                   title, kFull) +
                "\n" + kScript},
           {film("embedType=async"), kAsyncScript + async("", kBox)},
           {film("embedType=async&width=400&wmode=x&autoPlay=true&theme=a%20b%26\"é&plugin[a]=1"),
            kAsyncScript + async(" autoPlay=true plugin[a]=1 theme=a%20b%26%22%C3%A9 wmode=x",
                                 "height:225px;width:400px")},
           {film("embedType=async&handle=app.player&muted=true&autoPlay=true"),
            kAsyncScript + async(" autoPlay=true handle=app.player muted=true", kBox)},
           {film("embedType=async_popover"),
            popover("async_l4unchf1lm popover=true", "height:100px;width:150px")},
           {film("embedType=async&popover=true&width=300&popoverContent=thumbnail&muted=true"),
            popover("async_l4unchf1lm popover=true muted=true popoverContent=thumbnail",
                    "height:169px;width:300px")},
           {film("embedType=async&videoFoam=true&muted=true&width=300"),
            kAsyncScript + responsive("56.25% 0 28px 0", async(" videoFoam=true muted=true",
                                                               "height:100%;width:100%"))},
           {film("videoFoam=true&autoPlay=true&width=300"),
            responsive("56.25% 0 0 0",
                       iframe(page + "?autoPlay=true&amp;seo=true&amp;videoFoam=true", title,
                              R"(width="100%" height="100%")")) +
                "\n" + kScript},
           {list("playlistLoop=true"),
            iframe(lists + "?playlistLoop=true", "The launch films", kFull, "svc_playlist") + "\n" +
                kScript},
           {list("embedType=playlist_api"), playlist_api("640", "360", "svcPlaylist", "{}")},
           {list("embedType=playlist_api&handle=app.list&width=400&theme=%3C/script%3E%3Cb%3E%22%26"
                 "%E2%80%A8&media_0_1[autoPlay]=true"),
            playlist_api("400", "225", "app.list",
                         R"({"media_0_1[autoPlay]":"true",)"
                         R"("theme":"\u003c/script\u003e\u003cb\u003e\"\u0026\u2028"})")},
           {list("embedType=playlist_popover&playlistLinks=auto"),
            popover("playlist_pl4yl1st01 popover=true playlistLinks=auto",
                    "height:100px;width:150px")},
           {list("embedType=playlist_popover&maxwidth=300"),
            popover("playlist_pl4yl1st01 popover=true", "height:169px;width:300px")},
       })
    EXPECT_EQ(html_of(row.target), row.html) << row.target;
}

TEST_F(EmbedCodesOnTheWire, OembedO19AWebComponentIsResponsiveAndHasOptionsAsAttributes) {
  const auto element = [](const std::string& id, const std::string& attributes,
                          const std::string& style) {
    return "<script src=\"" + kEmbedHost + "/assets/player.js\" async></script>\n<svc-player " +
           id + "\"" + attributes + " style=\"display:block;aspect-ratio:16/9" + style +
           ";width:100%\"></svc-player>";
  };
  const std::string media = "media-id=\"l4unchf1lm";
  struct Code {
    std::string target, html;
  };
  for (const Code& row : {
           Code{film("embedType=web_component"), element(media, "", "")},
           {film("embedType=web_component&videoFoam=true&handle=a&loading=lazy&plugin[a][b]=1"),
            element(media, "", "")},
           {film("embedType=web_component&width=400"), element(media, "", ";max-width:400px")},
           {film("embedType=web_component&maxheight=180"), element(media, "", ";max-width:320px")},
           {film("embedType=web_component&playerColor=%23ff0000&autoPlay=true&qualityMax=720"),
            element(media, R"( auto-play="true" player-color="#ff0000" quality-max="720")", "")},
           {film("embedType=web_component&theme=%22%3E%26%C3%A9%0A%00%FF"),
            element(media, R"( theme="&quot;&gt;&amp;&#233;&#10;&#65533;&#65533;")", "")},
           {list("embedType=web_component&playlistLoop=true"),
            element("playlist-id=\"pl4yl1st01", R"( playlist-loop="true")", "")},
       })
    EXPECT_EQ(html_of(row.target), row.html) << row.target;
}

TEST_F(EmbedCodes, OembedO19AWebComponentHasTheRatioOfItsVideo) {
  for (const auto& [width, height, style] :
       {std::tuple("1920", "804", "aspect-ratio:160/67;width:100%"),
        {"1080", "1920", "aspect-ratio:9/16;max-width:360px;width:100%"},
        {"1000", "1000", "aspect-ratio:1/1;max-width:640px;width:100%"},
        {"null", "null", "aspect-ratio:16/9;width:100%"}}) {
    import_film("ratio", {{"width", width}, {"height", height}});
    const std::string html = html_of(film("embedType=web_component", "ratio"));
    EXPECT_NE(html.find(style), std::string::npos) << html;
  }
}

TEST_F(EmbedCodes, OpenGraphTags) {
  import_film("tags", {{"name", R"("A \"quoted\" & <b>film</b>'s")"}});
  const std::string tags =
      R"(<meta property="og:title" content="A &quot;quoted&quot; &amp; &lt;b&gt;film&lt;/b&gt;&#39;s">
<meta property="og:type" content="video.other">
<meta property="og:url" content="HOST/medias/tags">
<meta property="og:image" content="HOST/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=500x281">
<meta property="og:image:width" content="500">
<meta property="og:image:height" content="281">
<meta property="og:video:secure_url" content="HOST/embed/iframe/tags">
<meta property="og:video:url" content="HOST/embed/iframe/tags">
<meta property="og:video:type" content="text/html">
<meta property="og:video:width" content="500">
<meta property="og:video:height" content="281">
<meta property="og:site_name" content="svc">)";
  std::string html = html_of(film("embedType=open_graph_tags&width=500&autoPlay=true", "tags"));
  for (std::size_t at = 0; (at = html.find(kEmbedHost)) != std::string::npos;)
    html.replace(at, kEmbedHost.size(), "HOST");
  EXPECT_EQ(html, tags);
  import_film("bare", {{"thumbnail", "null"}});
  const std::string bare = html_of(film("embedType=open_graph_tags", "bare"));
  EXPECT_EQ(bare.find("og:image"), std::string::npos) << bare;
  EXPECT_EQ(count(bare, "<meta"), 9u);
}

TEST_F(EmbedCodes, ResponsiveKeepsTheNativeRatioWithTwoDecimals) {
  struct Ratio {
    std::string width, height, percent;
  };
  for (const Ratio& row : {Ratio{"1920", "1080", "56.25"},
                           {"640", "480", "75"},
                           {"1080", "1920", "177.78"},
                           {"1000", "1000", "100"},
                           {"2390", "1000", "41.84"},
                           {"1279", "717", "56.06"},
                           {"400", "402", "100.5"},
                           {"32768", "1", "0"},
                           {"1", "32768", "3276800"},
                           {"null", "null", "56.25"}}) {
    import_film("ratio", {{"width", row.width}, {"height", row.height}});
    const std::string html = html_of(film("videoFoam=true", "ratio"));
    EXPECT_NE(html.find("padding:" + row.percent + "% 0 0 0;"), std::string::npos) << html;
  }
  for (const std::string& fixed :
       {film("videoFoam=true&embedType=async_popover"),
        film("videoFoam=true&embedType=open_graph_tags"),
        list("videoFoam=true&embedType=playlist_api"), film("videoFoam=1")})
    EXPECT_EQ(html_of(fixed).find("svc_responsive_padding"), std::string::npos) << fixed;
  EXPECT_NE(html_of(list("videoFoam=true")).find("svc_responsive_padding"), std::string::npos);
  for (const std::string& popover : Texts{"embedType=async&popover=1", "popover=true"}) {
    EXPECT_EQ(html_of(film(popover)).find("<span"), std::string::npos)
        << popover << " is no popover";
  }
}

TEST_F(EmbedCodes, OembedO18IframesAreLazyIfRequested) {
  for (const auto target : {film, list}) {
    const std::string id = target == film ? "l4unchf1lm" : "pl4yl1st01";
    for (const std::string& foam : Texts{"", "videoFoam=true&"}) {
      const std::string eager = html_of(target(foam + "_=1", id));
      std::string lazy = eager;
      lazy.insert(lazy.find("></iframe>"), R"( loading="lazy")");
      EXPECT_EQ(html_of(target(foam + "loading=lazy", id)), lazy);
      EXPECT_EQ(html_of(target(foam + "loading=never&loading=lazy", id)), lazy);
      for (const char* other : {"loading=eager&loading=lazy", "loading=", "loading=Lazy"})
        EXPECT_EQ(html_of(target(foam + other, id)), eager) << other;
    }
    for (const std::string& type : Texts{"embedType=async", "embedType=async_popover"})
      EXPECT_EQ(html_of(target("loading=lazy&" + type, id)), html_of(target(type, id)));
  }
}

TEST_F(EmbedCodes, OembedO1CarriesTheOptionsOfTheListAndDropsAllOthers) {
  const std::string plain = html_of(film("embedType=async"));
  for (const std::string& name :
       words("autoPlay controlsVisibleOnLoad endVideoBehavior playerColor playbar playButton "
             "playbackRateControl fullscreenButton volumeControl volume muted time resumable "
             "silentAutoPlay smallPlayButton stillUrl preload seo videoFoam doNotTrack wmode "
             "qualityControl qualityMin qualityMax settingsControl email popoverContent "
             "popoverAnimateThumbnail popoverSize popoverCaption playlistLoop playlistLinks theme "
             "lang "
             "plugin[socialbar][on] plugin[a] plugin[a][b][c] plugin[post-roll][my_key.x] "
             "media_0_1[autoPlay] media_12_345[a] videoOptions[playerColor]",
             {"plugin[" + std::string(120, 'a') + "]"})) {
    std::string carried = plain;
    carried.insert(carried.find("\" style="), " " + name + "=x");
    const std::string escaped = text::percent_encode(name);
    EXPECT_EQ(html_of(film("embedType=async&" + escaped + "=x")), carried) << name;
  }
  for (const std::string& name : words(
           "width height handle popover url _ dnt version utm_source autoplay AUTOPLAY "
           "autoPlay\" __proto__ constructor autoPlay[x] onclick style class src plugin "
           "videoOptions plugin[] plugin[a plugin[a]b plugin]a[ plugin[a][] plugin[a][b][c][d] "
           "plugin[a\"b] plugin[<a>] plugin[a=b] plugin[[a]] plugins[a] xplugin[a] "
           "plugin[a]['x'] Plugin[a] media_0_1 media_0[a] media__1[a] media_0_[a] media_a_1[a] "
           "media_0_1_2[a] media_-1_0[a] videoOptions[é]",
           {"", "autoPlay ", " autoPlay", "plugin[a b]", "plugin[" + std::string(121, 'a') + "]"}))
    EXPECT_EQ(html_of(film("embedType=async&" + text::percent_encode(name) + "=1()")), plain)
        << name;
}

TEST_F(EmbedCodes, OembedO1DecodesNamesAndValuesOnceAndHoldsTheFirstOfEach) {
  for (const auto& [query, shown] :
       {std::pair("plugin%5Ba%5D=%2541&theme=a+b%26c", " plugin[a]=%2541 theme=a%20b%26c"),
        {"theme=&time=", " theme= time="},
        {"theme=1&theme=2&autoPlay=3", " autoPlay=3 theme=1"}}) {
    const std::string html = html_of(film("embedType=async&" + std::string(query)));
    EXPECT_NE(html.find("svc_async_l4unchf1lm" + std::string(shown) + "\""), std::string::npos)
        << html;
  }
}

TEST_F(EmbedCodes, OembedO3KeepsValidHandlesOfAsyncAndPlaylistApiOnly) {
  const std::string longest(64, 'h');
  for (const std::string& handle :
       Texts{"app.player", longest, "svcPlaylist", "app.location", "classes"}) {
    const std::string html = html_of(film("embedType=async&handle=" + handle));
    EXPECT_NE(html.find(" handle=" + handle + "\""), std::string::npos) << html;
  }
  for (const std::string& handle : Texts{"list", "app.location", longest}) {
    const std::string html = html_of(list("embedType=playlist_api&handle=" + handle));
    EXPECT_NE(html.find("\n" + handle + " = svc.playlist("), std::string::npos) << html;
  }
  // Not names, no name of the page's own, or more than it.
  for (const std::string& handle :
       words("window.class this alert(1) a..b app.__proto__.isAdmin a.b.prototype "
             "app.constructor.x app.toString.x document.body.innerHTML window.document.title "
             "window.self.document.title parent.app top.app opener.app window onerror AudioNode.x "
             "svc.players svc location window.location fetch self Object.prototype.x "
             "window.app.player",
             {longest + "h", ""})) {
    EXPECT_EQ(html_of(film("embedType=async&handle=" + handle)), html_of(film("embedType=async")))
        << handle;
    EXPECT_EQ(html_of(list("embedType=playlist_api&handle=" + handle)),
              html_of(list("embedType=playlist_api")))
        << handle;
  }
  EXPECT_EQ(html_of(film("embedType=async&handle=svcEmbed")), html_of(film("embedType=async")));
  EXPECT_EQ(html_of(list("embedType=playlist_api&handle=svcPlaylist")),
            html_of(list("embedType=playlist_api")));
  for (const std::string& type : Texts{"embedType=iframe", "embedType=async_popover",
                                       "embedType=async&popover=true", "embedType=open_graph_tags"})
    EXPECT_EQ(html_of(film(type + "&handle=app")), html_of(film(type))) << type;
}

}  // namespace
}  // namespace svc::rules
