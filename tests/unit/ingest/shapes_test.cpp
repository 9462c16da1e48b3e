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

TEST(Shapes, AreInTheKeyFramesOfVp9) {
  const auto frame = [](const std::string& bytes) {
    return std::string(1, static_cast<char>(bytes.size())) + std::string(11, 0) + bytes;
  };
  // Profile 0, shown, BT.601, limited range; then the sides minus one, with 16 bits each.
  std::string text = std::string(32, 'x');
  text += frame(std::string("\x82\x49\x83\x42\x20\x13\xf0\x0e\xf0", 9) + std::string(200, 'x'));
  text += frame("") + frame("\x86");
  text += frame(std::string("\x82\x49\x83\x42\x20\x27\xf0\x16\x70", 9) + std::string(9, 'x'));
  text += frame(std::string("\x82\x49\x83\x43\x20\x63\xf0\x16\x70", 9) + std::string(9, 'x'));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
    Vp9ShapeReader reader;
    for (std::size_t at = 0; at < text.size(); at += piece) reader.read(text.substr(at, piece));
    ASSERT_EQ(reader.shapes().size(), 2U) << piece;
    EXPECT_EQ(reader.shapes()[0].seen, (Dimensions{320, 240}));
    EXPECT_EQ(reader.shapes()[1].seen, (Dimensions{640, 360}));
  }
}

}  // namespace
}  // namespace svc::ingest
