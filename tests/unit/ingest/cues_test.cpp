#include "ingest/cues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "captions/webvtt.h"
#include "fakes/webvtt_reader.h"

namespace svc::ingest {
namespace {

using namespace std::string_literals;
using fakes::shown_cues;
using fakes::ShownCue;

std::string in_webvtt(std::vector<captions::Cue> cues) {
  return captions::to_webvtt(captions::in_order(std::move(cues)));
}

// One packet, from 1 to 2 seconds.
std::string list_of(std::size_t size) {
  return "#software: x\n#tb 0: 1/1000\n0, 1000, 1000, 1000, " + std::to_string(size) + ", 0x0\n";
}

ShownCue shown(const std::string& webvtt) {
  const auto cues = shown_cues(webvtt);
  EXPECT_EQ(cues.size(), 1U) << webvtt;
  return cues.empty() ? ShownCue{} : cues.front();
}

ShownCue shown(TextFormat format, const std::string& packet) {
  return shown(in_webvtt(read_packets(format, list_of(packet.size()), packet)));
}

std::string mov_text(const std::string& text, const std::string& boxes = "") {
  return std::string{static_cast<char>(text.size() >> 8), static_cast<char>(text.size())} + text +
         boxes;
}

ShownCue shown_of_ass(const std::string& text) {
  return shown(in_webvtt(read_ass("Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,," + text)));
}

TEST(Cues, ShowEveryCharacter) {
  const std::vector<std::string> texts{"A --> B <3 x < y",
                                       "vector<int> a; <T extends U> </x> <> << >>",
                                       "AT&T &amp; co &lt; &nbsp;",
                                       "C:\\dir \\\\ {a, b} 100 % \"quoted\" 'x'",
                                       "00:00:01,000 --> 00:00:02,000",
                                       "<i, j> <b 3> <font 3> < i > <I",
                                       "WEBVTT",
                                       "NOTE x",
                                       "<v Fred>Hi</v> <00:00:01.000>",
                                       "{\\bf x}",
                                       "ünï — 漢字 🎬"};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    for (const TextFormat format : {TextFormat::Plain, TextFormat::SubRip})
      EXPECT_EQ(shown(format, text).text, text);
    EXPECT_EQ(shown(TextFormat::MovText, mov_text(text)).text, text);
    if (text.find('{') == std::string::npos) {
      EXPECT_EQ(shown_of_ass(text).text, text);
    }
  }
}

TEST(Cues, KeepEmptyLinesWithinACue) {
  const std::string three = "one\n\u00a0\n\u00a0\ntwo";
  for (const std::string& end : {"\n"s, "\r\n"s, "\r"s}) {
    const std::string text = end + "one" + end + end + end + "two" + end + end;
    EXPECT_EQ(shown(TextFormat::SubRip, text).text, three);
    EXPECT_EQ(shown(TextFormat::Plain, text).text, three);
    EXPECT_EQ(shown(TextFormat::MovText, mov_text(text)).text, three);
  }
  EXPECT_EQ(shown_of_ass("one\\N\\N\\Ntwo\\N").text, three);
  EXPECT_EQ(shown(TextFormat::SubRip, "<i>one</i>\n<i></i>\ntwo").text, "one\n\u00a0\ntwo");
}

TEST(Cues, KeepTheFacesOfSubRip) {
  struct Case {
    std::string source, text, tags;
  };
  for (const Case& c : {
           Case{"<i>it</i> <b>bo<U>u</u></B>", "it bou", "<i></i><b><u></u></b>"},
           Case{"<b><i>x</b>y</i>", "xy", "<i><b></b></i>"},
           Case{"<i>open", "open", "<i></i>"},
           Case{"closed</i>", "closed", ""},
           Case{"<font color=\"#ff0000\">red</font> <s>old</s>", "red old", ""},
           Case{"{\\an8}{\\i1}up{\\i0} {\\pos(1,2)}x", "up x", "<i></i>"},
       }) {
    const ShownCue cue = shown(TextFormat::SubRip, c.source);
    EXPECT_EQ(cue.text, c.text);
    EXPECT_EQ(cue.tags, c.tags) << c.source;
  }
}

TEST(Cues, ReadTheTextOfAss) {
  struct Case {
    std::string source, text, tags;
  };
  for (const Case& c : {
           Case{"a\\hb\\Nc\\nd", "a\u00a0b\nc\nd", ""},
           Case{"{\\i1}a{\\i0}b{\\b700}c{\\b400}{\\u1\\fs20}d{\\r}e", "abcde",
                "<i></i><b></b><u></u>"},
           Case{"{a comment}a {\\c&HFF&\\pos(1,2)\\iclip(1)}b", "a b", ""},
           Case{"\\{braces\\} {unclosed", "{braces} {unclosed", ""},
           Case{"{\\p1}m 0 0 l 1 1{\\p0}seen", "seen", ""},
           Case{"a, b,, c", "a, b,, c", ""},
       }) {
    const ShownCue cue = shown_of_ass(c.source);
    EXPECT_EQ(cue.text, c.text);
    EXPECT_EQ(cue.tags, c.tags) << c.source;
  }
  const ShownCue styled = shown(
      in_webvtt(read_ass("[V4+ Styles]\nFormat: Name, Size, Italic, Bold\nStyle: Default,1,0,0\n"
                         "Style: Thought,1,-1,0\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
                         "Dialogue: 0,0:00:01.00,0:00:02.00,Thought,,0,0,0,,a{\\i0}b{\\r}c\r\n")));
  EXPECT_EQ(styled.text, "abc");
  EXPECT_EQ(styled.tags, "<i></i><i></i>");
}

TEST(Cues, AreWhereTheFileShowsThem) {
  const auto place = [](const ShownCue& cue) {
    return cue.timing.substr(std::min(cue.timing.size(), std::size_t{29}));
  };
  EXPECT_EQ(place(shown(TextFormat::SubRip, "{\\an8}up")), " line:0");
  EXPECT_EQ(place(shown_of_ass("{\\i1\\an9}up{\\an2}")), " line:0 position:100% align:right");
  EXPECT_EQ(place(shown_of_ass("{\\pos(1,2)}x")), "");
  const auto styled = [&](const std::string& section, const std::string& alignment,
                          const std::string& text) {
    return place(shown(in_webvtt(
        read_ass(section + "\nFormat: Name, Alignment, Bold\nStyle: Up," + alignment +
                 ",0\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Up,,0,0,0,," + text + "\n"))));
  };
  EXPECT_EQ(styled("[V4+ Styles]", "8", "a"), " line:0");
  EXPECT_EQ(styled("[V4+ Styles]", "8", "{\\an2}a"), "");
  EXPECT_EQ(styled("[V4+ Styles]", "2", "a"), "");
  EXPECT_EQ(styled("[V4 Styles]", "6", "a"), " line:0");
  EXPECT_EQ(styled("[V4 Styles]", "10", "a"), " line:50%");
}

TEST(Cues, ReadMovText) {
  const auto box = [](const std::string& type, const std::string& content) {
    return "\0\0\0"s + static_cast<char>(content.size() + 8) + type + content;
  };
  const auto record = [](char from, char to, char faces) {
    return "\0"s + from + '\0' + to + "\0\1"s + faces + "\22\377\377\377\377"s;
  };
  const ShownCue styled =
      shown(TextFormat::MovText,
            mov_text("ünderlined", box("hlit", "\0\0\0\1"s) +
                                       box("styl", "\0\2"s + record(0, 5, 4) + record(5, 6, 3))));
  EXPECT_EQ(styled.text, "ünderlined");
  EXPECT_EQ(styled.tags, "<u></u><i><b></b></i>");
  EXPECT_EQ(shown(TextFormat::MovText, mov_text("\xfe\xff\0A\xd8\x3c\xdf\xac\0<"s)).text, "A🎬<");
  EXPECT_EQ(shown(TextFormat::MovText, mov_text("\xff\xfe"
                                                "A\0\x3c\xd8\xac\xdf<\0"s))
                .text,
            "A🎬<");
  // A length that is larger than the packet.
  EXPECT_EQ(shown(TextFormat::MovText, "\xff\xffx"s).text, "x");
  EXPECT_EQ(shown(TextFormat::MovText, mov_text("x", box("styl", "\0\2\0\0"s))).text, "x");
}

TEST(Cues, AreValidForAnyBytes) {
  EXPECT_EQ(shown(TextFormat::SubRip, "a\xff\xc0z\0!"s).text, "a\ufffd\ufffdz\ufffd!");
  EXPECT_EQ(in_webvtt(read_packets(TextFormat::SubRip, list_of(4), " \n\r\t")), "");
  EXPECT_EQ(in_webvtt({}), "");
  // Lists that do not fit the bytes.
  EXPECT_TRUE(read_packets(TextFormat::SubRip, list_of(5), "four").empty());
  EXPECT_TRUE(read_packets(TextFormat::SubRip, "0, 1\n0, 1, 2, 3, -4, 5\n", "four").empty());
}

TEST(Cues, HaveTimesInOrder) {
  const std::string list =
      "#tb 0: 1/90000\n0, 0, 270000, 0, 1, 0\n0, 0, 90000, 90000, 1, 0\n0, 0, 450000, 0, 1, 0\n"
      "0, 0, -90000, 90000, 1, 0\n0, 0, -90000, 135000, 1, 0\n0, 0, NOPTS, 9, 1, 0\n";
  std::string timings;
  for (const ShownCue& cue : shown_cues(in_webvtt(read_packets(TextFormat::Plain, list, "cadxyz"))))
    timings += cue.timing + " " + cue.text + "\n";
  EXPECT_EQ(timings,
            "00:00:00.000 --> 00:00:00.500 y\n"
            "00:00:01.000 --> 00:00:02.000 a\n"
            "00:00:03.000 --> 00:00:05.000 c\n"
            "00:00:05.000 --> 00:00:10.000 d\n");
}

}  // namespace
}  // namespace svc::ingest
