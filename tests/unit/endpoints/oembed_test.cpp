#include "endpoints/oembed.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"
#include "fakes/headers.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"
#include "http/router.h"
#include "text/json.h"

namespace svc {
namespace {

using fakes::header;
using http::Response;

const std::string kVideo = "url=https://media.example/medias/l4unchf1lm";
const std::string kPlaylist = "url=https://media.example/embed/playlists/pl4yl1st01";

// The endpoint at its four paths, with a small catalog.
class Oembed : public testing::Test {
 protected:
  Oembed() {
    catalog_.add(fakes::example_video());
    catalog_.add(fakes::example_playlist({"l4unchf1lm", "missing000"}));
    catalog_.add(fakes::example_playlist({}, "pl4yempty0"));
    catalog_.add(fakes::example_playlist({"aud10only1", "qu3u3d0001"}, "pl4ynov1d0"));
    add("aud10only1", "Audio", media::Status::Ready);
    add("qu3u3d0001", "Video", media::Status::Queued);
    add("pr0cess001", "Video", media::Status::Processing);
    add("f41led0001", "Video", media::Status::Failed);
    router_.add("/oembed", open_);
    router_.add("/oembed/", open_);
    router_.add("/oembed.json", json_);
    router_.add("/oembed.xml", xml_);
  }

  void add(const std::string& id, const std::string& type, media::Status status) {
    media::Media media = fakes::example_video(id);
    media.type = type;
    media.status = status;
    catalog_.add(media);
  }

  Response ask(std::string_view path, const std::string& query, std::string_view method = "GET",
               std::string_view if_none_match = "") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.if_none_match = if_none_match;
    return fakes::now(router_.answer(request));
  }
  Response ask(const std::string& query) { return ask("/oembed", query); }

  const embed::Site site_ = fakes::example_site();
  const endpoints::OembedCaching caching_{3600, 600, 10, std::nullopt};
  fakes::MemoryCatalog catalog_;
  endpoints::Oembed open_{endpoints::Oembed::Path::Open, site_, caching_, catalog_};
  endpoints::Oembed json_{endpoints::Oembed::Path::Json, site_, caching_, catalog_};
  endpoints::Oembed xml_{endpoints::Oembed::Path::Xml, site_, caching_, catalog_};
  http::Router router_;
};

constexpr std::string_view kJson = "application/json; charset=utf-8";
constexpr std::string_view kXml = "text/xml; charset=utf-8";
constexpr std::string_view kJavaScript = "application/javascript; charset=utf-8";

TEST_F(Oembed, OembedE1ChoosesTheFormatByPathAndParameter) {
  struct Case {
    std::string_view path;
    std::string format;
    int status;
    std::string_view type;
  };
  for (const Case& c : {
           Case{"/oembed", "", 200, kJson},
           Case{"/oembed", "&format=json", 200, kJson},
           Case{"/oembed", "&format=xml", 200, kXml},
           Case{"/oembed", "&format=yaml", 501, kJson},
           Case{"/oembed", "&format=", 200, kJson},
           Case{"/oembed", "&format=+", 501, kJson},
           Case{"/oembed", "&format=XML", 501, kJson},
           Case{"/oembed/", "", 200, kJson},
           Case{"/oembed/", "&format=xml", 200, kXml},
           Case{"/oembed/", "&format=html", 501, kJson},
           Case{"/oembed.json", "", 200, kJson},
           Case{"/oembed.json", "&format=xml", 200, kJson},
           Case{"/oembed.json", "&format=yaml", 200, kJson},
           Case{"/oembed.xml", "", 200, kXml},
           Case{"/oembed.xml", "&format=json", 200, kXml},
           Case{"/oembed.xml", "&format=yaml", 200, kXml},
       }) {
    SCOPED_TRACE(std::string(c.path) + " " + c.format);
    const Response response = ask(c.path, kVideo + c.format);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.content_type, c.type);
    EXPECT_TRUE(response.body.starts_with(c.type == kXml ? "<?xml " : "{")) << response.body;
  }
}

TEST_F(Oembed, OembedE2AnswersGetAndHeadAlike) {
  const Response get = ask("/oembed", kVideo);
  const Response head = ask("/oembed", kVideo, "HEAD");
  EXPECT_EQ(head.status, get.status);
  EXPECT_EQ(head.content_type, get.content_type);
  EXPECT_EQ(head.body, get.body) << "which tells its length; the exchange leaves it out";
  EXPECT_EQ(header(head, "ETag"), header(get, "ETag"));
}

TEST_F(Oembed, OembedE3Answers404IfTheUrlIsNotOurs) {
  struct Case {
    std::string_view name, query;
  };
  for (const Case& c : {
           Case{"nothing", ""},
           Case{"no url", "width=100"},
           Case{"an empty url", "url="},
           Case{"a url in capitals", "URL=https://media.example/medias/l4unchf1lm"},
           Case{"not a URL", "url=hello"},
           Case{"a bare id", "url=l4unchf1lm"},
           Case{"somebody else's", "url=https://evil.example/medias/l4unchf1lm"},
           Case{"a look-alike", "url=https://evilmedia.example/medias/l4unchf1lm"},
           Case{"escaped twice", "url=https%253A%252F%252Fmedia.example%252Fmedias%252Fl4unchf1lm"},
           Case{"a NUL at its end", "url=https://media.example/medias/l4unchf1lm%00"},
           Case{"an id that is too long",
                "url=https://media.example/medias/"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ask(std::string(c.query)).status, 404);
  }
  EXPECT_TRUE(catalog_.asked.empty()) << "nothing is looked for";
}

TEST_F(Oembed, OembedE4IgnoresUnknownParameters) {
  const Response plain = ask(kVideo);
  const Response decorated =
      ask("_=1700000000&dnt=1&utm_source=x&foo[]=bar&" + kVideo + "&for=me&%00=%ff&=&&");
  EXPECT_EQ(decorated.status, 200);
  EXPECT_EQ(decorated.body, plain.body);
  EXPECT_EQ(header(decorated, "ETag"), header(plain, "ETag"));
  std::string many;
  for (int i = 0; i < 3900; ++i) many += i % 2 == 0 ? "a&" : "=&";
  EXPECT_EQ(ask(many + kVideo + "&" + std::string(100, '&')).body, plain.body);
}

// The first of repeated parameters counts.
TEST_F(Oembed, OembedE3ReadsTheFirstOfRepeatedParameters) {
  const std::string other = "url=https://evil.example/";
  struct Case {
    std::string query;
    int status;
  };
  for (const Case& c : {
           Case{kVideo + "&" + other, 200},
           Case{other + "&" + kVideo, 404},
           Case{"url=&" + kVideo, 404},
           Case{"url&" + kVideo, 404},
           Case{"%75rl=https://evil.example/&" + kVideo, 404},
           Case{"url[]=https://media.example/medias/l4unchf1lm", 404},
           Case{"url=/oembed?" + kVideo, 404},
           Case{kVideo + "&format=json&format=yaml", 200},
           Case{kVideo + "&format=yaml&format=json", 501},
           Case{kVideo + "&format=json%0d%0a", 501},
           Case{kVideo + "&format=xml%00", 501},
           Case{kVideo + "&callback=cb&callback=1", 200},
           Case{kVideo + "&callback=1&callback=cb", 400},
           Case{kVideo + "&callback=1&format=yaml", 501},
       })
    EXPECT_EQ(ask(c.query).status, c.status) << c.query;
}

TEST_F(Oembed, OembedE7AcceptsAUrlThatWasSentUnescaped) {
  const Response escaped = ask(
      "url=https%3A%2F%2Fmedia.example%2Fmedias%2Fl4unchf1lm%3FembedType%3Dasync%26width%3D400");
  ASSERT_EQ(escaped.status, 200);
  EXPECT_NE(escaped.body.find("height:225px;width:400px"), std::string::npos);
  EXPECT_EQ(ask("url=https://media.example/medias/l4unchf1lm?embedType=async&width=400").body,
            escaped.body);
  EXPECT_EQ(ask("url=https://media.example/medias/l4unchf1lm&embedType=async&width=400").body,
            escaped.body);
  // An inner ampersand that was escaped: the tail is ignored.
  EXPECT_EQ(ask("url=https%3A%2F%2Fmedia.example%2Fmedias%2Fl4unchf1lm%26embedType%3Dasync").body,
            ask(kVideo).body);
}

TEST_F(Oembed, OembedE25AcceptsAUrlWithWhiteSpaceAroundIt) {
  const std::string plain = ask(kVideo).body;
  const std::string url = kVideo.substr(4);
  for (const std::string space : {"+", "%20", "%20%20", "%09", "%0A", "%0d%0a", "%C2%A0"}) {
    EXPECT_EQ(ask("url=" + space + url).body, plain) << space;
    EXPECT_EQ(ask("url=" + url + space).body, plain) << space;
    EXPECT_EQ(ask("url=" + space + url + space).body, plain) << space;
  }
  EXPECT_EQ(ask("url=" + url + "?width=300%20").body, ask("url=" + url + "?width=300").body);
  for (const std::string space : {"+", "%0A", "%C2%A0"}) {
    EXPECT_EQ(ask("url=" + space).status, 404);
    EXPECT_EQ(ask("url=https://" + space + "media.example/medias/l4unchf1lm").status, 404);
  }
}

TEST_F(Oembed, OembedE26CountsAnEmptyFormatOrCallbackAsAbsent) {
  const Response plain = ask(kVideo);
  for (const std::string empty :
       {"&format=", "&callback=", "&format=&callback=", "&format&callback"}) {
    const Response response = ask(kVideo + empty);
    EXPECT_EQ(response.body, plain.body) << empty;
    EXPECT_EQ(response.content_type, kJson) << empty;
  }
}

TEST_F(Oembed, StatusDependsOnTheMediaOrPlaylist) {
  struct Case {
    std::string_view name;
    std::string path, query;
    int status;
  };
  for (const Case& c : {
           Case{"a ready video", "/medias/", "l4unchf1lm", 200},
           Case{"by the iframe page", "/embed/iframe/", "l4unchf1lm", 200},
           Case{"by the short form", "/m/", "l4unchf1lm", 200},
           Case{"an unknown id", "/medias/", "unknown000", 404},
           Case{"an id in another case", "/medias/", "L4UNCHF1LM", 404},
           Case{"a media that failed", "/medias/", "f41led0001", 404},
           Case{"a media that is no video", "/medias/", "aud10only1", 501},
           Case{"a queued video", "/medias/", "qu3u3d0001", 501},
           Case{"a video being processed", "/medias/", "pr0cess001", 501},
           Case{"a playlist", "/embed/playlists/", "pl4yl1st01", 200},
           Case{"an unknown playlist", "/embed/playlists/", "unknown000", 404},
           Case{"a media for a playlist", "/embed/playlists/", "l4unchf1lm", 404},
           Case{"a playlist for a media", "/medias/", "pl4yl1st01", 404},
           Case{"an empty playlist", "/embed/playlists/", "pl4yempty0", 501},
           Case{"a playlist without a video", "/embed/playlists/", "pl4ynov1d0", 501},
       }) {
    SCOPED_TRACE(c.name);
    for (const std::string format : {"json", "xml"}) {
      const Response response =
          ask("url=https://media.example" + c.path + c.query + "&format=" + format);
      EXPECT_EQ(response.status, c.status) << format;
      if (c.status == 200) continue;
      EXPECT_TRUE(response.body.starts_with(
          format == "json" ? "{\"error\":\""
                           : "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<error>"))
          << response.body;
      EXPECT_EQ(header(response, "Cache-Control"), "public, max-age=10");
    }
  }
}

TEST_F(Oembed, OembedE9RefusesOpenGraphTagsForAPlaylist) {
  EXPECT_EQ(ask(kPlaylist + "&embedType=open_graph_tags").status, 501);
  EXPECT_EQ(
      ask("url=https://media.example/embed/playlists/unknown000&embedType=open_graph_tags").status,
      404);
  EXPECT_EQ(ask(kVideo + "&embedType=open_graph_tags").status, 200);
  EXPECT_EQ(ask(kPlaylist + "&embedType=async").body,
            ask(kPlaylist + "&embedType=playlist_api").body);
  EXPECT_EQ(ask(kVideo + "&embedType=playlist_popover").body,
            ask(kVideo + "&embedType=async_popover").body);
  EXPECT_EQ(ask(kVideo + "&embedType=flash").body, ask(kVideo).body);
}

TEST_F(Oembed, ErrorsHaveOneKeyAndDoNotEchoTheRequest) {
  const std::string planted = "PLANTEDvalue";
  for (const std::string& query :
       {"url=https://evil.example/" + planted, "url=" + planted, kVideo + "&format=" + planted,
        kVideo + "&callback=" + planted + "(1)", "url=https://media.example/medias/" + planted}) {
    SCOPED_TRACE(query);
    const Response response = ask(query);
    EXPECT_GE(response.status, 400);
    EXPECT_EQ(response.body.find(planted), std::string::npos) << response.body;
    text::json::Document document;
    const auto object = document.parse(response.body);
    ASSERT_TRUE(object) << object.error();
    EXPECT_EQ(object->size(), 1u);
    EXPECT_EQ(object->key(0), "error");
  }
}

TEST_F(Oembed, Answers503IfTheStoreIsUnavailable) {
  catalog_.away = true;
  for (const std::string& query : {kVideo, kPlaylist}) EXPECT_EQ(ask(query).status, 503) << query;
  EXPECT_EQ(ask("url=https://evil.example/").status, 404) << "which needs no store";
}

TEST_F(Oembed, OembedR2WrapsJsonInACallback) {
  const Response plain = ask(kVideo);
  const Response wrapped = ask(kVideo + "&callback=window.app.on$1");
  EXPECT_EQ(wrapped.status, 200);
  EXPECT_EQ(wrapped.content_type, kJavaScript);
  EXPECT_EQ(wrapped.body, "/**/window.app.on$1(" + plain.body + ");");
  EXPECT_NE(header(wrapped, "ETag"), header(plain, "ETag"));
  EXPECT_EQ(ask("/oembed.json", kVideo + "&callback=cb").content_type, kJavaScript);
}

TEST_F(Oembed, OembedR2RefusesInvalidCallbacks) {
  struct Case {
    std::string_view name;
    std::string callback;
    int status;
  };
  for (const Case& c : {
           Case{"as long as it may be", std::string(128, 'c'), 200},
           Case{"too long", std::string(129, 'c'), 400},
           Case{"a space", "+", 400},
           Case{"a call", "alert(1)", 400},
           Case{"a reserved word", "window.new", 400},
           Case{"a digit in front", "1a", 400},
           Case{"a tag", "%3Cscript%3E", 400},
           Case{"the end of the comment", "*%2Falert", 400},
           Case{"a line feed", "cb%0A", 400},
           Case{"another alphabet", "caf%C3%A9", 400},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ask(kVideo + "&callback=" + c.callback).status, c.status);
    EXPECT_EQ(ask("callback=" + c.callback + "&url=nothing").status, c.status == 200 ? 404 : 400);
  }
}

TEST_F(Oembed, OembedR2IgnoresACallbackOnXml) {
  EXPECT_EQ(ask("/oembed.xml", kVideo + "&callback=cb").body, ask("/oembed.xml", kVideo).body);
  EXPECT_EQ(ask(kVideo + "&format=xml&callback=alert(1)").status, 200);
}

TEST_F(Oembed, OembedR4CarriesTheHeadersOfAPublicAnswer) {
  for (const std::string query : {"", "&format=xml", "&callback=cb", "&embedType=async"}) {
    SCOPED_TRACE(query);
    const Response response = ask(kVideo + query);
    EXPECT_EQ(header(response, "Cache-Control"),
              "public, max-age=3600, stale-while-revalidate=600");
    EXPECT_TRUE(header(response, "ETag").starts_with("W/\"")) << header(response, "ETag");
  }
}

TEST_F(Oembed, OembedR4AnswersNotModified) {
  const std::string tag = header(ask(kVideo), "ETag");
  for (const std::string_view method : {"GET", "HEAD"}) {
    const Response response = ask("/oembed", kVideo, method, "\"other\", " + tag);
    EXPECT_EQ(response.status, 304);
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(header(response, "ETag"), tag);
    EXPECT_EQ(header(response, "Cache-Control"),
              "public, max-age=3600, stale-while-revalidate=600");
  }
  EXPECT_EQ(ask("/oembed", kVideo + "&width=100", "GET", tag).status, 200);
  EXPECT_EQ(ask("/oembed.xml", kVideo, "GET", tag).status, 200);
  EXPECT_EQ(ask("/oembed", "url=nothing", "GET", "*").status, 404) << "an error is never a 304";
}

TEST_F(Oembed, OembedR4AnswersInFullOnceTheMediaHasChanged) {
  const std::string tag = header(ask(kVideo), "ETag");
  media::Media renamed = fakes::example_video();
  renamed.name = "Another name";
  catalog_.add(renamed);
  EXPECT_EQ(ask("/oembed", kVideo, "GET", tag).status, 200);
}

TEST_F(Oembed, OembedR5DoesNotRepeatTheRequestedUrl) {
  const Response response = ask(kVideo + "/manage?x=%22%3E%3Cscript%3E");
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(response.body, ask(kVideo).body);
}

TEST_F(Oembed, HasACacheAgeOnlyIfConfigured) {
  EXPECT_EQ(ask(kVideo).body.find("cache_age"), std::string::npos);
  endpoints::Oembed aged(endpoints::Oembed::Path::Open, site_, {100, 50, 5, 86400}, catalog_);
  http::Router router;
  router.add("/oembed", aged);
  http::Request request;
  request.method = "GET";
  request.path = "/oembed";
  request.query = kVideo;
  const Response response = fakes::now(router.answer(request));
  EXPECT_TRUE(response.body.ends_with(",\"cache_age\":86400}")) << response.body;
  EXPECT_EQ(header(response, "Cache-Control"), "public, max-age=100, stale-while-revalidate=50");
}

TEST_F(Oembed, ReadsAPlaylistsMediaInOneBatchAndSkipsMissingMedia) {
  ASSERT_EQ(ask(kPlaylist).status, 200);
  EXPECT_EQ(catalog_.asked, (std::vector<std::string>{"find playlist pl4yl1st01",
                                                      "find medias l4unchf1lm missing000"}));
}

TEST_F(Oembed, ReadsItsSubjectOnceAndOnlyForValidRequests) {
  struct Case {
    std::string_view name;
    std::string_view method;
    std::string query;
    std::vector<std::string> asked;
  };
  for (const Case& c : {
           Case{"a media", "GET", kVideo, {"find media l4unchf1lm"}},
           Case{"a media, HEAD", "HEAD", kVideo, {"find media l4unchf1lm"}},
           Case{"not ours", "GET", "url=https://evil.example/medias/abc", {}},
           Case{"no url", "GET", "", {}},
           Case{"an unknown format", "GET", kVideo + "&format=yaml", {}},
           Case{"a wrong callback", "GET", kVideo + "&callback=1", {}},
       }) {
    SCOPED_TRACE(c.name);
    catalog_.asked.clear();
    ask("/oembed", c.query, c.method);
    EXPECT_EQ(catalog_.asked, c.asked);
  }
}

TEST_F(Oembed, OembedC2NotesDependenciesOfResponsesAndRefusals) {
  struct Case {
    std::string_view name;
    std::string query;
    int status;
    std::vector<std::string> made_from;
  };
  for (const Case& c : {
           Case{"a media", kVideo, 200, {"catalog:media:l4unchf1lm"}},
           Case{"an unknown media",
                "url=https://media.example/medias/unknown000",
                404,
                {"catalog:media:unknown000"}},
           Case{"audio",
                "url=https://media.example/medias/aud10only1",
                501,
                {"catalog:media:aud10only1"}},
           Case{"a playlist",
                kPlaylist,
                200,
                {"catalog:playlist:pl4yl1st01", "catalog:media:l4unchf1lm",
                 "catalog:media:missing000"}},
           Case{"no request of ours", "url=https://evil.example/", 404, {}},
       }) {
    SCOPED_TRACE(c.name);
    const Response response = ask(c.query);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.made_from, c.made_from);
  }
}

}  // namespace
}  // namespace svc
