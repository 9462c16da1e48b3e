#include "ingest/media_playlist.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

TEST(MediaPlaylist, ReadsWhatFfmpegWrites) {
  const auto playlist = read_media_playlist(
      "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n"
      "#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MAP:URI=\"init.mp4\"\n"
      "#EXTINF:4.004000,\n0.m4s\r\n#EXTINF:1.5,title\n1.m4s\n#EXT-X-ENDLIST\n");
  ASSERT_TRUE(playlist);
  EXPECT_EQ(playlist->target_duration, 4);
  EXPECT_EQ(playlist->map, "init.mp4");
  EXPECT_TRUE(playlist->ended);
  ASSERT_EQ(playlist->segments.size(), 2U);
  EXPECT_EQ(playlist->segments[0].uri, "0.m4s");
  EXPECT_EQ(playlist->segments[0].duration, 4.004);
  EXPECT_EQ(playlist->segments[1].uri, "1.m4s");
  EXPECT_NEAR(playlist->duration(), 5.504, 1e-9);
}

TEST(MediaPlaylist, NamesOnlyFilesInItsFolder) {
  for (const std::string uri :
       {"../0.m4s", "/etc/passwd", "other/0.m4s", "..", ".hidden", "file:0.m4s",
        "https://example.com/0.m4s", "%2e%2e", "a b", "a\\b", "\xc3\xa4"}) {
    SCOPED_TRACE(uri);
    EXPECT_FALSE(read_media_playlist("#EXTM3U\n#EXTINF:1,\n" + uri + "\n"));
    EXPECT_FALSE(read_media_playlist("#EXTM3U\n#EXT-X-MAP:URI=\"" + uri + "\"\n"));
  }
}

TEST(MediaPlaylist, RefusesOtherTexts) {
  for (const std::string_view text :
       {"", "#EXTM3", "WEBVTT\n", "#EXTM3U\n0.ts\n", "#EXTM3U\n#EXTINF:nan,\n0.ts\n",
        "#EXTM3U\n#EXTINF:-1,\n0.ts\n", "#EXTM3U\n#EXTINF:1,\n0.ts\n1.ts\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:x\n"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(read_media_playlist(text));
  }
}

// RFC 8216 §4.3.4.2.
TEST(MediaPlaylist, MeasuresThePeakOverHalfToOneAndAHalfTargetDurations) {
  struct Case {
    std::string_view name;
    std::vector<double> durations;
    std::vector<std::uint64_t> sizes;
    std::int64_t peak, average;
  };
  for (const Case& c : {
           Case{"equal segments", {4, 4, 4}, {1000, 1000, 1000}, 2000, 2000},
           Case{"one large segment", {4, 4, 4}, {1000, 3000, 1000}, 6000, 3334},
           Case{"a short last segment does not count alone", {4, 1}, {1000, 4000}, 8000, 8000},
           Case{"one of half the target does", {4, 2}, {1000, 4000}, 16000, 6667},
           Case{"several short ones together", {1, 1, 4}, {500, 700, 100}, 4800, 1734},
           Case{"not more than one and a half", {2, 4, 4}, {100, 200, 5000}, 10000, 4240},
           Case{"a single short segment", {1}, {1000}, 8000, 8000},
           Case{"short ones beside a long one", {1, 6, 1}, {1000, 1000, 1000}, 3000, 3000},
           Case{"empty segments", {4}, {0}, 1, 1},
       }) {
    SCOPED_TRACE(c.name);
    MediaPlaylist playlist;
    playlist.target_duration = 4;
    for (const double duration : c.durations) playlist.segments.push_back({"x", duration});
    const auto rates = measure(playlist, c.sizes);
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->peak, c.peak);
    EXPECT_EQ(rates->average, c.average);
  }
}

TEST(MediaPlaylist, MeasuresOnlySegmentsWithADurationAndASize) {
  MediaPlaylist playlist;
  EXPECT_FALSE(measure(playlist, {}));
  playlist.segments = {{"x", 0}};
  EXPECT_FALSE(measure(playlist, {5}));
  playlist.segments = {{"x", 1}};
  EXPECT_FALSE(measure(playlist, {5, 6}));
}

}  // namespace
}  // namespace svc::ingest
