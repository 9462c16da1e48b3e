#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "fakes/temporary_directory.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

class CaptionsCommand : public integration::CommandFixture {
 protected:
  void SetUp() override {
    set("catalog:media:abc",
        R"({"id":"abc","account_id":41,"type":"Video","name":"Film","status":"ready","duration":16.43,)"
        R"("width":null,"height":null,"player_color":""})"
        "\n"
        R"({"description":"","created":"2026-01-05T09:00:00Z","updated":"2026-01-06T09:00:00Z","assets":[]})");
  }
  Ran captions(const std::vector<std::string>& words) {
    return run(ctl::captions_commands(), words);
  }
  std::string file(const std::string& name, const std::string& bytes) {
    const std::string path = directory_.path(name);
    std::ofstream(path) << bytes;
    return path;
  }
  std::string record() { return server_.text({"GET", "catalog:media:abc"}); }
  std::int64_t texts() { return server_.command({"HLEN", "catalog:captions:abc"}).integer(); }

  fakes::TemporaryDirectory directory_;
};

TEST_F(CaptionsCommand, AddReplaceAndDeleteThem) {
  const std::string one = file("one.srt", "00:01 --> 00:02\nOne\n");
  const Ran added = captions({"add", "abc", one, "--language", "ger", "--json"});
  EXPECT_EQ(added.status, 0) << added.err;
  EXPECT_EQ(added.out, R"({"hashed_id":"abc","language":"de","label":"Deutsch","cues":1})"
                       "\n");
  EXPECT_NE(record().find(R"("url":"/embed/medias/abc/captions/de.vtt?v=)"), std::string::npos);
  const std::string before = record();
  const Ran again = captions({"add", "abc", one, "--language", "de"});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("--replace"), std::string::npos) << again.err;
  EXPECT_EQ(record(), before);
  const std::string two = file("two.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nTwo\n");
  EXPECT_EQ(captions({"add", "abc", two, "--language", "de", "--replace"}).status, 0);
  EXPECT_NE(record(), before);
  EXPECT_EQ(texts(), 1);
  EXPECT_EQ(captions({"delete", "abc", "deu"}).status, 1) << "without a terminal it needs --yes";
  EXPECT_EQ(texts(), 1);
  EXPECT_EQ(captions({"delete", "abc", "deu", "--yes"}).status, 0);
  EXPECT_EQ(texts(), 0);
  EXPECT_EQ(record().find("captions"), std::string::npos);
  EXPECT_EQ(captions({"delete", "abc", "de", "--yes"}).status, 1);
  EXPECT_EQ(server_.command({"XLEN", "audit:edit:9"}).integer(), 3);
}

TEST_F(CaptionsCommand, RefuseUnknownAndInvalidArguments) {
  const std::string one = file("one.srt", "00:01 --> 00:02\nOne\n");
  struct Case {
    std::vector<std::string> words;
    std::string has;
  };
  for (const Case& c : {
           Case{{"add", "none", one, "--language", "de"}, "there is no media none"},
           Case{{"add", "a-b", one, "--language", "de"}, "is not a hashed id"},
           Case{{"add", "abc", one, "--language", "d e"}, "BCP 47"},
           Case{{"add", "abc", one, "--language", "english"}, "english is not registered"},
           Case{{"add", "abc", directory_.path("none"), "--language", "de"}, "No such file"},
           Case{{"add", "abc", directory_.path(""), "--language", "de"}, "Is a directory"},
           Case{{"add", "abc", file("x", "x"), "--language", "de"}, "must be SRT or WebVTT"},
           Case{{"add", "abc", file("y", std::string((2 << 20) + 1, 'x')), "--language", "de"},
                "more than 2097152 bytes"},
           Case{{"delete", "none", "de", "--yes"}, "there is no media none"},
       }) {
    const Ran ran = captions(c.words);
    EXPECT_EQ(ran.status, 1) << c.has;
    EXPECT_NE(ran.err.find(c.has), std::string::npos) << ran.err;
  }
  EXPECT_EQ(texts(), 0);
}

}  // namespace
}  // namespace svc
