#include "ingest/storyboard.h"

#include <gtest/gtest.h>

namespace svc::ingest {
namespace {

TEST(Storyboard, HasATilePerTwoSecondsAndAtMostAHundred) {
  struct Case {
    double duration;
    int interval, tiles, columns, rows;
  };
  for (const Case& c :
       {Case{0.04, 2, 1, 1, 1}, Case{9, 2, 5, 5, 1}, Case{21, 2, 11, 10, 2},
        Case{200, 2, 100, 10, 10}, Case{201, 4, 51, 10, 6}, Case{43200, 432, 100, 10, 10}}) {
    const Storyboard made = storyboard(c.duration, {1280, 720});
    EXPECT_EQ(made, (Storyboard{c.interval, c.tiles, c.columns, c.rows, {160, 90}})) << c.duration;
  }
}

TEST(Storyboard, KeepsTheShapeOfTheVideo) {
  EXPECT_EQ(storyboard(1, {180, 320}).tile, (media::Dimensions{90, 160}));
  EXPECT_EQ(storyboard(1, {2, 2}).tile, (media::Dimensions{2, 2}));
  EXPECT_EQ(storyboard(1, {1920, 2}).tile, (media::Dimensions{160, 2}));
}

TEST(Storyboard, NamesTheTileOfEachTime) {
  const Storyboard made{3600, 3, 2, 2, {160, 90}};
  EXPECT_EQ(to_webvtt(made, 7300.5, "s.jpg"),
            "WEBVTT\n"
            "\n00:00:00.000 --> 01:00:00.000\ns.jpg#xywh=0,0,160,90\n"
            "\n01:00:00.000 --> 02:00:00.000\ns.jpg#xywh=160,0,160,90\n"
            "\n02:00:00.000 --> 02:01:40.500\ns.jpg#xywh=0,90,160,90\n");
}

}  // namespace
}  // namespace svc::ingest
