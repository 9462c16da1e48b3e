#include "ingest/ladder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::ingest {
namespace {

using media::Dimensions;

std::string text_of(Dimensions source) {
  VideoStream video;
  video.size = source;
  video.rate = {25, 1};
  std::string text;
  for (const Rung& rung : ladder(video)) {
    text += rung.name + "=" + std::to_string(rung.size.width) + "x" +
            std::to_string(rung.size.height) + " ";
  }
  return text;
}

TEST(Ladder, HasEvenSizesThatFitTheirBoxAndTheSource) {
  struct Case {
    std::string_view name;
    Dimensions source;
    std::string_view rungs;
  };
  for (const Case& c : {
           Case{"4K",
                {3840, 2160},
                "1080p=1920x1080 720p=1280x720 540p=960x540 360p=640x360 240p=426x240 "},
           Case{"portrait",
                {1080, 1920},
                "1080p=1080x1920 720p=720x1280 540p=540x960 360p=360x640 240p=240x426 "},
           Case{"odd", {1279, 717}, "720p=1278x716 540p=960x538 360p=640x358 240p=426x240 "},
           Case{"cinema",
                {1920, 804},
                "1080p=1920x804 720p=1280x536 540p=960x402 360p=640x268 240p=426x178 "},
           Case{"between two boxes", {1066, 600}, "720p=1066x600 360p=640x360 240p=426x240 "},
           Case{"small", {320, 180}, "240p=320x180 "},
           Case{"a dot", {1, 1}, "240p=2x2 "},
           Case{"a line", {8192, 2}, "1080p=1920x2 720p=1280x2 360p=640x2 240p=426x2 "},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(text_of(c.source), c.rungs);
  }
}

TEST(Ladder, NeverEnlargesAndAlwaysHasARung) {
  for (int width = 1; width < 9000; width = width * 3 / 2 + 1) {
    for (int height = 1; height < 9000; height = height * 3 / 2 + 1) {
      VideoStream video;
      video.size = {width, height};
      const auto rungs = ladder(video);
      ASSERT_FALSE(rungs.empty());
      for (const Rung& rung : rungs) {
        EXPECT_LE(rung.size.width, std::max(2, width));
        EXPECT_LE(rung.size.height, std::max(2, height));
        EXPECT_EQ(rung.size.width % 2 + rung.size.height % 2, 0);
        EXPECT_LE(std::max(rung.size.width, rung.size.height), 1920);
        EXPECT_GE(std::min(rung.size.width, rung.size.height), 2);
      }
    }
  }
}

TEST(Ladder, AllowsHalfAsMuchMoreForManyFramesPerSecond) {
  VideoStream video;
  video.size = {1280, 720};
  video.rate = {30, 1};
  EXPECT_EQ(ladder(video).front().max_rate, 3200);
  video.rate = {60, 1};
  EXPECT_EQ(ladder(video).front().max_rate, 4800);
}

}  // namespace
}  // namespace svc::ingest
