// oembed.md, Requests and Statuses.
#include <gtest/gtest.h>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using OembedRequestsOnTheWire = OembedRules;
using OembedRequests = OembedRules;
using namespace std::string_literals;

const std::string kFilm = "url=https://svc.localhost/medias/l4unchf1lm";
const std::string kNotOurs = "url is not the URL of a media or playlist here";

TEST_F(OembedRequestsOnTheWire, OembedE1PathAndFormatDecide) {
  expect({
      {"JSON by default", "/oembed?" + kFilm, 200, kJson, {"{\"version\""}},
      {"with a slash", "/oembed/?" + kFilm, 200, kJson},
      {"by format", "/oembed?" + kFilm + "&format=xml", 200, kXml, {"<?xml "}},
      {"JSON by format", "/oembed?" + kFilm + "&format=json", 200, kJson},
      {"with both", "/oembed/?" + kFilm + "&format=xml", 200, kXml},
      {"another format", "/oembed?" + kFilm + "&format=yaml", 501, kJson},
      {"another format with a slash", "/oembed/?" + kFilm + "&format=html", 501, kJson},
      {"a blank", "/oembed?" + kFilm + "&format=+", 501, kJson},
      {"capitals", "/oembed?" + kFilm + "&format=XML", 501, kJson},
      {"a line's end", "/oembed?" + kFilm + "&format=json%0d%0a", 501, kJson},
      {"a NUL", "/oembed?" + kFilm + "&format=xml%00", 501, kJson},
      {"the path decides", "/oembed.json?" + kFilm + "&format=xml", 200, kJson, {"{\"version\""}},
      {"and ignores it", "/oembed.xml?" + kFilm + "&format=yaml", 200, kXml, {"<?xml "}},
      {"XML by path", "/oembed.xml?" + kFilm + "&format=json", 200, kXml},
  });
}

TEST_F(OembedRequestsOnTheWire, StatusDependsOnTheMediaOrPlaylist) {
  const std::string none = "no such media or playlist";
  const std::string no_code = "the media has no embed code";
  const std::string no_video = "the playlist has no video to embed";
  const auto frame = [](const std::string& id) {
    return oembed_of("https://acme.svc.localhost/embed/iframe/" + id);
  };
  expect({
      {"a ready video", film(), 200, kJson},
      {"by the iframe page", frame("l4unchf1lm"), 200, kJson},
      {"by the short form", oembed_of("http://svc.test/m/l4unchf1lm"), 200, kJson},
      {"an unknown id", film("", "unknown000"), 404, kJson, {none}},
      {"an id in another case", film("", "L4UNCHF1LM"), 404, kJson, {none}},
      {"no video", film("", "aud10only1"), 501, kJson, {no_code}},
      {"a document", frame("pdf0file01"), 501, kJson, {no_code}},
      {"a queued video", film("", "qu3u3d0001"), 501, kJson, {no_code}},
      {"in XML", film("format=xml", "aud10only1"), 501, kXml, {"<error>" + no_code + "</error>"}},
      {"a playlist", list(), 200, kJson, {"The launch films"}},
      {"an unknown playlist", list("", "unknown000"), 404, kJson, {none}},
      {"a media for a playlist", list("", "l4unchf1lm"), 404, kJson, {none}},
      {"a playlist for a media", film("", "pl4yl1st01"), 404, kJson, {none}},
      {"an empty playlist", list("", "pl4yempty0"), 501, kJson, {no_video}},
      {"a playlist without a video", list("", "pl4ynov1d0"), 501, kJson, {no_video}},
  });
}

TEST_F(OembedRequests, StatusOfMediaThatDoNotPlay) {
  import_film("pr0cess001", {{"status", R"("processing")"}});
  import_film("f41led0001", {{"status", R"("failed")"}});
  import_film("aud10failed", {{"status", R"("failed")"}, {"type", R"("Audio")"}});
  import_film("lowercase", {{"type", R"("video")"}});
  expect({
      {"being processed", film("", "pr0cess001"), 501},
      {"failed", film("", "f41led0001"), 404},
      {"failed, and no video", film("", "aud10failed"), 404},
      {"another type", film("", "lowercase"), 501},
  });
}

TEST_F(OembedRequestsOnTheWire, ErrorsHaveOneKeyAndDoNotEchoTheRequest) {
  for (const std::string& target :
       Texts{"/oembed?url=https://evil.example/PLANTED", "/oembed?url=PLANTED",
             "/oembed?" + kFilm + "&format=PLANTED", "/oembed?" + kFilm + "&callback=PLANTED(1)",
             film("", "PLANTED"), film("format=xml", "PLANTED"), "/oembed.xml?url=PLANTED"}) {
    SCOPED_TRACE(target);
    const Answer answer = ask(target);
    EXPECT_GE(answer.status, 400);
    EXPECT_FALSE(answer.has("PLANTED")) << answer.body;
    const bool is_xml = answer.type == kXml;
    EXPECT_TRUE(answer.body.starts_with(
        is_xml ? "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<error>" : R"({"error":")"))
        << answer.body;
    EXPECT_EQ(count(answer.body, is_xml ? "<" : "\":"), is_xml ? 3u : 1u) << answer.body;
    EXPECT_EQ(answer.header("Cache-Control"), "public, max-age=10");
    for (const char* name : {"Access-Control-Allow-Origin", "Timing-Allow-Origin"})
      EXPECT_EQ(answer.header(name), "*");
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
  }
}

class WithoutAStore : public OembedRules {
 protected:
  WithoutAStore() : OembedRules({"--redis-state=unix:///nowhere.sock"}) {}
};

TEST_F(WithoutAStore, EachResponseIsA503InItsForm) {
  const std::string error = "temporarily unavailable";
  for (const auto& [target, type] : {std::pair(film(), kJson),
                                     {film("format=xml"), kXml},
                                     {list(), kJson},
                                     {"/embed/medias/l4unchf1lm.m3u8", kJson},
                                     {"/embed/medias/l4unchf1lm.json", kJson},
                                     {"/embed/playlists/pl4yl1st01.json", kJson},
                                     {"/medias/l4unchf1lm", kHtml},
                                     {"/embed/iframe/l4unchf1lm", kHtml},
                                     {"/embed/playlists/pl4yl1st01", kHtml},
                                     {"/embed-codes?url=l4unchf1lm", kHtml}}) {
    SCOPED_TRACE(target);
    const Answer answer = ask(target);
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.type, type);
    EXPECT_EQ(answer.header("Retry-After"), "1");
    EXPECT_TRUE(type == kHtml || answer.has(error)) << answer.body;
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), type == kHtml ? "none" : "*");
  }
  expect({{"what needs no store", "/oembed?url=https://evil.example/", 404},
          {"an empty form", "/embed-codes", 200},
          {"the entry for registries", "/providers.json", 200},
          {"no id", "/embed/medias/.m3u8", 404}});
}

TEST_F(OembedRequestsOnTheWire, OembedE2OembedR4HeadIsGetWithoutTheBody) {
  for (const std::string& target :
       Texts{film(), film("format=xml"), "/embed/medias/l4unchf1lm.m3u8",
             "/embed/playlists/pl4yl1st01.json", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm",
             "/embed-codes?url=l4unchf1lm", "/providers.json", "/robots.txt", "/oembed?url=x",
             film("", "aud10only1"), "/embed/medias/unkn0wn.m3u8", "/embed/playlists/pl4yempty0",
             "/medias/"}) {
    SCOPED_TRACE(target);
    const Answer get = ask(target);
    const Answer head = ask("HEAD " + target);
    EXPECT_EQ(head.status, get.status);
    EXPECT_EQ(head.body, "");
    for (const char* name : {"Content-Type", "Cache-Control", "ETag", "Content-Security-Policy",
                             "Access-Control-Allow-Origin"})
      EXPECT_EQ(head.header(name), get.header(name)) << name;
    EXPECT_EQ(head.header("Content-Length"), std::to_string(get.body.size()));
    const bool has_tag = get.header("ETag") != "none";
    for (const std::string& tag :
         Texts{get.header("ETag"), "W/\"a\", " + get.header("ETag").substr(has_tag ? 2 : 0)}) {
      for (const char* method : {"GET ", "HEAD "}) {
        const Answer again = ask(Ask(method + target).with("If-None-Match", tag));
        EXPECT_EQ(again.status, has_tag ? 304 : get.status) << tag;
        if (!has_tag) continue;
        EXPECT_EQ(again.body, "");
        EXPECT_EQ(again.header("ETag"), get.header("ETag"));
        EXPECT_EQ(again.header("Cache-Control"), get.header("Cache-Control"));
      }
    }
    const Answer other = ask(Ask(target).with("If-None-Match", "W/\"0000000000000000\""));
    EXPECT_EQ(other.status, get.status);
    EXPECT_EQ(other.body, get.body);
    if (get.status >= 400) {
      EXPECT_EQ(ask(Ask(target).with("If-None-Match", "*")).status, get.status) << "never a 304";
    }
  }
}

TEST_F(OembedRequestsOnTheWire, OembedE3RequiresAUrlOfAMediaOrPlaylist) {
  const std::string missing = "the parameter url is missing";
  const std::string other = "url=https://evil.example/";
  expect({
      {"nothing", "/oembed", 404, kJson, {missing}},
      {"no url", "/oembed?width=100", 404, kJson, {missing}},
      {"an empty url", "/oembed?url=", 404, kJson, {missing}},
      {"in capitals", "/oembed?URL=https://svc.localhost/medias/l4unchf1lm", 404, kJson, {missing}},
      {"an array", "/oembed?url[]=https://svc.localhost/medias/l4unchf1lm", 404, kJson, {missing}},
      {"not a URL", "/oembed?url=hello", 404, kJson, {kNotOurs}},
      {"a bare id", "/oembed?url=l4unchf1lm", 404, kJson, {kNotOurs}},
      {"of others", "/oembed?" + other, 404, kJson, {kNotOurs}},
      {"escaped twice", "/oembed?url=https%253A%252F%252Fsvc.localhost%252Fm%252Fl4unchf1lm", 404},
      {"ours in its own", "/oembed?url=/oembed?" + kFilm, 404, kJson, {kNotOurs}},
      {"the first of two", "/oembed?" + kFilm + "&" + other, 200},
      {"the first, of others", "/oembed?" + other + "&" + kFilm, 404},
      {"the first, escaped", "/oembed?%75rl=https://evil.example/&" + kFilm, 404},
      {"the first, empty", "/oembed?url=&" + kFilm, 404},
      {"the first, without a value", "/oembed?url&" + kFilm, 404},
      {"the first format", "/oembed?" + kFilm + "&format=yaml&format=json", 501},
      {"the second format", "/oembed?" + kFilm + "&format=json&format=yaml", 200},
  });
}

TEST_F(OembedRequests, OembedE4IgnoresUnknownParameters) {
  const Answer plain = ask("/oembed?" + kFilm);
  std::string many;
  for (int i = 0; i < 3900; ++i) many += i % 2 == 0 ? "a&" : "=&";
  for (const std::string& query :
       Texts{"_=1700000000&dnt=1&utm_source=x&foo[]=bar&" + kFilm + "&for=me&%00=%ff&=&&",
             many + kFilm + "&" + std::string(100, '&'),
             kFilm + "/manage?x=%22%3E%3Cscript%3E&utm_source=x"}) {
    const Answer decorated = ask("/oembed?" + query);
    EXPECT_EQ(decorated.body, plain.body) << query;
    EXPECT_EQ(decorated.header("ETag"), plain.header("ETag"));
  }
}

TEST_F(OembedRequests, OembedE5RecognisesEveryForm) {
  const std::string longest(64, 'z');
  import_film("a");
  import_film(longest);
  const std::string page = "https://svc.localhost/medias/l4unchf1lm";
  for (const std::string& url : words(
           "https://embed.svc.example/m/l4unchf1lm http://embed.svc.example/medias/l4unchf1lm "
           "https://acme.svc.localhost/medias/l4unchf1lm "
           "https://a.b.svc.localhost/medias/l4unchf1lm "
           "http://svc.test/m/l4unchf1lm http://acme.svc.test/medias/l4unchf1lm "
           "http://acme.svc.localhost/embed/iframe/l4unchf1lm "
           "HTTPS://ACME.Svc.LOCALHOST/medias/l4unchf1lm http://svc.localhost:80/m/l4unchf1lm "
           "https://svc.localhost/embed/iframe/l4unchf1lm/x https://svc.localhost:443/m/l4unchf1lm "
           "https://svc.localhost:/m/l4unchf1lm https://acme.svc.localhost:8443/m/l4unchf1lm "
           "https://svc.localhost:0443/medias/l4unchf1lm https://svc.localhost/medias/a",
           {kEmbedHost + "/embed/iframe/l4unchf1lm", kEmbedHost + "/medias/l4unchf1lm",
            kEmbedHost + "/m/l4unchf1lm", "https://svc.localhost/medias/" + longest, page,
            page + "/", page + "/manage", page + "/a/b/../c", page + "?", page + "#t=5",
            page + "/https://evil.example/", page + "/%2e%2e/%2e%2e/x", page + "/\xff\xc0\xaf",
            page + "/\"><script>alert(1)</script>", page + "#@evil.example/\\",
            page + "?u=http://evil.example/"}))
    EXPECT_EQ(value_of(ask(oembed_of(url)), "title"), "Launch film") << url;
  for (const std::string& host : {kEmbedHost, "http://acme.svc.test"s})
    EXPECT_EQ(value_of(ask(oembed_of(host + "/embed/playlists/pl4yl1st01")), "title"),
              "The launch films");
  for (const auto& [query, has] :
       {std::pair("?embedType=async&width=400", "height:225px;width:400px"),
        {"/?width=400", "\"width\":400"},
        {"?width=400#t=5", "\"width\":400"},
        {"?theme=%26", "theme=%26"}})
    EXPECT_TRUE(ask(oembed_of(page + query)).has(has)) << query;
}

// These are not URLs of media, whatever their suffix is.
TEST_F(OembedRequests, OembedE5OembedE6RefusesOtherUrlsAndLookAlikes) {
  struct Kind {
    std::string name;
    Texts urls;
  };
  const std::string nul(1, '\0');
  for (const Kind& kind : std::vector<Kind>{
           {"paths",
            words("https://svc.localhost https://svc.localhost/ https://svc.localhost/medias/ "
                  "https://svc.localhost/medias https://svc.localhost/medias/?id=abc "
                  "https://svc.localhost/medias//abc https://svc.localhost/videos/abc "
                  "https://svc.localhost/mediasabc https://svc.localhost/Medias/abc "
                  "https://svc.localhost/x/medias/abc https://svc.localhost/../medias/abc "
                  "https://svc.localhost//medias/abc https://svc.localhost?/medias/abc "
                  "https://svc.localhost/#/medias/abc https://svc.localhostmedias/abc /medias/abc",
                  {kEmbedHost + "/embed/medias/abc.m3u8"})},
           {"ids",
            words(
                "https://svc.localhost/medias/abc-def https://svc.localhost/medias/abc_def "
                "https://svc.localhost/medias/abc.m3u8 https://svc.localhost/medias/abc;x=1 "
                "https://svc.localhost/medias/äbc https://svc.localhost/medias/%61bc "
                "https://svc.localhost/medias/abc%2f..%2fadmin https://svc.localhost/medias%2Fabc "
                "https://svc.localhost/medias/abc%00 https://svc.localhost/medias/ab%4",
                {"https://svc.localhost/medias/" + std::string(65, 'z'),
                 "https://svc.localhost/medias/ab\xff\xfe",
                 "https://svc.localhost/medias/abc def"})},
           {"schemes",
            words("ftp://svc.localhost/medias/abc svc.localhost/medias/abc "
                  "//svc.localhost/medias/abc https:// https:///medias/abc file:///medias/abc "
                  "https:/svc.localhost/medias/abc https:svc.localhost/medias/abc "
                  "https:/\\svc.localhost/medias/abc https://https://svc.localhost/medias/abc "
                  "view-source:https://svc.localhost/medias/abc httpss://svc.localhost/medias/abc "
                  "javascript://svc.localhost/medias/abc data://svc.localhost/medias/abc")},
           {"names",
            words("https://evilsvc.localhost/medias/abc https://evilsvc.test/medias/abc "
                  "https://evilembed.svc.example/medias/abc https://evil.embed.svc.example/m/abc "
                  "https://svc.example/medias/abc https://svc.localhost.evil.example/medias/abc "
                  "https://svc.localhost-evil.example/medias/abc https://acme-svc.localhost/m/abc "
                  "https://localhost/medias/abc https://app.svc.example/medias/abc "
                  "https://svc.localhost./medias/abc https://.svc.localhost/medias/abc "
                  "https://acme..svc.localhost/medias/abc https://..svc.localhost/medias/abc "
                  "https://svc.localhost,evil.example/m/abc "
                  "https://svc.localhost;evil.example/m/abc https://[svc.localhost]/medias/abc "
                  "https://[::1/medias/abc https://127.0.0.1/medias/abc https://[::1]/medias/abc",
                  {"https://" + std::string(260, 'a') + ".svc.localhost/medias/abc"})},
           {"user information",
            words("https://svc.localhost@evil.example/medias/abc https://user@svc.localhost/m/abc "
                  "https://u:p@svc.localhost/medias/abc https://@svc.localhost/medias/abc "
                  "https://svc.localhost:443@evil.example/medias/abc "
                  "https://[svc.localhost]@evil.example/medias/abc "
                  "https://svc.localhost%40evil.example/medias/abc")},
           {"backslashes",
            words("https://evil.example\\.svc.localhost/medias/abc "
                  "https:\\\\svc.localhost\\medias\\abc https://svc.localhost\\@evil.example/m/abc "
                  "https://svc.localhost/medias\\abc")},
           {"ports",
            words(
                "https://svc.localhost:8080/medias/abc https://svc.localhost:80/medias/abc "
                "https://svc.localhost:443x/medias/abc https://svc.localhost:port/medias/abc "
                "https://svc.localhost:99999/medias/abc https://svc.localhost:65979/medias/abc "
                "https://svc.localhost:4294967739/m/abc https://svc.localhost:+443/medias/abc "
                "https://svc.localhost:-443/medias/abc https://svc.localhost:0x1bb/medias/abc "
                "https://svc.localhost:４４３/medias/abc https://svc.localhost:443:443/medias/abc "
                "https://svc.localhost:0/medias/abc "
                "https://svc.localhost:443.evil.example/medias/abc",
                {"https://svc.localhost:443 /medias/abc"})},
           {"white space and control bytes",
            words(
                "",
                {"https://svc\t.localhost/medias/abc", "ht\ttps://svc.localhost/medias/abc",
                 "https ://svc.localhost/medias/abc", "https://acme .svc.localhost/medias/abc",
                 "https://acme\n.svc.localhost/medias/abc", "\x01https://svc.localhost/medias/abc",
                 "https://svc.localhost/medias/abc?a=\x1b[2J", "https://svc.localhost/m/abc?x=\x7f",
                 "https://svc.localhost/medias/abc#\r\nSet-Cookie: x=1",
                 "https://svc.localhost/medias/abc" + nul,
                 "https://evil.example" + nul + ".svc.localhost/medias/abc",
                 nul + "https://svc.localhost/medias/abc"})},
           {"ours in another's",
            words("https://evil.example/?u=https://svc.localhost/medias/abc "
                  "https://evil.example?/medias/abc https://evil.example/#svc.localhost/medias/abc "
                  "https://evil.example/svc.localhost/medias/abc "
                  "https://evil.example#.svc.localhost/medias/abc "
                  "https://evil.example?.svc.localhost/medias/abc")},
           {"other alphabets and escapes",
            words(
                "https://svc%2elocalhost/medias/abc https://svс.localhost/medias/abc "
                "https://xn--sv-lmc.localhost/medias/abc https://ſvc.localhost/medias/abc "
                "https://ácme.svc.localhost/medias/abc https://ｓvc.localhost/medias/abc "
                "https://svc。localhost/medias/abc https://evil.example／.svc.localhost/medias/abc "
                "https://svc%4.localhost/medias/abc",
                {"https://sv\u00adc.localhost/medias/abc", "https://svc\u200d.localhost/medias/abc",
                 "https://svc.localhost\u202e/medias/abc",
                 "https://svc.localhost\xc0\xafmedias/abc"})},
       }) {
    for (const std::string& url : kind.urls) {
      SCOPED_TRACE(kind.name + ": " + url);
      const Answer answer = ask(oembed_of(url));
      EXPECT_EQ(answer.status, 404);
      EXPECT_TRUE(answer.has(kNotOurs)) << answer.body;
    }
  }
}

class OneHost : public OembedRules {
 protected:
  OneHost()
      : OembedRules({"--app-url=http://127.0.0.1:8080", "--base-url=http://127.0.0.1:8080",
                     "--oembed-url=http://127.0.0.1:8080", "--embed-host=http://127.0.0.1:8080"}) {}
};

TEST_F(OneHost, OembedE5RecognisesTheHostsOfADevelopmentMachine) {
  for (const auto& [url, status] : {std::pair("http://127.0.0.1:8080/medias/l4unchf1lm", 200),
                                    {"http://acme.svc.localhost:8080/medias/l4unchf1lm", 200},
                                    {"https://acme.svc.localhost/medias/l4unchf1lm", 200},
                                    {"http://127.0.0.1:8081/medias/l4unchf1lm", 404},
                                    {"http://localhost:8080/medias/l4unchf1lm", 404},
                                    {"http://1.127.0.0.1:8080/medias/l4unchf1lm", 404}})
    EXPECT_EQ(ask(oembed_of(url)).status, status) << url;
  EXPECT_EQ(html_of(film("embedType=open_graph_tags")).find("secure_url"), std::string::npos);
}

TEST_F(OembedRequests, OembedE7AcceptsAUrlThatWasSentUnescaped) {
  const std::string page = "http://svc.localhost/medias/l4unchf1lm";
  const std::string sized = ask(film("embedType=async&width=400")).body;
  EXPECT_EQ(ask(oembed_of(page + "?embedType=async&width=400")).body, sized);
  EXPECT_EQ(ask("/oembed?url=" + page + "?embedType=async&width=400").body, sized);
  EXPECT_EQ(ask("/oembed?url=" + page + "&embedType=async&width=400").body, sized);
  // An inner ampersand that was escaped: the tail is ignored.
  const std::string plain = ask(film()).body;
  for (const char* tail : {"&embedType=async", "&embedType=async&width=400", "&", "&url=/x/y",
                           "&amp;width=400", "&a=1?width=400"})
    EXPECT_EQ(ask(oembed_of(page + tail)).body, plain) << tail;
  EXPECT_EQ(ask(oembed_of("http://svc.localhost/embed/playlists/pl4yl1st01&width=400")).body,
            ask(list()).body);
}

TEST_F(OembedRequests, OembedE8ReadsParametersInEitherPlaceAndTheTopLevelFirst) {
  const std::string page = "https://svc.localhost/medias/l4unchf1lm?";
  struct Places {
    std::string own, top, both;  // `both` at the top level means the same
  };
  for (const Places& row : {
           Places{"embedType=async&width=100&height=110&maxwidth=90&handle=app.player&muted=true",
                  "",
                  "embedType=async&width=100&height=110&maxwidth=90&handle=app.player&muted=true"},
           {"embedType=async&width=100&height=110&handle=own&autoPlay=false&theme=own",
            "embedType=async_popover&width=200&height=210&autoPlay=true",
            "embedType=async_popover&width=200&height=210&autoPlay=true&theme=own"},
           {"embedType=async&handle=own", "handle=upper", "embedType=async&handle=upper"},
           {"maxwidth=300&maxheight=200", "maxwidth=400&maxheight=500",
            "maxwidth=300&maxheight=200"},
           {"maxwidth=400&maxheight=500", "maxwidth=300&maxheight=200",
            "maxwidth=300&maxheight=200"},
           {"maxwidth=300&maxheight=500", "maxwidth=400&maxheight=150",
            "maxwidth=300&maxheight=150"},
           {"maxwidth=300", "maxheight=100", "maxwidth=300&maxheight=100"},
           {"maxwidth=300", "maxwidth=0", "maxwidth=300"},
           {"autoPlay=true", "embedType=iframe&width=400&muted=true&_=7",
            "muted=true&autoPlay=true&width=400"},
           {"popover=true", "embedType=async", "embedType=async_popover"},
           {"popover=true", "embedType=async&popover=false", "embedType=async"},
           {"videoFoam=true", "videoFoam=false", "videoFoam=false"},
       })
    EXPECT_EQ(ask(oembed_of(page + row.own, row.top)).body, ask(film(row.both)).body)
        << row.own << " and " << row.top;
}

TEST_F(OembedRequests, OembedE9ATypeOfTheOtherFamilyBecomesItsCounterpart) {
  const std::string page = "https://svc.localhost/medias/l4unchf1lm?embedType=";
  for (const auto& [type, same] : {std::pair("playlist_iframe", "iframe"),
                                   {"playlist_api", "async"},
                                   {"playlist_popover", "async_popover"},
                                   {"", "iframe"},
                                   {"flash", "iframe"},
                                   {"Async", "iframe"},
                                   {"async%20", "iframe"}}) {
    const std::string own = "embedType=" + std::string(type);
    const std::string other = "embedType=" + std::string(same);
    EXPECT_EQ(ask(film(own)).body, ask(film(other)).body) << type;
    EXPECT_EQ(ask(list(own)).body, ask(list(other)).body) << type;
  }
  const std::string async = ask(film("embedType=async")).body;
  EXPECT_EQ(ask(oembed_of(page + "async", "embedType=flash")).body, async);
  EXPECT_EQ(ask(oembed_of(page + "flash", "embedType=async")).body, async);
  EXPECT_NE(ask(film("embedType=web_component")).body, ask(film()).body);
  EXPECT_NE(ask(list("embedType=web_component")).body, ask(list()).body);
  expect({
      {"tags of a playlist", list("embedType=open_graph_tags"), 501},
      {"tags of an unknown one", list("embedType=open_graph_tags", "unknown000"), 404},
      {"tags of a media", film("embedType=open_graph_tags"), 200},
  });
}

TEST_F(OembedRequests, OembedE25IgnoresWhiteSpaceAroundTheUrl) {
  const std::string plain = ask(film()).body;
  const std::string url = "https://svc.localhost/medias/l4unchf1lm";
  for (const std::string& space : Texts{"+", "%20", "%20%20", "%09", "%0A", "%0d%0a", "%C2%A0"}) {
    SCOPED_TRACE(space);
    EXPECT_EQ(ask("/oembed?url=" + space + url).body, plain);
    EXPECT_EQ(ask("/oembed?url=" + url + space).body, plain);
    EXPECT_EQ(ask("/oembed?url=" + space + url + space).body, plain);
    EXPECT_EQ(ask("/oembed?url=" + space).status, 404);
    EXPECT_EQ(ask("/oembed?url=https://" + space + url.substr(8)).status, 404);
  }
  EXPECT_EQ(ask("/oembed?url=" + url + "?width=300%20").body, ask(film("width=300")).body);
}

TEST_F(OembedRequests, OembedE26AnEmptyFormatOrCallbackCountsAsAbsent) {
  const std::string plain = ask(film()).body;
  for (const std::string& empty :
       Texts{"format=", "callback=", "format=&callback=", "format&callback"}) {
    const Answer answer = ask(film(empty));
    EXPECT_EQ(answer.body, plain) << empty;
    EXPECT_EQ(answer.type, kJson) << empty;
  }
}

TEST_F(OembedRequests, OembedE27TheRegistryEntryListsTheAcceptedUrls) {
  const Answer entry = ask("/providers.json");
  EXPECT_TRUE(entry.has(R"("url":"https://oembed.svc.example/oembed")")) << entry.body;
  EXPECT_TRUE(entry.has(R"("discovery":true)"));
  EXPECT_FALSE(entry.has("example_urls"));
  EXPECT_TRUE(entry.has("\"https://*.svc.test/m/*\""));
  const std::size_t begin = entry.body.find("\"schemes\":[") + 11;
  std::string schemes = entry.body.substr(begin, entry.body.find(']', begin) - begin);
  int listed = 0;
  for (std::size_t end = 0; !schemes.empty(); schemes.erase(0, end + 1)) {
    end = std::min(schemes.find(','), schemes.size() - 1);
    std::string url = schemes.substr(1, schemes.find('"', 1) - 1);
    if (const std::size_t any = url.find("://*."); any != std::string::npos)
      url.replace(any, 5, "://acme.");
    url.replace(url.find('*'), 1,
                url.find("playlists") == std::string::npos ? "l4unchf1lm" : "pl4yl1st01");
    EXPECT_EQ(ask(oembed_of(url)).status, 200) << url;
    ++listed;
  }
  EXPECT_GE(listed, 12);
  EXPECT_FALSE(ask("/robots.txt").has("Disallow"));
}

TEST_F(OembedRequests, OembedE27ShortUrlsLeadToTheMediaPage) {
  for (const auto& [id, status] : {std::pair("l4unchf1lm", 302),
                                   {"unkn0wn", 404},
                                   {"aud10only1", 501},
                                   {"%3Cscript%3E", 404},
                                   {"", 404}}) {
    for (const char* method : {"GET ", "HEAD "}) {
      const Answer answer = ask(std::string(method) + "/m/" + id);
      EXPECT_EQ(answer.status, status) << id;
      EXPECT_EQ(answer.header("Location"), status == 302 ? "/medias/l4unchf1lm" : "none") << id;
    }
  }
}

class WithAnExample : public OembedRules {
 protected:
  WithAnExample() : OembedRules({"--example-media=abc", "--short-domain="}) {}
};

TEST_F(WithAnExample, OembedE27NamesOnlyConfiguredHosts) {
  const Answer entry = ask("/providers.json");
  EXPECT_TRUE(
      entry.has(R"("example_urls":["https://oembed.svc.example/oembed?url=)"
                R"(https%3A%2F%2Fembed.svc.example%3A8443%2Fmedias%2Fabc\u0026format=json"])"))
      << entry.body;
  for (const char* text : {"svc.test", "://*./", "\"https:///"}) EXPECT_FALSE(entry.has(text));
}

}  // namespace
}  // namespace svc::rules
