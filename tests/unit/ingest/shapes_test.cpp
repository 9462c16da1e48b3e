#include "ingest/shapes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace svc::ingest {
namespace {

using media::Dimensions;

std::vector<Shape> shapes_of(const std::string& text) {
  ShapeReader reader;
  for (const char c : text) reader.read({&c, 1});
  return reader.shapes();
}

std::optional<Letterbox> box_of(const std::string& text) {
  return letterbox(shapes_of(text), 8192);
}

TEST(Shapes, TheCanvasIsTheLargestShape) {
  EXPECT_FALSE(box_of(""));
  EXPECT_FALSE(box_of("640,480,1:1\n\n640,480,N/A,\n640,480,0:1\n"));
  const auto turned = box_of("320,240,1:1\n640,480,1:1\n480,640,1:1\n");
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->canvas, (Dimensions{640, 480}));
  EXPECT_TRUE(turned->changes_coded_size);
  const auto television = box_of("720,576,16:15,\n720,576,64:45,\n");
  ASSERT_TRUE(television);
  EXPECT_EQ(television->canvas, (Dimensions{1024, 576}));
  EXPECT_FALSE(television->changes_coded_size);
}

TEST(Shapes, HostileLinesAreShapesOfABoundedSize) {
  for (const std::string line :
       {"0,0\n", "-4,5,1:1\n", "x\n", "640\n", "640,\n", "640;480\n", ",,,\n", "99999999999,9\n"})
    EXPECT_TRUE(shapes_of(line).empty()) << line;
  EXPECT_EQ(shapes_of("640,480,1:0\n").at(0).seen, (Dimensions{640, 480}));
  EXPECT_EQ(shapes_of("640,480,2147483647:1\n").at(0).seen, (Dimensions{1'000'000, 480}));
  EXPECT_EQ(shapes_of("640,480,1:2147483647\n").at(0).seen, (Dimensions{1, 480}));
  EXPECT_FALSE(box_of("640,480,1:1\n640,480,100:1\n9000,16,1:1\n"));
  std::string many(100'000, '7');
  for (int i = 1; i < 1000; ++i) many += "\n" + std::to_string(i) + ",9,1:1";
  EXPECT_EQ(shapes_of(many).size(), ShapeReader::kMostShapes);
}

}  // namespace
}  // namespace svc::ingest
