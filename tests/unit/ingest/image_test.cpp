#include "ingest/image.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

using namespace std::string_literals;

constexpr std::string_view kSecret = "N 48 12.5";

// A directory with an orientation and a text.
std::string exif(char orientation, bool big = true) {
  const std::string entry = big ? "\1\22\0\3\0\0\0\1\0"s + orientation + "\0\0"s
                                : "\22\1\3\0\1\0\0\0"s + orientation + "\0\0\0"s;
  return (big ? "MM\0*\0\0\0\10\0\1"s : "II*\0\10\0\0\0\1\0"s) + entry + "\0\0\0\0"s +
         std::string(kSecret);
}

std::string segment(char marker, const std::string& data) {
  const std::size_t length = data.size() + 2;
  return "\xff"s + marker + static_cast<char>(length >> 8) + static_cast<char>(length) + data;
}

std::string chunk(const std::string& name, const std::string& data) {
  return "\0\0\0"s + static_cast<char>(data.size()) + name + data + "crc!";
}

std::string riff(const std::string& name, const std::string& data) {
  return name + static_cast<char>(data.size()) + "\0\0\0"s + data + (data.size() % 2 ? "\0"s : "");
}

struct Upload {
  std::string name, ending, upload, clean;
};

std::vector<Upload> uploads() {
  const std::string start = "\xff\xd8"s;
  const std::string icc = segment('\xe2', "ICC_PROFILE\0\1\1profile"s);
  const std::string adobe = segment('\xee', "Adobe\0d\0\0\0\0\1"s);
  const std::string frame = segment('\xc0', "size") + segment('\xc4', "codes");
  const std::string scan = segment('\xda', "scan") + "data\xff\0data\xff\xd0"s + "data";
  const std::string jfif = "JFIF\0\1\1\0\0\1\0\1"s;
  const std::string secret(kSecret);
  const std::string png = "\x89PNG\r\n\x1a\n"s + chunk("IHDR", std::string(13, 'h'));
  const std::string gif = "GIF89a\4\0\4\0\x80\0\0"s + "tables";
  const std::string picture = ",\0\0\0\0\4\0\4\0\0\2\3abc\0"s;
  const std::string loop = "!\xff\13NETSCAPE2.0\3\1\0\0\0"s;
  const auto webp = [](const std::string& chunks) {
    return "RIFF"s + static_cast<char>(chunks.size() + 4) + "\0\0\0WEBP"s + chunks;
  };
  const std::string size = "\0\0\0\3\0\0\3\0\0"s;
  const std::string moving = std::string(16, 'f') + riff("VP8 ", "frame");
  return {
      {"JPEG", "jpg",
       start + segment('\xe0', jfif + "\1\1rgb") + segment('\xe1', "Exif\0\0"s + exif(6)) +
           segment('\xe1', "http://ns.adobe.com/xap/1.0/\0"s + secret) + icc +
           segment('\xe2', "MPF\0"s + secret) + segment('\xed', secret) +
           segment('\xee', "Adobe\0d\0\0\0\0\1"s + secret) + segment('\xf3', secret) +
           segment('\5', secret) + segment('\xde', secret) + "\xff" + segment('\xfe', secret) +
           frame + scan + segment('\xe1', secret) + scan + "\xff\xd9" + secret + start,
       start + segment('\xe0', jfif + "\0\0"s) + icc + adobe + frame + scan + scan + "\xff\xd9"},
      {"JPEG that is cut off", "jpg", start + frame + scan, start + frame + scan + "\xff\xd9"},
      {"PNG", "png",
       png + chunk("iCCP", "profile") + chunk("eXIf", exif(6, false)) + chunk("tEXt", secret) +
           chunk("zTXt", secret) + chunk("iTXt", secret) + chunk("tIME", secret) +
           chunk("abCd", secret) + chunk("pHYs", secret + secret) + chunk("bKGD", secret) +
           chunk("IDAT", "data") + chunk("IEND", "") + secret,
       png + chunk("iCCP", "profile") + chunk("IDAT", "data") + chunk("IEND", "")},
      {"GIF", "gif",
       gif + loop + "!\xfe\t"s + secret + "\0"s + "!\xff\13XMP DataXMP"s + "\t" + secret + "\0"s +
           "!\xf9\t"s + secret + "\0"s + "!\xff\13NETSCAPE2.0\t"s + secret + "\0"s +
           "!\xf9\4\0\0\0\0\0"s + picture + "!\1\t"s + secret + "\0"s + ";" + secret,
       gif + loop + "!\xf9\4\0\0\0\0\0"s + picture + ";"},
      {"WebP", "webp",
       webp(riff("VP8X", "\x2c"s + size) + riff("ICCP", "profile") + riff("VP8 ", "picture") +
            riff("EXIF", exif(6)) + riff("XMP ", secret) + riff("abcd", secret)),
       webp(riff("VP8X", "\x20"s + size) + riff("ICCP", "profile") + riff("VP8 ", "picture"))},
      {"WebP that moves", "webp",
       webp(riff("VP8X", "\x02"s + size) + riff("ANIM", "loop") +
            riff("ANMF", moving + riff("abcd", secret) + riff("ANMF", moving + secret)) +
            riff("EXIF", exif(6))),
       webp(riff("VP8X", "\x02"s + size) + riff("ANIM", "loop") + riff("ANMF", moving))},
  };
}

TEST(Image, KeepsThePictureAndItsColoursOnly) {
  for (const Upload& c : uploads()) {
    SCOPED_TRACE(c.name);
    const auto clean = clean_image(c.ending, c.upload);
    ASSERT_TRUE(clean);
    EXPECT_EQ(clean->bytes, c.clean);
    EXPECT_EQ(clean->bytes.find(kSecret), std::string::npos);
    EXPECT_EQ(clean_image(c.ending, clean->bytes)->bytes, clean->bytes);
    // Without a picture, or cut off anywhere.
    for (std::size_t length = 0; length < c.upload.size(); ++length)
      static_cast<void>(clean_image(c.ending, c.upload.substr(0, length)));
    EXPECT_FALSE(clean_image(c.ending, c.upload.substr(0, 13)));
  }
}

TEST(Image, ReadsTheOrientation) {
  for (const Upload& c : uploads()) {
    const bool turned = c.upload.find("MM\0*"s) != std::string::npos ||
                        c.upload.find("II*\0"s) != std::string::npos;
    EXPECT_EQ(clean_image(c.ending, c.upload)->orientation,
              turned && c.name != "WebP that moves" ? 6 : 1)
        << c.name;
  }
  const auto of = [](const std::string& data) {
    return clean_image("png", "\x89PNG\r\n\x1a\n"s + chunk("eXIf", data) + chunk("IDAT", ""))
        ->orientation;
  };
  EXPECT_EQ(of(exif(8)), 8);
  EXPECT_EQ(of(exif(9)), 1);
  EXPECT_EQ(of(exif(0)), 1);
  EXPECT_EQ(of(exif(8).substr(0, 15)), 1);
  EXPECT_EQ(of("MM\0*\xff\xff\xff\xff\0\1"s), 1);
}

TEST(Image, PutsAProfileWhereTheFormatHasIt) {
  const std::string png = "\x89PNG\r\n\x1a\n"s + chunk("IHDR", std::string(13, 'h'));
  EXPECT_EQ(with_profile("png", png + "rest", "profile"), png + "profilerest");
  EXPECT_EQ(with_profile("jpg", "\xff\xd8rest", "profile"), "\xff\xd8profilerest");
  EXPECT_EQ(with_profile("webp", "RIFF", "profile"), "RIFF");
}

}  // namespace
}  // namespace svc::ingest
