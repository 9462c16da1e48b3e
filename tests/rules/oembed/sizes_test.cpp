// oembed.md, Sizes; their rounding as an algorithm: unit/embed/dimensions_test.cpp.
#include <gtest/gtest.h>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

class OembedSizes : public OembedRules {
 protected:
  struct Size {
    std::string name;
    std::string parameters;
    std::string native;  // "1920x1080"
    std::string size;
  };

  // The media of that native size.
  std::string media_of(const std::string& native) {
    if (native == "1920x1080") return "l4unchf1lm";
    const std::size_t x = native.find('x');
    import_film("n" + native, {{"width", native.substr(0, x)}, {"height", native.substr(x + 1)}});
    return "n" + native;
  }
  void expect_sizes(const std::vector<Size>& rows) {
    for (const Size& row : rows) {
      SCOPED_TRACE(row.name);
      const Answer answer = ask(film(row.parameters, media_of(row.native)));
      EXPECT_EQ(value_of(answer, "width") + "x" + value_of(answer, "height"), row.size);
    }
  }
};

TEST_F(OembedSizes, OembedS1DefaultSizeBoundsEachSideSeparately) {
  expect_sizes({
      {"large", "", "1920x1080", "640x360"},
      {"as large as the bound", "", "640x360", "640x360"},
      {"small", "", "480x270", "480x270"},
      {"upright", "", "1080x1920", "640x360"},
      {"wide", "", "2390x1000", "640x360"},
      {"narrow", "", "200x1000", "200x360"},
      {"flat", "", "1000x100", "640x100"},
      {"one pixel", "", "1x1", "1x1"},
  });
  import_film("unknown", {{"width", "null"}, {"height", "null"}});
  for (const auto& [parameters, size] :
       {std::pair("", "640"), std::pair("width=960", "960"), std::pair("maxwidth=1920", "1920")})
    EXPECT_EQ(value_of(ask(film(parameters, "unknown")), "width"), size) << "as if 16:9";
}

TEST_F(OembedSizes, OembedS2FollowsTheNativeRatio) {
  expect_sizes({
      {"a width", "width=960", "1920x1080", "960x540"},
      {"a height", "height=540", "1920x1080", "960x540"},
      {"a width above native", "width=3840", "1920x1080", "3840x2160"},
      {"a height above native", "height=540", "480x270", "960x540"},
      {"both, the ratio kept", "width=1280&height=720", "1920x1080", "1280x720"},
      {"both, the height to spare", "width=640&height=640", "1920x1080", "640x360"},
      {"both, the width to spare", "width=1000&height=360", "1920x1080", "640x360"},
      {"both above native", "width=4000&height=4000", "480x270", "4000x2250"},
      {"both, upright", "width=640&height=360", "1080x1920", "203x360"},
      {"a width, upright", "width=540", "1080x1920", "540x960"},
      {"of a popover", "embedType=async_popover&width=300", "1920x1080", "300x169"},
      {"of a popover's default", "embedType=async_popover", "1920x1080", "640x360"},
      {"responsive", "videoFoam=true&width=300", "1920x1080", "300x169"},
  });
}

TEST_F(OembedSizes, OembedS3NeverGoesAboveNativeForAMaximum) {
  expect_sizes({
      {"a maximal width", "maxwidth=960", "1920x1080", "960x540"},
      {"a maximal height", "maxheight=540", "1920x1080", "960x540"},
      {"both, the width first", "maxwidth=640&maxheight=1000", "1920x1080", "640x360"},
      {"both, the height first", "maxwidth=1000&maxheight=360", "1920x1080", "640x360"},
      {"a width above native", "maxwidth=5000", "1920x1080", "1920x1080"},
      {"a height above native", "maxheight=5000", "480x270", "480x270"},
      {"both above native", "maxwidth=5000&maxheight=5000", "480x270", "480x270"},
      {"a maximum lifts the default size", "maxwidth=1000", "1920x1080", "1000x563"},
      {"a width and a smaller maximum", "width=1000&maxwidth=500", "1920x1080", "500x281"},
      {"a width and a larger maximum", "width=500&maxwidth=1000", "1920x1080", "500x281"},
      {"a width and a maximal height", "width=1000&maxheight=360", "1920x1080", "640x360"},
      {"a height and a maximal width", "height=720&maxwidth=640", "1920x1080", "640x360"},
      {"all four", "width=1280&height=720&maxwidth=640&maxheight=200", "1920x1080", "356x200"},
      {"above native, within the maximum", "width=960&maxwidth=1000", "480x270", "960x540"},
  });
}

TEST_F(OembedSizes, OembedS4RoundsBothSidesHalfUpByOneFactor) {
  for (const std::string& size :
       words("620x349 540x304 660x371 300x169 700x394 200x113 150x84 500x281"))
    EXPECT_EQ("x" + value_of(ask(film("width=" + size.substr(0, 3))), "height"), size.substr(3));
  expect_sizes({
      {"height 480", "height=480", "1920x1080", "853x480"},
      {"odd, by its width", "width=640", "1279x717", "640x359"},
      {"odd, by its height", "height=717", "1279x717", "1279x717"},
      {"wide", "width=640", "1920x804", "640x268"},
      {"wide, one pixel high", "maxheight=1", "1920x804", "2x1"},
      {"exactly a half", "width=8", "16x9", "8x5"},
      {"just below a half", "width=7", "16x9", "7x4"},
      {"at least 1", "width=1", "1000x1", "1x1"},
      {"at least 1 wide", "height=1", "1x32768", "1x1"},
      {"the most extreme of all", "width=10000", "1x32768", "10000x327680000"},
  });
}

TEST_F(OembedSizes, OembedS5ASideIsANumberOfPixelsRoundedDown) {
  const std::string zeros(3000, '0');
  for (const auto& [side, texts] : std::map<int, Texts>{
           {321, words("321 0321 +321 321. 321.0 321.999999 321px 321.7PX 3210e-1 3.21E+2",
                       {"321 px", " 321", "321 ", "\t321\n", zeros + "321"})},
           {600, words("6e2 600.5")},
           {10'000, words("10000 10001 99999999999999999999 2147483648 4294967936 1e400 "
                          "18446744073709552256",
                          {std::string(400, '9')})},
           {1, words("1 0.5 .5")},
           // Ignored: the default.
           {640, words("0 000 -1 -0.5 0.0 0x280 100% 40em 6e 321; [321] 321' true 321pxpx 321,5 "
                       "--321 +-321 ++321 . px nan infinity ٣٢١",
                       {"", "3 21", std::string("321\0", 4)})},
       }) {
    for (const std::string& text : texts)
      EXPECT_EQ(value_of(ask(film("width=" + text::percent_encode(text))), "width"),
                std::to_string(side))
          << text;
  }
}

TEST_F(OembedSizes, OembedS5IgnoresOtherValuesInEitherPlace) {
  const std::string page = "https://svc.localhost/medias/l4unchf1lm";
  struct Places {
    std::string own, top, width;
  };
  for (const Places& row : {
           Places{"width=400", "width=wide", "400"},
           {"width=400", "width=-1", "400"},
           {"", "width=0&height=-1&maxwidth=50%25&maxheight=", "640"},
           {"", "width=400&width=500", "400"},
           {"", "width=x&width=&width=400", "400"},
           {"", "width=400;width=500&width[]=400&Width=400", "640"},
           {"videoWidth=abc", "", "640"},
       })
    EXPECT_EQ(value_of(ask(oembed_of(page + "?" + row.own, row.top)), "width"), row.width)
        << row.own << " and " << row.top;
}

TEST_F(OembedSizes, OembedS7VideoWidthAndVideoHeightActAsWidthAndHeight) {
  const std::string page = "https://svc.localhost/medias/l4unchf1lm?";
  for (const auto& [asked, width] :
       {std::pair(oembed_of(page + "videoWidth=300"), "300"),
        std::pair(oembed_of(page + "videoHeight=180"), "320"),
        std::pair(oembed_of(page + "videoWidth=300&videoHeight=90"), "160"),
        std::pair(oembed_of(page + "videoWidth=300&width=400"), "400"),
        std::pair(oembed_of(page + "videoWidth=300", "width=400"), "400"),
        std::pair(oembed_of(page + "videoHeight=90", "width=400"), "160")})
    EXPECT_EQ(value_of(ask(asked), "width"), width) << asked;
  EXPECT_EQ(html_of(oembed_of(page + "videoWidth=640")), html_of(film())) << "it is no option";
}

TEST_F(OembedSizes, OembedS6TheThumbnailIsNeverLargerThanThePoster) {
  struct Poster {
    std::string name, parameters, native, poster, thumbnail;
  };
  for (const Poster& row : {
           Poster{"of the response's size", "maxwidth=500", "1920x1080", "1920x1080", "500x281"},
           {"within the poster", "width=640", "1920x1080", "1280x720", "640x360"},
           {"above the poster", "width=1600", "1920x1080", "1280x720", "1280x720"},
           {"a width above it", "width=640", "1920x1080", "320x320", "320x180"},
           {"a height above it", "", "1080x1920", "1000x90", "160x90"},
           {"above every crop", "width=2560", "3840x2160", "3840x2160", "1920x1080"},
           {"upright, above every crop", "height=3840", "2160x3840", "2160x3840", "1080x1920"},
           {"unknown: as large as the video", "width=1280", "640x360", "nullxnull", "640x360"},
       }) {
    SCOPED_TRACE(row.name);
    const auto sides = [](const std::string& size) {
      const std::size_t x = size.find('x');
      return Keys{{"width", size.substr(0, x)}, {"height", size.substr(x + 1)}};
    };
    Keys keys = sides(row.native);
    Keys poster = sides(row.poster);
    keys["thumbnail"] = R"({"url":"/p.jpg?a=1","width":)" + poster["width"] +
                        ",\"height\":" + poster["height"] + "}";
    import_film("poster", keys);
    const Answer answer = ask(film(row.parameters, "poster"));
    EXPECT_EQ(value_of(answer, "thumbnail_width") + "x" + value_of(answer, "thumbnail_height"),
              row.thumbnail);
    EXPECT_EQ(value_of(answer, "thumbnail_url"),
              kEmbedHost + "/p.jpg?a=1&image_crop_resized=" + row.thumbnail);
    const std::string tags = html_of(film(row.parameters + "&embedType=open_graph_tags", "poster"));
    EXPECT_NE(tags.find("og:image:width\" content=\"" + value_of(answer, "thumbnail_width") + "\""),
              std::string::npos)
        << tags;
  }
  import_film("elsewhere", {{"thumbnail", R"({"url":"https://cdn.example/p.jpg"})"}});
  EXPECT_EQ(value_of(ask(film("width=1", "elsewhere")), "thumbnail_url"),
            "https://cdn.example/p.jpg?image_crop_resized=1x1");
}

}  // namespace
}  // namespace svc::rules
