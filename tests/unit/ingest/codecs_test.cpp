#include "ingest/codecs.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::ingest {
namespace {

std::string box(const std::string& type, const std::string& body) {
  const std::size_t size = body.size() + 8;
  return {std::string({static_cast<char>(size >> 24), static_cast<char>(size >> 16),
                       static_cast<char>(size >> 8), static_cast<char>(size)}) +
          type + body};
}

std::string track(const std::string& entry) {
  return box("trak",
             box("tkhd", "xxxx") +
                 box("mdia", box("minf", box("stbl", box("stsd", std::string(8, 0) + entry)))));
}

const std::string kAvc =
    box("avc1", std::string(78, 0) + box("btrt", "x") + box("avcC", "\x01\x64\x0c\x28\xff"));
const std::string kAac = box("mp4a", std::string(28, 0));

TEST(Codecs, AreReadFromTheInitialisationSection) {
  const std::string start = box("ftyp", "iso5");
  EXPECT_EQ(codecs_of(start + box("moov", track(kAvc) + track(kAac))), "avc1.640c28,mp4a.40.2");
  EXPECT_EQ(codecs_of(start + box("moov", track(kAvc))), "avc1.640c28");
  EXPECT_EQ(codecs_of(start + box("moov", track(kAac))), std::nullopt);
}

TEST(Codecs, SurviveDamage) {
  const std::string whole = box("moov", track(kAvc) + track(kAac));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(codecs_of(whole.substr(0, length)), std::nullopt) << length;
    std::string changed = whole;
    changed[length] = '\xff';
    codecs_of(changed);
  }
}

}  // namespace
}  // namespace svc::ingest
