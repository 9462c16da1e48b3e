#include "ingest/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

// Lines of ffmpeg's muxer framecrc, in milliseconds.
std::string packet(int stream, int begin, int duration, const std::string& more = "") {
  return std::to_string(stream) + ", " + std::to_string(begin) + ", " + std::to_string(begin) +
         ", " + std::to_string(duration) + ", 9, 0x12345678" + more + "\n";
}

const std::string kUnits = "#software: Lavf\n#tb 0: 1/1000\n#tb 1: 1/1000\n#codec_id 0: h264\n";

Timeline timeline_of(const std::string& lines, std::string_view errors = "",
                     double longest = 43200) {
  TimelineReader reader(true);
  for (const char c : kUnits + lines) reader.read({&c, 1});
  return reader.finish(0.04, longest, errors);
}

TEST(TimelineOfPackets, EndsWithThePicturesAndTheSound) {
  const Timeline longer = timeline_of(packet(0, 0, 40) + packet(1, 900, 100) + packet(0, 40, 500));
  EXPECT_EQ(longer.pictures, 2);
  EXPECT_DOUBLE_EQ(longer.last_picture, 0.04);
  EXPECT_DOUBLE_EQ(longer.last_packet, 0.9);
  EXPECT_DOUBLE_EQ(longer.end, 1);
  EXPECT_DOUBLE_EQ(timeline_of(packet(0, 0, 40) + packet(0, 80, 0) + packet(0, 40, 40)).end, 0.12);
  EXPECT_EQ(timeline_of("0, 7, -9223372036854775808, 5, 9, 0x0\n").end, 0.047);
  EXPECT_EQ(timeline_of(packet(0, 0, 100'000'000)).end, 43200);
  EXPECT_EQ(timeline_of("").pictures, 0);
}

TEST(TimelineOfPackets, FindsLongHolds) {
  using Holds = std::vector<Hold>;
  EXPECT_EQ(timeline_of(packet(0, 0, 40) + packet(0, 10000, 40)).holds, Holds{});
  EXPECT_EQ(timeline_of(packet(0, 15000, 40)).holds, (Holds{{0, 15}}));
  EXPECT_EQ(timeline_of(packet(0, 0, 40) + packet(0, 30000, 20000)).holds,
            (Holds{{0, 30}, {30, 50}}));
  EXPECT_EQ(timeline_of(packet(0, 0, 40) + packet(1, 20000, 40)).holds, (Holds{{0, 20.04}}));
  // In the order of decoding.
  EXPECT_EQ(timeline_of(packet(0, 0, 40) + packet(0, 30000, 40) + packet(0, 9000, 40)).holds,
            (Holds{{9, 30}}));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += packet(0, i * 11000 + (i > 500 ? 7000 : 0), 40);
  const Timeline most = timeline_of(many);
  EXPECT_EQ(most.holds.size(), kMostHolds);
  EXPECT_TRUE(std::ranges::any_of(most.holds,
                                  [](const Hold& hold) { return hold.end - hold.begin == 18; }));
}

TEST(TimelineOfPackets, ReportsIfTheFileEndsWithinAPacket) {
  EXPECT_FALSE(timeline_of(packet(0, 0, 40, ", F=0x0")).cut);
  EXPECT_TRUE(timeline_of(packet(0, 0, 40) + packet(1, 0, 40, ", F=0x3")).cut);
  EXPECT_TRUE(timeline_of(packet(0, 0, 40, ", S=1, 2, F=0x2")).cut);
  EXPECT_FALSE(timeline_of(packet(0, 0, 40, ", F=0x2") + packet(0, 40, 40)).cut);
  EXPECT_TRUE(
      timeline_of(packet(0, 0, 40), "[mov @ 0x1] stream 1, offset 0x6a0ec: partial file").cut);
  EXPECT_TRUE(timeline_of(packet(0, 0, 40), "[matroska,webm @ 0x1] File ended prematurely").cut);
}

TEST(TimelineOfPackets, SurvivesOtherText) {
  for (const std::string text : {"\n", "0\n", "0,\n", "0, 1, x, 3\n", "7, 1, 1, 1, 1, 0x0\n",
                                 "#tb 0: 1/0\n", "#tb 0\n", "#tb\n", "-1, 2, 3, 4\n"})
    EXPECT_EQ(timeline_of(text).pictures, 0) << text;
  EXPECT_EQ(timeline_of(std::string(100'000, 'x')).pictures, 0);
}

TEST(TimelineOfPackets, LowersTheRateOfFilmsWithFewPictures) {
  Timeline timeline;
  timeline.pictures = 300;
  timeline.end = 10;
  EXPECT_EQ(affordable({30, 1}, timeline), (Fraction{30, 1}));
  timeline.end = 43200;
  EXPECT_EQ(affordable({30, 1}, timeline), (Fraction{1, 1}));
  timeline.holds = {{10, 43200}};
  EXPECT_EQ(affordable({30, 1}, timeline), (Fraction{30, 1}));
}

}  // namespace
}  // namespace svc::ingest
