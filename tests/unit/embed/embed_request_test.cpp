#include "embed/embed_request.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace svc::embed {
namespace {

EmbedRequest request(MediaKind kind, std::string_view own, std::string_view top) {
  return read_embed_request({kind, "abc123", own}, text::Form::parse(top));
}
// On a media: `own` is the query of its URL, `top` that of the oEmbed request.
EmbedRequest media(std::string_view own, std::string_view top) {
  return request(MediaKind::Media, own, top);
}
EmbedRequest playlist(std::string_view own, std::string_view top) {
  return request(MediaKind::Playlist, own, top);
}

std::string text_of(const PlayerOptions& options) {
  std::string out;
  for (const auto& [name, value] : options) out += name + "=" + value + " ";
  return out;
}

TEST(EmbedRequest, IsAnIframeByDefault) {
  EmbedRequest plain;
  plain.id = *media::HashedId::parse("abc123");
  EXPECT_EQ(media("", ""), plain);
  EXPECT_EQ(plain.type, EmbedType::Iframe);
}

TEST(EmbedRequest, OembedE9MapsTypesOfTheOtherFamilyToTheirCounterparts) {
  struct Case {
    std::string_view text;
    EmbedType type;
  };
  for (const Case& c : {
           Case{"iframe", EmbedType::Iframe},
           Case{"playlist_iframe", EmbedType::Iframe},
           Case{"async", EmbedType::Async},
           Case{"playlist_api", EmbedType::Async},
           Case{"async_popover", EmbedType::Popover},
           Case{"playlist_popover", EmbedType::Popover},
           Case{"open_graph_tags", EmbedType::OpenGraphTags},
           Case{"", EmbedType::Iframe},
           Case{"flash", EmbedType::Iframe},
           Case{"Async", EmbedType::Iframe},
           Case{"async ", EmbedType::Iframe},
       }) {
    SCOPED_TRACE(c.text);
    const std::string query = "embedType=" + std::string(c.text);
    EXPECT_EQ(media("", query).type, c.type);
    EXPECT_EQ(media(query, "").type, c.type);
    EXPECT_EQ(playlist("", query).type, c.type);
    EXPECT_EQ(playlist(query, "").type, c.type);
  }
}

TEST(EmbedRequest, OembedE9IgnoresUnknownTypesInEitherPlace) {
  EXPECT_EQ(media("embedType=async", "embedType=flash").type, EmbedType::Async);
  EXPECT_EQ(media("embedType=flash", "embedType=async").type, EmbedType::Async);
}

TEST(EmbedRequest, OembedE8TopLevelParametersOverrideThoseOfTheUrl) {
  const EmbedRequest both =
      media("embedType=async&width=100&height=110&handle=own&autoPlay=false&theme=own",
            "embedType=async_popover&width=200&height=210&autoPlay=true");
  EXPECT_EQ(both.type, EmbedType::Popover);
  EXPECT_EQ(both.size.width, 200);
  EXPECT_EQ(both.size.height, 210);
  EXPECT_EQ(text_of(both.options), "autoPlay=true theme=own ");
  EXPECT_EQ(media("embedType=async&handle=own", "handle=upper").handle, "upper");
}

TEST(EmbedRequest, OembedE8ReadsTheSameParametersInEitherPlace) {
  const std::string_view query =
      "embedType=async&width=100&height=110&maxwidth=120&maxheight=130&handle=app.player&muted="
      "true";
  const EmbedRequest own = media(query, "");
  EXPECT_EQ(own, media("", query));
  EXPECT_EQ(own.type, EmbedType::Async);
  EXPECT_EQ(own.size, (SizeRequest{100, 110, 120, 130}));
  EXPECT_EQ(own.handle, "app.player");
  EXPECT_EQ(text_of(own.options), "muted=true ");
}

TEST(EmbedRequest, OembedE8TheSmallerMaximumWins) {
  struct Case {
    std::string_view name, own, top;
    SizeRequest size;
  };
  for (const Case& c : {
           Case{"the URL's is smaller",
                "maxwidth=300&maxheight=200",
                "maxwidth=400&maxheight=500",
                {{}, {}, 300, 200}},
           Case{"the top level's is smaller",
                "maxwidth=400&maxheight=500",
                "maxwidth=300&maxheight=200",
                {{}, {}, 300, 200}},
           Case{"one of each",
                "maxwidth=300&maxheight=500",
                "maxwidth=400&maxheight=200",
                {{}, {}, 300, 200}},
           Case{"only in the URL", "maxwidth=300", "", {{}, {}, 300, {}}},
           Case{"one in each place", "maxwidth=300", "maxheight=200", {{}, {}, 300, 200}},
           Case{"one that cannot be used", "maxwidth=300", "maxwidth=0", {{}, {}, 300, {}}},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(media(c.own, c.top).size, c.size);
  }
}

TEST(EmbedRequest, OembedS5IgnoresInvalidSidesInEitherPlace) {
  EXPECT_EQ(media("width=400", "width=wide").size.width, 400);
  EXPECT_EQ(media("width=400", "width=-1").size.width, 400);
  EXPECT_EQ(media("", "width=0&height=-1&maxwidth=50%25&maxheight=").size, SizeRequest{});
  EXPECT_EQ(media("", "width=400&width=500").size.width, 400) << "the first valid one";
  EXPECT_EQ(media("", "width=x&width=&width=400").size.width, 400);
  EXPECT_EQ(media("", "width=400;width=500&width[]=400&Width=400").size, SizeRequest{});
}

TEST(EmbedRequest, OembedS7VideoWidthAndVideoHeightMeanWidthAndHeight) {
  EXPECT_EQ(media("videoWidth=300&videoHeight=200", "").size, (SizeRequest{300, 200, {}, {}}));
  EXPECT_EQ(media("videoWidth=300&width=400", "").size.width, 400);
  EXPECT_EQ(media("videoWidth=300", "width=400").size.width, 400);
  EXPECT_EQ(media("videoHeight=300", "width=400").size, (SizeRequest{400, 300, {}, {}}));
  EXPECT_EQ(media("videoWidth=abc", "").size, SizeRequest{});
  EXPECT_EQ(text_of(media("videoWidth=300", "").options), "");
}

TEST(EmbedRequest, OembedE4LeavesUnknownParametersOut) {
  EXPECT_EQ(media("utm_source=x&foo=bar", "_=1&dnt=1&callback=cb&format=json&url=u&for=me"),
            media("", ""));
}

TEST(EmbedRequest, IsEqualForAnyOrderAndExplicitDefaults) {
  EXPECT_EQ(media("", "muted=true&autoPlay=true&width=400"),
            media("autoPlay=true", "embedType=iframe&width=400&muted=true&_=7"));
  EXPECT_EQ(media("embedType=async", "handle=svcEmbed"), media("embedType=async", ""));
}

TEST(EmbedRequest, PopoverTurnsAsyncIntoAPopover) {
  EXPECT_EQ(media("", "embedType=async&popover=true").type, EmbedType::Popover);
  EXPECT_EQ(media("popover=true", "embedType=async").type, EmbedType::Popover);
  EXPECT_EQ(media("popover=true", "embedType=async&popover=false").type, EmbedType::Async);
  EXPECT_EQ(media("", "embedType=async&popover=1").type, EmbedType::Async);
  EXPECT_EQ(media("", "popover=true").type, EmbedType::Iframe);
  EXPECT_EQ(media("", "embedType=iframe&popover=true").type, EmbedType::Iframe);
}

TEST(EmbedRequest, OembedO3KeepsValidHandlesOfAsyncAndPlaylistApiOnly) {
  struct Case {
    std::string_view name;
    MediaKind kind;
    std::string top, handle;
  };
  constexpr MediaKind kMedia = MediaKind::Media;
  constexpr MediaKind kPlaylist = MediaKind::Playlist;
  const std::string longest(64, 'h');
  for (const Case& c : {
           Case{"async", kMedia, "embedType=async&handle=app.player", "app.player"},
           Case{"playlist_api", kPlaylist, "embedType=playlist_api&handle=list", "list"},
           Case{"as long as it may be", kMedia, "embedType=async&handle=" + longest, longest},
           Case{"too long", kMedia, "embedType=async&handle=" + longest + "h", ""},
           Case{"none", kMedia, "embedType=async", ""},
           Case{"the default of async", kMedia, "embedType=async&handle=svcEmbed", ""},
           Case{"the default of playlist_api", kPlaylist,
                "embedType=playlist_api&handle=svcPlaylist", ""},
           Case{"the other's default", kMedia, "embedType=async&handle=svcPlaylist", "svcPlaylist"},
           Case{"a reserved word", kMedia, "embedType=async&handle=window.class", ""},
           Case{"a call", kMedia, "embedType=async&handle=alert(1)", ""},
           Case{"a prototype", kMedia, "embedType=async&handle=app.__proto__.isAdmin", ""},
           Case{"a prototype at the end", kPlaylist, "embedType=playlist_api&handle=a.b.prototype",
                ""},
           Case{"a constructor", kPlaylist, "embedType=playlist_api&handle=app.constructor.x", ""},
           Case{"what objects inherit", kMedia, "embedType=async&handle=app.toString.x", ""},
           Case{"the document", kMedia, "embedType=async&handle=document.body.innerHTML", ""},
           Case{"by way of the window", kMedia, "embedType=async&handle=window.document.title", ""},
           Case{"twice", kMedia, "embedType=async&handle=window.self.document.title", ""},
           Case{"another window", kMedia, "embedType=async&handle=parent.app", ""},
           Case{"the window above", kPlaylist, "embedType=playlist_api&handle=top.app", ""},
           Case{"who opened this one", kPlaylist, "embedType=playlist_api&handle=opener.app", ""},
           Case{"a window alone", kMedia, "embedType=async&handle=window", ""},
           Case{"an event handler", kPlaylist, "embedType=playlist_api&handle=onerror", ""},
           Case{"a class of the browser's", kMedia, "embedType=async&handle=AudioNode.x", ""},
           Case{"the player's own", kMedia, "embedType=async&handle=svc.players", ""},
           Case{"all of it", kPlaylist, "embedType=playlist_api&handle=svc", ""},
           Case{"the address", kPlaylist, "embedType=playlist_api&handle=location", ""},
           Case{"the window's address", kPlaylist, "embedType=playlist_api&handle=window.location",
                ""},
           Case{"a function of the browser's", kPlaylist, "embedType=playlist_api&handle=fetch",
                ""},
           Case{"this window", kPlaylist, "embedType=playlist_api&handle=self", ""},
           Case{"the prototype of all", kPlaylist,
                "embedType=playlist_api&handle=Object.prototype.x", ""},
           Case{"by way of its own window", kMedia, "embedType=async&handle=window.app.player", ""},
           Case{"like a browser's, further on", kMedia, "embedType=async&handle=app.location",
                "app.location"},
           Case{"an iframe has none", kMedia, "embedType=iframe&handle=app", ""},
           Case{"a popover has none", kMedia, "embedType=async_popover&handle=app", ""},
           Case{"async with popover has none", kMedia, "embedType=async&popover=true&handle=app",
                ""},
           Case{"open_graph_tags have none", kMedia, "embedType=open_graph_tags&handle=app", ""},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(request(c.kind, "", c.top).handle, c.handle);
  }
}

TEST(EmbedRequest, VideoFoamMeansResponsiveIfTheTypeSupportsIt) {
  EXPECT_TRUE(media("videoFoam=true", "").responsive);
  EXPECT_TRUE(media("", "videoFoam=true&embedType=async").responsive);
  EXPECT_EQ(text_of(media("", "videoFoam=true").options), "");
  EXPECT_FALSE(media("videoFoam=true", "videoFoam=false").responsive);
  EXPECT_EQ(text_of(media("", "videoFoam=false").options), "videoFoam=false ");
  EXPECT_FALSE(media("", "videoFoam=1").responsive);
  EXPECT_FALSE(media("", "videoFoam=true&embedType=async_popover").responsive);
  EXPECT_FALSE(media("", "videoFoam=true&embedType=open_graph_tags").responsive);
  EXPECT_TRUE(playlist("", "videoFoam=true").responsive);
  EXPECT_FALSE(playlist("", "videoFoam=true&embedType=playlist_api").responsive);
}

// Otherwise a client gets the cached rendering of another client's request.
TEST(EmbedRequest, OembedC1EachParameterMakesAVariantOfItsOwn) {
  std::map<std::string, std::string> variants;
  for (const std::string_view query :
       {"", "embedType=async", "embedType=async_popover", "embedType=open_graph_tags", "width=300",
        "height=300", "maxwidth=300", "maxheight=300", "width=300&height=300", "width=3003",
        "videoFoam=true", "videoFoam=1", "embedType=async&handle=app", "theme=a", "theme=b",
        "autoPlay=a", "autoPlay=a&theme=b", "autoPlay=ao5:theme=1:b"}) {
    std::string variant;
    append_variant(variant, media("", query));
    const auto& [same, is_new] = variants.try_emplace(variant, query);
    EXPECT_TRUE(is_new) << query << " has the variant of " << same->second;
  }
}

TEST(EmbedRequest, OembedO1DecodesNamesAndValuesOnce) {
  EXPECT_EQ(text_of(media("plugin%5Ba%5D=%2541", "theme=a+b%26c").options),
            "plugin[a]=%41 theme=a b&c ");
}

}  // namespace
}  // namespace svc::embed
