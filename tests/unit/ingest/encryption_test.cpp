#include "ingest/encryption.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "fakes/temporary_directory.h"

namespace svc::ingest {
namespace {

using namespace std::string_literals;

std::string number(std::size_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes));
  return text;
}

std::string box_of(const std::string& type, const std::string& body) {
  return number(body.size() + 8, 4) + type + body;
}

// An MP4 file whose tracks have these sample entries.
std::string mp4(const std::string& first, const std::string& second) {
  const auto track = [](const std::string& entry) {
    const std::string entries = box_of("stsd", number(1, 8) + box_of(entry, std::string(70, 0)));
    return box_of("trak", box_of("tkhd", std::string(84, 0)) +
                              box_of("mdia", box_of("minf", box_of("stbl", entries))));
  };
  return box_of("ftyp", "isom" + number(0, 4)) + box_of("mdat", std::string(100, 'x')) +
         box_of("moov", box_of("mvhd", std::string(100, 0)) + track(first) + track(second));
}

std::string element(const std::string& id, const std::string& body) {
  return id + "\x10" + number(body.size(), 3) + body;
}

std::string matroska(const std::string& encoding) {
  return element("\x1a\x45\xdf\xa3", element("\x42\x82", "webm")) + "\x18\x53\x80\x67" +
         "\x01\xff\xff\xff\xff\xff\xff\xff" +
         element("\x16\x54\xae\x6b",
                 element("\xae", element("\x86", "V_VP9") +
                                     element("\x6d\x80", element("\x62\x40", encoding)))) +
         element("\x1f\x43\xb6\x75", std::string(100, 'x'));
}

std::string asf(const std::string& object) {
  const std::string objects = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"s +
                              number(26, 1) + number(0, 9) + object + number(24, 1) + number(0, 7);
  return "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"s +
         number(30 + objects.size(), 1) + number(0, 13) + objects;
}

// 100 packets with a payload, of which some are scrambled, then packets without.
std::string transport(int scrambled, const std::string& before = "") {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += before + "G\1\1" + (i < scrambled ? '\xd0' : '\x10') + std::string(184, 'x');
  for (int i = 0; i < 200; ++i) text += before + "G\x1f\xff\x10" + std::string(184, 'x');
  return text;
}

std::string program(const std::string& flags) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "\0\0\1\xba\x44"s + std::string(8, 0) + "\xf8"s + "\0\0\1\xe0"s + number(100, 2) +
            flags + std::string(99, 'x');
  return text;
}

TEST(Encryption, IsFoundInTheHeadersOfEveryFormat) {
  struct Case {
    std::string_view name;
    std::string bytes;
    bool encrypted;
  };
  const std::string guid = "\xfb\xb3\x11\x22\x23\xbd\xd2\x11\xb4\xb7\x00\xa0\xc9\x55\xfc\x6e"s;
  const std::string other = "\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"s;
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "\xae\x01\xff\xff\xff\xff\xff\xff\xff";
  for (const Case& c : {
           Case{"MP4", mp4("avc1", "mp4a"), false},
           Case{"Common Encryption, pictures", mp4("encv", "mp4a"), true},
           Case{"Common Encryption, sound", mp4("avc1", "enca"), true},
           Case{"FairPlay", mp4("drmi", "drms"), true},
           Case{"Audible", mp4("text", "aavd"), true},
           Case{"boxes without an end", "\0\0\0\0moov\0\0\0\0trak\0\0\0\1mdia"s, false},
           Case{"Matroska, compressed", matroska(element("\x50\x34", "")), false},
           Case{"Matroska, encrypted", matroska(element("\x50\x35", "")), true},
           Case{"Matroska, a hundred thousand levels", "\x1a\x45\xdf\xa3\x80" + deep, false},
           Case{"ASF", asf(other), false},
           Case{"ASF with protection", asf(guid), true},
           Case{"MPEG-TS", transport(0), false},
           Case{"MPEG-TS, a packet is damaged", transport(2), false},
           Case{"MPEG-TS, scrambled", transport(90), true},
           Case{"M2TS, scrambled", transport(90, "time"), true},
           Case{"MPEG-PS", program("\x80"), false},
           Case{"MPEG-PS of a DVD, scrambled", program("\x90"), true},
       }) {
    SCOPED_TRACE(c.name);
    const fakes::TemporaryDirectory directory;
    const std::string file = directory.path("file");
    std::ofstream(file, std::ios::binary) << "12345" << c.bytes << mp4("encv", "enca");
    EXPECT_EQ(is_encrypted(file, 5, c.bytes.size(), c.bytes), c.encrypted);
    for (std::size_t length = 0; length < c.bytes.size(); length += 1 + c.bytes.size() / 300) {
      const bool found = is_encrypted(file, 5, length, std::string_view(c.bytes).substr(0, length));
      EXPECT_TRUE(c.encrypted || !found) << length;
    }
  }
}

}  // namespace
}  // namespace svc::ingest
