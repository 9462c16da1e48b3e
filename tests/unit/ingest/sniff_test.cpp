#include "ingest/sniff.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::ingest {
namespace {

using namespace std::string_view_literals;
using media::Dimensions;

TEST(Sniff, ReadsSizesOfImages) {
  struct Case {
    std::string_view ending, head;
    Dimensions size;
  };
  for (const Case& c : {
           Case{"png", "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x01\0\0\0\0\x20"sv, {256, 32}},
           Case{
               "png", "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\xff\xff\xff\xff\0\0\0\x20"sv, {1 << 30, 32}},
           Case{"gif", "GIF89a\x00\x01\x20\x00"sv, {256, 32}},
           Case{"jpg", "\xff\xd8\xff\xe0\0\x04xx\xff\xff\xc2\0\x11\x08\0\x20\x01\0"sv, {256, 32}},
           Case{"webp", "RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\xff\0\0\x1f\0\0"sv, {256, 32}},
           Case{"webp", "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\0\x01\x20\0"sv, {256, 32}},
           Case{"webp", "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\xff\xc0\x07\0\0\0\0\0\0"sv, {256, 32}},
       }) {
    SCOPED_TRACE(c.ending);
    const Sniffed sniffed = sniff(c.head);
    EXPECT_EQ(sniffed.kind, Kind::Image);
    EXPECT_EQ(sniffed.ending, c.ending);
    EXPECT_EQ(sniffed.size, c.size);
    for (std::size_t length = 8; length < c.head.size(); ++length) sniff(c.head.substr(0, length));
  }
}

TEST(Sniff, RefusesTextArchivesAndPrograms) {
  for (const std::string_view head : {""sv, "hello"sv, "#EXTM3U\n"sv, "ffconcat version 1.0\n"sv,
                                      "<svg>"sv, "<?xml?>\n<html>"sv, "PK\x03\x04"sv, "\x1f\x8b"sv,
                                      "\x7f"
                                      "ELF"sv,
                                      "WEBVTT\n"sv, "\xef\xbb\xbfgrüß"sv, "\xff\xfe<\0s\0"sv}) {
    SCOPED_TRACE(head);
    EXPECT_EQ(sniff(head).kind, Kind::Refused);
    EXPECT_NE(sniff(head).reason, "");
  }
}

TEST(Sniff, NamesImagesThatAreNotTaken) {
  struct Case {
    std::string_view head, kind;
  };
  for (const Case& c : {
           Case{"\0\0\0\x18"
                "ftypmif1\0\0\0\0miafavif"sv,
                "AVIF"},
           Case{"\0\0\0\x18"
                "ftypmif1\0\0\0\0miafjpegavif"sv,
                "HEIF"},
           Case{"\0\0\0\x18"
                "ftyphevc\0\0\0\0msf1hevc"sv,
                "HEIC"},
           Case{"MM\0*\0\0\0\x08"sv, "TIFF or raw"},
           Case{"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"sv, "BMP"},
           Case{"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0\0\1\0\0\x16\0\0\0"sv, "icon"},
           Case{"<svg>"sv, "SVG"},
       }) {
    SCOPED_TRACE(c.kind);
    EXPECT_EQ(sniff(c.head).kind, Kind::Refused);
    EXPECT_EQ(sniff(c.head).reason, "The file is an image of the kind " + std::string(c.kind) +
                                        ". Images may be PNG, JPEG, GIF or WebP.");
  }
}

TEST(Sniff, LeavesTheRestToFfprobe) {
  for (const std::string_view head :
       {"\0\0\0\x20"
        "ftypisom"sv,
        "\0\0\0\x18"
        "ftypisom\0\0\0\0mif1avif"sv,
        "BM\1\2\3"sv, "\0\0\1\xba"sv, "\0\0\1\0\0\0"sv, "\x1a\x45\xdf\xa3"sv, "ID3\x03\0"sv,
        "OggS\0"sv, "RIFF\0\0\0\0WAVEfmt "sv, "fLaC\0"sv, "G@\0\x10"sv}) {
    EXPECT_EQ(sniff(head).kind, Kind::Unknown) << head;
  }
  EXPECT_EQ(sniff("%PDF-1.4\n").kind, Kind::Pdf);
}

}  // namespace
}  // namespace svc::ingest
