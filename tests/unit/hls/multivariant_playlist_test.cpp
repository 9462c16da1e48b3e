#include "hls/multivariant_playlist.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fakes/examples.h"

namespace svc::hls {
namespace {

using media::Asset;
using media::AssetType;
using media::Dimensions;

const std::string kBase = "https://assets.host.example";

Asset hls(std::optional<Dimensions> size, std::int64_t bandwidth, const std::string& url) {
  Asset asset;
  asset.url = url;
  asset.size = size;
  asset.bandwidth = bandwidth;
  return asset;
}

media::Media with(std::vector<Asset> assets) {
  media::Media video = fakes::example_video();
  video.assets = std::move(assets);
  return video;
}

std::string uris(const std::optional<MultivariantPlaylist>& playlist) {
  std::string out;
  for (const Variant& variant : playlist.value().variants()) out += variant.uri + " ";
  return out;
}

std::string file(const std::string& name) {
  std::ifstream in(SVC_SOURCE_DIR "/tests/data/" + name);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_NE(text.str(), "") << name;
  return text.str();
}

TEST(MultivariantPlaylist, OembedM1WritesTheAttributesOfEveryAsset) {
  Asset large = hls(Dimensions{1920, 1080}, 5605600, "/deliveries/a/1080p/index.m3u8");
  large.average_bandwidth = 4400000;
  large.codecs = "avc1.640028,mp4a.40.2";
  large.frame_rate = 29.97;
  Asset middle = hls(Dimensions{960, 540}, 1870000, "https://cdn.example/540p/index.m3u8?t=1");
  middle.average_bandwidth = 1450000;
  middle.codecs = "avc1.64001f,mp4a.40.2";
  middle.frame_rate = 25;
  Asset sound = hls(std::nullopt, 64000, "/deliveries/a/sound/index.m3u8");
  sound.codecs = "mp4a.40.2";
  const Asset bare = hls(std::nullopt, 1, "/bare.m3u8");
  EXPECT_EQ(MultivariantPlaylist::of(with({bare, large, sound, middle}), kBase)->to_text(),
            file("multivariant_playlist.m3u8"));
}

TEST(MultivariantPlaylist, OembedM2BeginsWithTheLargestAtMost960PixelsWide) {
  struct Case {
    std::string_view name;
    std::vector<Asset> assets;
    std::string_view order;
  };
  const Asset w1920 = hls(Dimensions{1920, 1080}, 5000, "https://h/1920");
  const Asset w1280 = hls(Dimensions{1280, 720}, 3000, "https://h/1280");
  const Asset w960 = hls(Dimensions{960, 540}, 2000, "https://h/960");
  const Asset w640 = hls(Dimensions{640, 360}, 1000, "https://h/640");
  const Asset w961 = hls(Dimensions{961, 541}, 2100, "https://h/961");
  const Asset sound = hls(std::nullopt, 100, "https://h/sound");
  const Asset loud = hls(std::nullopt, 9000, "https://h/loud");
  for (const Case& c : {
           Case{"one of all",
                {w640, w960, w1920, w1280, sound},
                "https://h/960 https://h/1920 https://h/1280 https://h/640 https://h/sound "},
           Case{"just above the bound", {w961, w640}, "https://h/640 https://h/961 "},
           Case{"all above: the smallest", {w1920, w1280}, "https://h/1280 https://h/1920 "},
           Case{"one alone", {w1920}, "https://h/1920 "},
           Case{"sound alone", {sound}, "https://h/sound "},
           Case{"sound is never before a picture",
                {sound, w1920},
                "https://h/1920 https://h/sound "},
           Case{"however loud", {loud, w640}, "https://h/640 https://h/loud "},
           Case{"only sound: the smallest", {loud, sound}, "https://h/sound https://h/loud "},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(uris(MultivariantPlaylist::of(with(c.assets), kBase)), c.order);
  }
}

TEST(MultivariantPlaylist, OembedM2PrefixesPathsWithTheAssetBase) {
  EXPECT_EQ(
      uris(MultivariantPlaylist::of(
          with({hls(std::nullopt, 2, "/a.m3u8"), hls(std::nullopt, 1, "http://h/b.m3u8")}), kBase)),
      "http://h/b.m3u8 https://assets.host.example/a.m3u8 ");
}

TEST(MultivariantPlaylist, OembedM4DoesNotExistWithoutAnHlsAsset) {
  Asset mp4 = hls(Dimensions{640, 360}, 1000, "/a.mp4");
  mp4.type = AssetType::Mp4;
  EXPECT_FALSE(MultivariantPlaylist::of(with({}), kBase));
  EXPECT_FALSE(MultivariantPlaylist::of(with({mp4}), kBase));
  EXPECT_EQ(uris(MultivariantPlaylist::of(with({mp4, hls(std::nullopt, 1, "https://h/a")}), kBase)),
            "https://h/a ");
}

TEST(MultivariantPlaylist, OembedM7ListsSegmentedCaptionsAsSubtitlesOfEveryVariant) {
  media::Media video = with({hls(std::nullopt, 2, "/a.m3u8"), hls(std::nullopt, 1, "/b.m3u8")});
  video.captions = {{"/side.vtt", "fr", "Side file", false},
                    {"/en/index.m3u8", "en", "English", false},
                    {"https://cdn.example/en.m3u8?t=1", "EN", "English, plain", false},
                    {"/de/1.m3u8", "de", "Deutsch, einfach", false},
                    {"/de/2.m3u8", "de", "Deutsch", true}};
  EXPECT_EQ(MultivariantPlaylist::of(video, kBase)->to_text(), file("subtitles.m3u8"));
}

TEST(MultivariantPlaylist, OembedM7HasNoGroupWithoutSegmentedCaptions) {
  media::Media video = with({hls(std::nullopt, 1, "https://h/a")});
  const std::string without = MultivariantPlaylist::of(video, kBase)->to_text();
  video.captions = {{"/side.vtt", "en", "English", true}};
  EXPECT_EQ(MultivariantPlaylist::of(video, kBase)->to_text(), without);
  video.assets.clear();
  video.captions = {{"/en.m3u8", "en", "English", true}};
  EXPECT_FALSE(MultivariantPlaylist::of(video, kBase)) << "captions alone are no manifest";
}

TEST(MultivariantPlaylist, OembedM1WritesFrameRatesWithThreeDecimals) {
  for (const auto& [rate, written] :
       {std::pair(25.0, "25.000"), std::pair(29.97, "29.970"), std::pair(23.976, "23.976"),
        std::pair(0.001, "0.001"), std::pair(59.9999, "60.000"), std::pair(1000.0, "1000.000")}) {
    Asset asset = hls(std::nullopt, 1, "https://h/a");
    asset.frame_rate = rate;
    EXPECT_EQ(MultivariantPlaylist::of(with({asset}), kBase)->to_text(),
              std::string("#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n"
                          "#EXT-X-STREAM-INF:BANDWIDTH=1,FRAME-RATE=") +
                  written + "\nhttps://h/a\n");
  }
}

}  // namespace
}  // namespace svc::hls
