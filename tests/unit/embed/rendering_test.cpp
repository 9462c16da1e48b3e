#include "embed/rendering.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fakes/examples.h"
#include "text/json.h"

namespace svc::embed {
namespace {

const Site kRenderedSite = fakes::example_site();

std::string rendered(Format format, std::string_view query, const Embeddable& subject,
                     std::optional<int> cache_age = std::nullopt) {
  const EmbedRequest request =
      read_embed_request({subject.kind, subject.id.value(), {}}, text::Form::parse(query));
  return render(format, request, subject, kRenderedSite, cache_age);
}

Embeddable rendered_video() { return embeddable(fakes::example_video()); }

// The value of `key` in a JSON rendering.
std::string value_of(const std::string& json, std::string_view key) {
  text::json::Document document;
  const auto object = document.parse(json);
  if (!object) return "not JSON: " + object.error();
  const auto value = object->find(key);
  if (!value) return "none";
  if (const auto text = value->string()) return std::string(*text);
  if (const auto integer = value->integer()) return std::to_string(*integer);
  return "another kind";
}

TEST(Rendering, OembedR1IsJsonWithItsKeysInOrder) {
  EXPECT_EQ(
      rendered(Format::Json, "", rendered_video(), 3600),
      R"({"version":"1.0","type":"video",)"
      R"("html":"\u003ciframe src=\"https://embed.host.example/embed/iframe/l4unchf1lm\" )"
      R"(title=\"Launch film Video\" allow=\"autoplay; fullscreen\" allowtransparency=\"true\" )"
      R"(frameborder=\"0\" scrolling=\"no\" class=\"svc_embed\" name=\"svc_embed\" msallowfullscreen )"
      R"(width=\"640\" height=\"360\"\u003e\u003c/iframe\u003e\n)"
      R"(\u003cscript src=\"https://embed.host.example/assets/external/E-v1.js\" async\u003e\u003c/script\u003e",)"
      R"("width":640,"height":360,"provider_name":"Svc \u0026 Co",)"
      R"("provider_url":"https://app.home.example","title":"Launch film",)"
      R"("thumbnail_url":"https://assets.host.example/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360",)"
      R"("thumbnail_width":640,"thumbnail_height":360,"player_color":"54bbff","duration":16.43,)"
      R"("cache_age":3600})");
}

TEST(Rendering, OembedR3IsXmlWithTheSameKeysInOrder) {
  Embeddable subject = rendered_video();
  subject.title = "Q&A <1>\x01\xff";
  EXPECT_EQ(
      rendered(Format::Xml, "embedType=async", subject, 3600),
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      R"(<oembed><version>1.0</version><type>video</type>)"
      R"(<html>&lt;script charset="ISO-8859-1" src="https://embed.host.example/assets/external/E-v1.js" async&gt;)"
      R"(&lt;/script&gt;&lt;div class="svc_embed svc_async_l4unchf1lm" style="height:360px;width:640px"&gt;)"
      R"(&amp;nbsp;&lt;/div&gt;</html>)"
      R"(<width>640</width><height>360</height><provider_name>Svc &amp; Co</provider_name>)"
      R"(<provider_url>https://app.home.example</provider_url><title>Q&amp;A &lt;1&gt;</title>)"
      R"(<thumbnail_url>https://assets.host.example/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360</thumbnail_url>)"
      R"(<thumbnail_width>640</thumbnail_width><thumbnail_height>360</thumbnail_height>)"
      R"(<duration>16.43</duration><cache_age>3600</cache_age></oembed>)"
      "\n");
}

TEST(Rendering, OmitsUnknownFields) {
  Embeddable bare = rendered_video();
  bare.poster.clear();
  bare.player_color.clear();
  bare.duration.reset();
  bare.native.reset();
  const std::string json = rendered(Format::Json, "embedType=async_popover", bare);
  const std::size_t behind_html = json.find("\",\"width\"");
  ASSERT_NE(behind_html, std::string::npos);
  EXPECT_EQ(json.substr(behind_html),
            R"(","width":640,"height":360,"provider_name":"Svc \u0026 Co",)"
            R"("provider_url":"https://app.home.example","title":"Launch film"})");
}

TEST(Rendering, HasThePlayerColourInIframeResponsesOnly) {
  EXPECT_EQ(value_of(rendered(Format::Json, "", rendered_video()), "player_color"), "54bbff");
  for (const std::string_view type : {"async", "async_popover", "open_graph_tags"}) {
    const std::string query = "embedType=" + std::string(type);
    EXPECT_EQ(value_of(rendered(Format::Json, query, rendered_video()), "player_color"), "none")
        << type;
  }
}

TEST(Rendering, OembedS6ThumbnailHasTheSizeOfTheResponse) {
  const std::string json = rendered(Format::Json, "maxwidth=500", rendered_video());
  EXPECT_EQ(value_of(json, "width"), "500");
  EXPECT_EQ(value_of(json, "height"), "281");
  EXPECT_EQ(value_of(json, "thumbnail_width"), "500");
  EXPECT_EQ(value_of(json, "thumbnail_height"), "281");
  EXPECT_EQ(
      value_of(json, "thumbnail_url"),
      "https://assets.host.example/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=500x281");
}

TEST(Rendering, OembedS6NeverClaimsAThumbnailLargerThanThePoster) {
  struct Case {
    std::string_view name, query;
    media::Dimensions native;
    std::optional<media::Dimensions> poster;
    std::string_view thumbnail;
  };
  for (const Case& c : {
           Case{"within the poster", "width=640", {1920, 1080}, {{1280, 720}}, "640x360"},
           Case{"above the poster", "width=1600", {1920, 1080}, {{1280, 720}}, "1280x720"},
           Case{"a width above it", "width=640", {1920, 1080}, {{320, 320}}, "320x180"},
           Case{"a height above it", "", {1080, 1920}, {{1000, 90}}, "160x90"},
           Case{"above every crop", "width=2560", {3840, 2160}, {{3840, 2160}}, "1920x1080"},
           Case{"upright, above every crop",
                "height=3840",
                {2160, 3840},
                {{2160, 3840}},
                "1080x1920"},
           Case{"unknown: as large as the video", "width=1280", {640, 360}, {}, "640x360"},
       }) {
    SCOPED_TRACE(c.name);
    Embeddable subject = rendered_video();
    subject.native = c.native;
    subject.poster_size = c.poster;
    const std::string json = rendered(Format::Json, c.query, subject);
    EXPECT_EQ(value_of(json, "thumbnail_width") + "x" + value_of(json, "thumbnail_height"),
              c.thumbnail);
    EXPECT_TRUE(value_of(json, "thumbnail_url").ends_with("=" + std::string(c.thumbnail)));
    const std::string tags =
        rendered(Format::Json, std::string(c.query) + "&embedType=open_graph_tags", subject);
    EXPECT_NE(value_of(tags, "html")
                  .find("og:image:width\" content=\"" + value_of(json, "thumbnail_width") + "\""),
              std::string::npos);
  }
}

TEST(Rendering, KeepsItsSizeIfThePopoversThumbnailIsSmaller) {
  const std::string json = rendered(Format::Json, "embedType=async_popover", rendered_video());
  EXPECT_EQ(value_of(json, "width"), "640");
  EXPECT_EQ(value_of(json, "height"), "360");
  EXPECT_NE(value_of(json, "html").find("height:100px;width:150px"), std::string::npos);
}

TEST(Rendering, KeepsItsSizeIfTheEmbedCodeIsResponsive) {
  const std::string json = rendered(Format::Json, "videoFoam=true&width=300", rendered_video());
  EXPECT_EQ(value_of(json, "width"), "300");
  EXPECT_EQ(value_of(json, "height"), "169");
}

TEST(Rendering, WritesADurationWithUpToThreeDecimals) {
  for (const auto& [seconds, written] : {std::pair(16.43, "16.43"), std::pair(5.0, "5"),
                                         std::pair(0.0, "0"), std::pair(3600.12345, "3600.123")}) {
    Embeddable subject = rendered_video();
    subject.duration = seconds;
    const std::string end = std::string("\"duration\":") + written + "}";
    const std::string json = rendered(Format::Json, "", subject);
    EXPECT_TRUE(json.ends_with(end)) << json;
  }
}

TEST(Rendering, OembedR1StaysValidJsonForAnyTitle) {
  Embeddable subject = rendered_video();
  for (int byte = 0; byte < 256; ++byte) subject.title += static_cast<char>(byte);
  for (const std::string_view type : {"iframe", "async", "async_popover", "open_graph_tags"}) {
    const std::string json = rendered(Format::Json, "embedType=" + std::string(type), subject);
    EXPECT_EQ(json.find_first_of("<>&"), std::string::npos) << type;
    EXPECT_EQ(value_of(json, "version"), "1.0") << json;
  }
}

TEST(Rendering, IsTheSameForRequestsThatCompareEqual) {
  EXPECT_EQ(rendered(Format::Json, "muted=true&autoPlay=true&_=1", rendered_video()),
            rendered(Format::Json, "autoPlay=true&muted=true", rendered_video()));
}

TEST(Rendering, PlaylistsHaveTheirOwnNameAndTheSumOfDurations) {
  media::Media second = fakes::example_video("second");
  second.duration = 10;
  const auto subject =
      embeddable(fakes::example_playlist({}), {fakes::example_video("first"), second});
  const std::string json = rendered(Format::Json, "embedType=playlist_popover", *subject);
  EXPECT_EQ(value_of(json, "title"), "Launch week");
  EXPECT_TRUE(json.ends_with("\"duration\":26.43}")) << json;
}

}  // namespace
}  // namespace svc::embed
