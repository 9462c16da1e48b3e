// oembed.md, Response.
#include <gtest/gtest.h>

#include <array>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using OembedResponseOnTheWire = OembedRules;
using OembedResponse = OembedRules;

TEST_F(OembedResponseOnTheWire, OembedR1IsJsonWithItsKeysInOrder) {
  EXPECT_EQ(
      ask(film()).body,
      R"({"version":"1.0","type":"video",)"
      R"("html":"\u003ciframe src=\"https://embed.svc.example:8443/embed/iframe/l4unchf1lm\" )"
      R"(title=\"Launch film Video\" allow=\"autoplay; fullscreen\" allowtransparency=\"true\" )"
      R"(frameborder=\"0\" scrolling=\"no\" class=\"svc_embed\" name=\"svc_embed\" msallowfullscreen )"
      R"(width=\"640\" height=\"360\"\u003e\u003c/iframe\u003e\n)"
      R"(\u003cscript src=\"https://embed.svc.example:8443/assets/external/E-v1.js\" async\u003e)"
      R"(\u003c/script\u003e","width":640,"height":360,"provider_name":"svc",)"
      R"("provider_url":"https://www.svc.example","title":"Launch film","thumbnail_url":)"
      R"("https://embed.svc.example:8443/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360",)"
      R"("thumbnail_width":640,"thumbnail_height":360,"player_color":"54bbff","duration":8.008})");
}

class AsConfigured : public OembedRules {
 protected:
  AsConfigured()
      : OembedRules({"--provider-name=Svc & Co", "--oembed-cache-age=900", "--oembed-max-age=120",
                     "--oembed-stale-while-revalidate=30", "--oembed-negative-max-age=7",
                     "--asset-base=https://cdn.example/films"}) {}
};

TEST_F(AsConfigured, OembedR3IsXmlWithTheSameKeysInOrder) {
  import_film("xml", {{"name", R"("Q&A <1>\u0001\uffff")"}});
  EXPECT_EQ(
      ask(film("embedType=async&format=xml", "xml")).body,
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      R"(<oembed><version>1.0</version><type>video</type><html>&lt;script charset="ISO-8859-1" )"
      R"(src="https://embed.svc.example:8443/assets/external/E-v1.js" async&gt;&lt;/script&gt;)"
      R"(&lt;div class="svc_embed svc_async_xml" style="height:360px;width:640px"&gt;)"
      R"(&amp;nbsp;&lt;/div&gt;</html>)"
      R"(<width>640</width><height>360</height><provider_name>Svc &amp; Co</provider_name>)"
      R"(<provider_url>https://www.svc.example</provider_url><title>Q&amp;A &lt;1&gt;</title>)"
      R"(<thumbnail_url>https://cdn.example/films/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360</thumbnail_url>)"
      R"(<thumbnail_width>640</thumbnail_width><thumbnail_height>360</thumbnail_height>)"
      R"(<duration>8.008</duration><cache_age>900</cache_age></oembed>)"
      "\n");
}

TEST_F(AsConfigured, OembedR4LifetimesAreThoseOfTheSettings) {
  for (const char* query : {"", "format=xml", "callback=cb", "embedType=async"})
    EXPECT_EQ(ask(film(query)).header("Cache-Control"),
              "public, max-age=120, stale-while-revalidate=30")
        << query;
  EXPECT_TRUE(ask(film()).body.ends_with(",\"cache_age\":900}"));
  EXPECT_EQ(ask("/oembed?url=x").header("Cache-Control"), "public, max-age=7");
}

TEST_F(OembedResponse, OmitsUnknownFields) {
  import_film("bare", {{"thumbnail", "null"},
                       {"player_color", "\"\""},
                       {"duration", "null"},
                       {"width", "null"},
                       {"height", "null"}});
  const std::string body = ask(film("embedType=async_popover", "bare")).body;
  EXPECT_EQ(body.substr(body.find("\",\"width\"")),
            R"(","width":640,"height":360,"provider_name":"svc",)"
            R"("provider_url":"https://www.svc.example","title":"Launch film"})");
  EXPECT_EQ(value_of(ask(film()), "player_color"), "54bbff");
  for (const std::string& type : Texts{"async", "async_popover", "open_graph_tags"})
    EXPECT_EQ(value_of(ask(film("embedType=" + type)), "player_color"), "none") << type;
}

TEST_F(OembedResponse, ADurationHasUpToThreeDecimals) {
  for (const auto& [seconds, written] :
       {std::pair("16.43", "16.43"), {"5.0", "5"}, {"0", "0"}, {"3600.12345", "3600.123"}}) {
    import_film("long", {{"duration", seconds}});
    EXPECT_EQ(value_of(ask(film("", "long")), "duration"), written);
  }
}

TEST_F(OembedResponse, APlaylistHasItsNameAndTheSizeAndPosterOfItsFirstVideo) {
  import_film("queued", {{"status", R"("queued")"}, {"duration", "100"}});
  import_film("first", {{"width", "640"},
                        {"height", "480"},
                        {"duration", "10.5"},
                        {"player_color", R"("abcdef")"},
                        {"thumbnail", R"({"url":"/first.jpg"})"}});
  import_film("second", {{"duration", "20.25"}});
  import_film("missing000");
  import_playlist("thel1st", {"aud10only1", "queued", "first", "missing000", "second"});
  stores().command({"DEL", "catalog:media:missing000"});
  const Answer answer = ask(list("", "thel1st"));
  for (const auto& [name, value] : {std::pair("title", "The list"),
                                    {"width", "640"},
                                    {"height", "360"},
                                    {"player_color", "abcdef"},
                                    {"duration", "30.75"}})
    EXPECT_EQ(value_of(answer, name), value) << answer.body;
  EXPECT_EQ(value_of(answer, "thumbnail_url"),
            kEmbedHost + "/first.jpg?image_crop_resized=640x360");
  EXPECT_EQ(value_of(ask(list("width=320", "thel1st")), "height"), "240");
  import_film("first", {{"duration", "null"}});
  import_playlist("thel1st", {"first"});
  EXPECT_EQ(value_of(ask(list("", "thel1st")), "duration"), "none");
}

TEST_F(OembedResponseOnTheWire, OembedR2WrapsJsonInACallback) {
  const Answer plain = ask(film());
  const Answer wrapped = ask(film("callback=window.app.on$1"));
  EXPECT_EQ(wrapped.type, "application/javascript; charset=utf-8");
  EXPECT_EQ(wrapped.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(wrapped.body, "/**/window.app.on$1(" + plain.body + ");");
  EXPECT_NE(wrapped.header("ETag"), plain.header("ETag"));
  std::string json = film("callback=cb");
  json.replace(0, 7, "/oembed.json");
  EXPECT_EQ(ask(json).body, "/**/cb(" + plain.body + ");");
  EXPECT_EQ(ask(film("callback=a&callback=1")).status, 200) << "the first of two";
  EXPECT_EQ(ask(film("format=xml&callback=alert(1)")).body, ask(film("format=xml")).body);
}

TEST_F(OembedResponse, OembedR2RefusesInvalidCallbacks) {
  using namespace std::string_literals;
  for (const std::string& callback :
       Texts{"a", "_", "$", "callback", "jQuery1_2$", "a.b", "window.app.on_ready", "$.b._1",
             "classes", "In", "THIS", "await_", "svcEmbed", std::string(128, 'c')}) {
    const Answer answer = ask(film("callback=" + callback));
    EXPECT_TRUE(answer.body.starts_with("/**/" + callback + "({")) << answer.body;
    EXPECT_EQ(ask("/oembed?callback=" + callback + "&url=nothing").status, 404);
  }
  for (const std::string& callback :
       words("1a a.1 . .a a. a..b alert(1) a[0] a=b a;b */alert <script> a'b é \\u0061 a-b café "
             "window.new",
             {"a b", " ", "a\n", "a\0"s, "a\u2028", std::string(129, 'c')})) {
    const std::string escaped = text::percent_encode(callback);
    EXPECT_EQ(ask(film("callback=" + escaped)).status, 400) << callback;
    EXPECT_EQ(ask("/oembed?callback=" + escaped + "&url=nothing").status, 400) << callback;
  }
  EXPECT_EQ(ask(film("callback=1&format=yaml")).status, 501);
  for (const std::string& word :
       words("arguments await break case catch class const continue debugger default delete do "
             "else enum eval export extends false finally for function if implements import in "
             "instanceof interface let new null package private protected public return static "
             "super switch this throw true try typeof undefined var void while with yield")) {
    for (const std::string& callback : Texts{word, "a." + word, word + ".a"})
      EXPECT_EQ(ask(film("callback=" + callback)).status, 400) << callback;
    EXPECT_EQ(ask(film("callback=" + word + "_")).status, 200);
  }
}

TEST_F(OembedResponseOnTheWire, OembedR4HasTheHeadersOfAPublicResponse) {
  for (const char* query : {"", "format=xml", "callback=cb", "embedType=async"}) {
    SCOPED_TRACE(query);
    const Answer answer = ask(film(query));
    for (const auto& [name, value] :
         {std::pair("Access-Control-Allow-Origin", "*"),
          {"Timing-Allow-Origin", "*"},
          {"X-Content-Type-Options", "nosniff"},
          {"Cache-Control", "public, max-age=3600, stale-while-revalidate=600"},
          {"Set-Cookie", "none"}})
      EXPECT_EQ(answer.header(name), value) << name;
    EXPECT_TRUE(answer.header("ETag").starts_with("W/\"")) << answer.header("ETag");
    EXPECT_EQ(answer.header("Content-Length"), std::to_string(answer.body.size()));
  }
}

TEST_F(OembedResponse, OembedR4AnswersInFullOnceTheMediaHasChanged) {
  const std::string tag = ask(film()).header("ETag");
  EXPECT_EQ(ask(Ask(film()).with("If-None-Match", "\"other\", " + tag)).status, 304);
  for (const char* other : {"width=100", "format=xml"})
    EXPECT_EQ(ask(Ask(film(other)).with("If-None-Match", tag)).status, 200) << other;
  import_film("l4unchf1lm", {{"name", R"("Another name")"}});
  EXPECT_EQ(ask(Ask(film()).with("If-None-Match", tag)).status, 200);
}

}  // namespace
}  // namespace svc::rules
