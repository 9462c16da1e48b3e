#include "captions/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "captions/settings.h"
#include "captions/subrip.h"
#include "captions/webvtt.h"
#include "fakes/webvtt_reader.h"

namespace svc::captions {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::string_view kEncodingRefused =
    "the captions must be UTF-8, or UTF-16 or UTF-32 with a byte order mark";
constexpr std::string_view kNoCue =
    "the captions must be SRT or WebVTT, and have a cue with a text";

std::string why_refused(std::string_view file) {
  const auto cues = read_file(file);
  return cues ? "" : cues.error();
}

std::vector<Cue> read(std::string_view file) {
  const auto cues = read_file(file);
  EXPECT_TRUE(cues) << why_refused(file) << ": " << file.substr(0, 200);
  return cues ? *cues : std::vector<Cue>();
}

// "1.000-2.000 text|…", the text with the markup of WebVTT.
std::string brief(std::string_view file) {
  std::string all;
  for (const auto& cue : fakes::shown_cues(to_webvtt(read(file)))) {
    std::string timing = cue.timing;
    for (const std::string_view zeros : {" 00:00:0"sv, "00:00:0"sv}) {
      const std::size_t at = zeros.front() == ' ' ? timing.find(zeros) : 0;
      if (at < timing.size() && timing.substr(at).starts_with(zeros))
        timing.replace(at, zeros.size(), zeros.front() == ' ' ? " " : "");
    }
    timing.replace(timing.find(" --> "), 5, "-");
    std::string text = cue.text;
    std::ranges::replace(text, '\n', '/');
    all += timing + ' ' + text + '|';
  }
  return all;
}

// Those of one cue, without its times.
std::string webvtt_of(const std::string& file) {
  const std::string all = to_webvtt(read(file));
  return all.substr(all.find('\n', all.find("-->")) + 1);
}
std::string subrip_of(const std::string& file) {
  const std::string all = to_subrip(read(file));
  return all.substr(all.find('\n', all.find("-->")) + 1);
}
std::string subrip(const std::string& text) { return "1\n00:00:01,000 --> 00:00:02,000\n" + text; }
std::string webvtt(const std::string& text) { return "WEBVTT\n\n00:01.000 --> 00:02.000\n" + text; }

std::string in_units(std::u32string_view text, std::size_t size, bool little) {
  std::string bytes;
  const auto put = [&](char32_t unit) {
    for (std::size_t i = 0; i < size; ++i)
      bytes += static_cast<char>(unit >> 8 * (little ? i : size - 1 - i));
  };
  for (const char32_t c : text) {
    if (size == 2 && c > 0xffff) {
      put(0xd800 + ((c - 0x10000) >> 10));
      put(0xdc00 + (c & 0x3ff));
    } else {
      put(c);
    }
  }
  return bytes;
}

TEST(CaptionsFile, ApiC3IsUtf8OrHasAByteOrderMark) {
  const std::u32string_view text = U"1\r\n0:00:01,0 --> 0:00:02,0\r\nünï 漢 🎬\r\n";
  for (const std::size_t size : {2, 4}) {
    for (const bool little : {false, true}) {
      SCOPED_TRACE(size * 2 + (little ? 1 : 0));
      const std::u32string marked = U"\ufeff" + std::u32string(text);
      EXPECT_EQ(brief(in_units(marked, size, little)), "1.000-2.000 ünï 漢 🎬|");
      EXPECT_EQ(why_refused(in_units(text, size, little)), kEncodingRefused);
      EXPECT_EQ(why_refused(in_units(marked, size, little) + "x"), kEncodingRefused);
      EXPECT_EQ(why_refused(in_units(marked + U'\0', size, little)), kEncodingRefused);
      EXPECT_EQ(why_refused(in_units(marked + char32_t{0xd800}, size, little)), kEncodingRefused);
      EXPECT_EQ(why_refused(in_units(marked + char32_t{0xdc00}, size, little)), kEncodingRefused);
    }
  }
  EXPECT_EQ(why_refused("\xff\xfe\0\0\0\0\x11\0"s), kEncodingRefused);  // above U+10FFFF
  EXPECT_EQ(brief("\ufeff" + subrip("ü")), "1.000-2.000 ü|");
  EXPECT_EQ(brief("\ufeff" + webvtt("ü")), "1.000-2.000 ü|");
  EXPECT_EQ(why_refused(subrip("caf\xe9")), kEncodingRefused);
  EXPECT_EQ(why_refused(subrip("\0"s)), kEncodingRefused);
  EXPECT_EQ(why_refused(subrip("\xed\xa0\x80")), kEncodingRefused);
}

TEST(CaptionsFile, ApiC3ReadsSubRipAsPlayersDo) {
  struct Case {
    std::string_view name, file, cues;
  };
  for (const Case& c : {
           Case{"numbers",
                "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> 00:00:04,000\nb",
                "1.000-2.000 a|3.000-4.000 b|"},
           Case{"no numbers, points, no hours", "0:01.500 --> 0:02.25\na\n\n0:03 --> 0:04\nb",
                "1.500-2.025 a|3.000-4.000 b|"},
           Case{"carriage returns",
                "1\r0:00:01,0 --> 0:00:02,0\ra\rb\r\r2\r0:00:03,0-->0:00:04,0\rc",
                "1.000-2.000 a/b|3.000-4.000 c|"},
           Case{"no empty line between cues",
                "1\n0:00:01,0 --> 0:00:02,0\na\n2\n0:00:03,0 --> 0:00:04,0\nb\n",
                "1.000-2.000 a|3.000-4.000 b|"},
           Case{"empty lines and numbers in a text",
                "1\n0:00:01,0 --> 0:00:02,0\n\n1984\n\n7\n \n\n2\n0:00:03,0 --> 0:00:04,0\nb\n",
                "1.000-2.000 1984/\u00a0/7|3.000-4.000 b|"},
           Case{"places and spaces", " \n1 \n 0:00:01,0  -->  0:00:02,0  X1:1 X2:2 Y1:3\na",
                "1.000-2.000 a|"},
           Case{"text before the first cue", "Title\n\n1\n0:00:01,0 --> 0:00:02,0\na",
                "1.000-2.000 a|"},
           Case{"more than 99 hours", "100:00:01,0 --> 123456:00:02,0\na",
                "100:00:01.000-123456:00:02.000 a|"},
           Case{"unsorted and overlapping", "0:03 --> 0:05\nb\n\n0:01 --> 0:04\na",
                "1.000-4.000 a|3.000-5.000 b|"},
           Case{"a negative beginning, and a negative cue",
                "-0:00:01,0 --> 0:00:02,0\na\n\n-0:00:02,0 --> -0:00:01,0\nb\n\n"
                "-0:00:02,0 --> 0:00:00,0\nc",
                "0.000-2.000 a|"},
           Case{"inverted or no durations",
                "0:02 --> 0:01\na\n\n0:04 --> 0:04\nb\n\n0:05 --> 0:06\nc",
                "2.000-4.000 a|4.000-5.000 b|5.000-6.000 c|"},
           Case{"an inverted cue at the end", "0:02 --> 0:01\na", "2.000-7.000 a|"},
           Case{"cues without text",
                "0:01 --> 0:02\n \n\n\t\n&nbsp;\n\n0:03 --> 0:04\n<i></i>\n\n0:05 --> 0:06\nx",
                "5.000-6.000 x|"},
           Case{"times that cannot be read",
                "0:01 --> soon\na\n\n1\n0:0:0:1 --> 0:02\nb\n\n0:03 --> 0:04\nc", "3.000-4.000 c|"},
           Case{"WebVTT is not at the beginning", "\nWEBVTT\n\n00:01.000 --> 00:02.000\na",
                "1.000-2.000 a|"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(brief(c.file), c.cues);
  }
}

TEST(CaptionsFile, ApiC3ReadsWebVttAsBrowsersDo) {
  struct Case {
    std::string_view name, file, cues;
  };
  for (const Case& c : {
           Case{"blocks",
                "WEBVTT - title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\n"
                "NOTE 00:00\nb\n\nid 1\n00:01.000 --> 00:02.000 line:0 align:start\na\n\n"
                "NOTE x\n\n1:00:03.000 --> 1:00:04.000\nb",
                "1.000-2.000 line:0 align:start a|01:00:03.000-01:00:04.000 b|"},
           Case{"ends of lines", "WEBVTT\r\r\n\r00:01.000-->00:02.000\r\na\rb\n\r\n",
                "1.000-2.000 a/b|"},
           Case{"an arrow in header, id and text",
                "WEBVTT\n00:01.000 --> 00:02.000\na\n00:03.000 --> 00:04.000\nb\n\n"
                "a --> b\n00:05.000 --> 00:06.000\nc",
                "1.000-2.000 a|3.000-4.000 b|5.000-6.000 c|"},
           Case{"times that browsers refuse",
                "WEBVTT\n\n00:01,000 --> 00:02,000\na\n\n00:01.00 --> 00:02.000\nb\n\n"
                "0:01.000 --> 00:02.000\nc\n\n00:60.000 --> 01:01.000\nd\n\n-00:01.000 --> "
                "00:02.000\ne\n\n00:03.000 --> 00:04.000\nf",
                "3.000-4.000 f|"},
           Case{"a tab after the signature, one digit of hours",
                "WEBVTT\tx\n\n1:00:01.000\t-->\t1:00:02.000\na", "01:00:01.000-01:00:02.000 a|"},
           Case{"a line after the text of a style",
                "WEBVTT\n\nSTYLE\n\n00:01.000 --> 00:02.000\na\n\nb", "1.000-2.000 a|"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(brief(c.file), c.cues);
  }
}

TEST(CaptionsFile, ApiC3KeepsTheElementsOfWebVttAndMakesTextOfTheRest) {
  struct Case {
    std::string text, webvtt, subrip, plain;
  };
  for (const Case& c : {
           Case{"<b>a</b> <i>b</i> <u>c</u>", "<b>a</b> <i>b</i> <u>c</u>",
                "<b>a</b> <i>b</i> <u>c</u>", "a b c"},
           Case{"<c.loud.red>a</c><v.x  Fred \t Fox>b</v><lang en-GB>c</lang>",
                "<c.loud.red>a</c><v.x Fred Fox>b</v><lang en-GB>c</lang>", "abc", "abc"},
           Case{"<ruby>漢<rt>kan</rt>字<rt>ji</ruby>.", "<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>.",
                "漢kan字ji.", "漢kan字ji."},
           Case{"<rt>a</rt>", "a", "a", "a"},
           Case{"<v.a--.&b Fred-&#45;>a</v><c.x--.&>b", "<v Fred-&#45;>a</v><c>b</c>", "ab", "ab"},
           Case{"<v A&amp;B>a", "<v A&amp;B>a</v>", "a", "a"},
           Case{"<b><i>a</b>b</i>c", "<b><i>ab</i>c</b>", "<i><b>ab</b></i><b>c</b>", "abc"},
           Case{"<B>a</B>", "<b>a</b>", "<b>a</b>", "a"},
           Case{"a</i> <b></b><i.x> </i>", "a <i.x> </i>", "a <i> </i>", "a  "},
           Case{"<b><b>a</b></b>b", "<b><b>a</b></b>b", "<b>a</b>b", "ab"},
           Case{"<script>x</script><img src=a onerror=b>",
                "&lt;script&gt;x&lt;/script&gt;&lt;img src=a onerror=b&gt;",
                "&lt;script>x&lt;/script>&lt;img src=a onerror=b>",
                "<script>x</script><img src=a onerror=b>"},
           Case{"&lt;b&gt;a&lt;/b&gt; {\\an8}", "&lt;b&gt;a&lt;/b&gt; {\\an8}",
                "&lt;b>a&lt;/b> &#123;\\an8}", "<b>a</b> {\\an8}"},
           Case{"a --&gt; b ---&gt; <c>-</c>-&gt;", "a --&gt; b ---&gt; <c>-</c>-&gt;",
                "a -> b -> ->", "a --> b ---> -->"},
           Case{"<00:01.500>a <3 <b <> < c >", "a &lt;3 &lt;b &lt;&gt; &lt; c &gt;",
                "a <3 &lt;b <> < c >", "a <3 <b <> < c >"},
           Case{"AT&T &amp;amp; &eacute;&hellip;&#8217;&#x1F3AC;&#146;&#0;&nope;&nbsp;",
                "AT&amp;T &amp;amp; é…’🎬’\ufffd&amp;nope;\u00a0",
                "AT&T &amp;amp; é…’🎬’\ufffd&nope;\u00a0", "AT&T &amp; é…’🎬’\ufffd&nope;\u00a0"},
           Case{" <i> a\n \t\nb</i>\n  <b>c \n</b> \n\t", "  <i>a\n\u00a0\nb</i>\n  <b>c </b>",
                "  <i>a\n\u00a0\nb</i>\n  <b>c </b>", "  a\n\u00a0\nb\n  c "},
           Case{"a\n<b></b>&#10;<b>\n<i>b</i>\n</b>&#13;c",
                "a\n\u00a0\n\u00a0\n<b><i>b</i></b>\n\u00a0\nc",
                "a\n\u00a0\n\u00a0\n<i><b>b</b></i>\n\u00a0\nc", "a\n\u00a0\n\u00a0\nb\n\u00a0\nc"},
       }) {
    SCOPED_TRACE(c.text);
    const std::string file = webvtt(c.text);
    EXPECT_EQ(webvtt_of(file), c.webvtt + "\n");
    EXPECT_EQ(subrip_of(file), c.subrip + "\n");
    EXPECT_EQ(to_plain_text(read(file)), c.plain + "\n");
  }
}

TEST(CaptionsFile, ApiC3KeepsTheFacesOfSubRipAndMakesTextOfTheRest) {
  struct Case {
    std::string text, webvtt, subrip;
  };
  for (const Case& c : {
           Case{"<I>a</I> <b>b<u>c", "<i>a</i> <b>b<u>c</u></b>", "<i>a</i> <b>b<u>c</u></b>"},
           Case{"{\\an8}{\\i1}a{\\i0} <font color=\"red\">b</font> <s>c</s>", "<i>a</i> b c",
                "{\\an8}<i>a</i> b c"},
           Case{"<script>a</script> <v Fred>b</v>",
                "&lt;script&gt;a&lt;/script&gt; &lt;v Fred&gt;b&lt;/v&gt;",
                "&lt;script>a&lt;/script> &lt;v Fred>b&lt;/v>"},
           Case{"&lt;i&gt;a&lt;/i&gt; AT&T", "&lt;i&gt;a&lt;/i&gt; AT&amp;T",
                "&lt;i>a&lt;/i> AT&T"},
           Case{"a --> b {c}", "a --&gt; b {c}", "a -> b {c}"},
           Case{"<i>a&eacute;b</i>", "<i>aéb</i>", "<i>aéb</i>"},
       }) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(webvtt_of(subrip(c.text)), c.webvtt + "\n");
    EXPECT_EQ(subrip_of(subrip(c.text)), c.subrip + "\n");
  }
}

TEST(CaptionsFile, ApiC2IsWrittenWhole) {
  const std::vector<Cue> cues =
      read("WEBVTT\n\n101:00:01.005 --> 101:00:02.000\n<i>a</i>\nb\n\n00:00.000 --> 00:01.000\nc");
  EXPECT_EQ(to_webvtt(cues),
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nc\n\n101:00:01.005 --> "
            "101:00:02.000\n<i>a</i>\nb\n");
  EXPECT_EQ(to_subrip(cues),
            "1\n00:00:00,000 --> 00:00:01,000\nc\n\n2\n101:00:01,005 --> "
            "101:00:02,000\n<i>a</i>\nb\n");
  EXPECT_EQ(to_plain_text(cues), "c\na\nb\n");
}

TEST(CaptionsFile, ApiC3RefusesAFileWithoutCues) {
  for (const std::string_view file :
       {""sv, "WEBVTT"sv, "WEBVTT\n\nNOTE a"sv, "\ufeff"sv, "<html>"sv, "1\n2\n3\n"sv,
        "00:00:01,000 --> 00:00:02,000\n"sv, "WEBVTT\n\n00:00.000 --> 00:01.000\n<b></b>\n"sv})
    EXPECT_EQ(why_refused(file), kNoCue) << file;
}

TEST(CaptionsFile, ApiC3HasLimits) {
  const auto cues = [](std::size_t count) {
    std::string file;
    for (std::size_t i = 0; i < count; ++i) file += "0:1-->0:2\nx\n";
    return file;
  };
  EXPECT_EQ(read(cues(kMaxCues)).size(), kMaxCues);
  EXPECT_EQ(why_refused(cues(kMaxCues + 1)), "the captions have more than 100000 cues");
  EXPECT_EQ(why_refused(subrip(std::string(kMaxCueBytes, 'x'))), "");
  EXPECT_EQ(why_refused(subrip(std::string(kMaxCueBytes + 1, 'x'))),
            "a cue has more than 8192 bytes");
  EXPECT_EQ(why_refused(subrip(std::string(kMaxFileBytes, 'x'))),
            "the captions have more than 2097152 bytes");
}

// Texts of which each one once took a time that grew with the square of its size, in some reader.
TEST(CaptionsFile, ApiC3TakesTimeInProportionToItsSize) {
  const auto repeated = [](std::string_view text) {
    std::string file;
    while (file.size() < kMaxFileBytes / 4) file += text;
    return file;
  };
  const auto seconds_for = [](const std::string& file) {
    const auto begin = std::chrono::steady_clock::now();
    const auto cues = read_file(file);
    if (cues) {
      EXPECT_GT((to_webvtt(*cues) + to_subrip(*cues) + to_plain_text(*cues)).size(), 0U);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (const std::string_view text : {"<"sv, "<b>x"sv, "<v "sv, "<v.a."sv, "{\\"sv, "&#1"sv, "\n"sv,
                                      "1\n"sv, "0:1-->0:2\nx\n"sv, "<ruby><rt>"sv}) {
    SCOPED_TRACE(text);
    const std::string file = repeated(text);
    // Quadratic readers take minutes. Milliseconds on a machine without other work.
    EXPECT_LT(seconds_for(subrip(file)), 20);
    EXPECT_LT(seconds_for(webvtt(file)), 20);
  }
}

// A cue that WebVTT can say, or SubRip.
class Dice {
 public:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::vector<Cue> cues(bool elements) {
    std::vector<Cue> all;
    for (std::size_t i = 1 + below(5); i > 0; --i) {
      Cue cue;
      cue.begin = static_cast<std::int64_t>(below(400'000'000));
      cue.end = cue.begin + 1 + static_cast<std::int64_t>(below(10'000));
      cue.settings = settings_of_place(static_cast<int>(below(10)));
      if (elements && below(2) == 0) cue.settings = "vertical:lr line:10%,end size:80.5%";
      TextBuilder text(cue.parts);
      text.add("x");
      for (std::size_t parts = below(12); parts > 0; --parts) elements ? element(text) : face(text);
      if (!elements) text.wear(0);
      text.add("x");
      text.finish();
      all.push_back(std::move(cue));
    }
    return in_order(std::move(all));
  }

 private:
  void element(TextBuilder& text) {
    constexpr std::string_view kMore[] = {"", ".a", ".a.b", " A & B <c>", " --", ".a ü"};
    const auto tag = static_cast<Tag>(below(8));
    const bool annotated = tag == Tag::Voice || tag == Tag::Language;
    switch (below(3)) {
      case 0: text.begin(tag, std::string(kMore[below(annotated ? 6 : 3)])); break;
      case 1: text.end(tag); break;
      default: characters(text);
    }
  }
  void face(TextBuilder& text) {
    text.wear(static_cast<unsigned>(below(8)));
    characters(text);
  }
  void characters(TextBuilder& text) {
    constexpr std::string_view kCharacters[] = {
        " ",      "\t",   "a",  "&",    "&amp;",   "<", ">",      "<b>",
        "</i>",   "-",    "\n", "\n\n", "{\\an8}", "🎬", "&#x41;", "é",
        "\u00a0", "NOTE", "1",  "{",    "\\",      ";", "#",      "<script>"};
    text.add(kCharacters[below(std::size(kCharacters))]);
  }

  std::mt19937 random_{20261127};  // NOLINT: the same every time
};

TEST(CaptionsFile, ApiC3IsReadAsItWasWritten) {
  Dice dice;
  for (int i = 0; i < 500; ++i) {
    const std::vector<Cue> cues = dice.cues(true);
    ASSERT_EQ(read(to_webvtt(cues)), cues) << to_webvtt(cues);
    // SubRip lacks most elements. The rest is unchanged.
    const std::string srt = to_subrip(cues);
    ASSERT_EQ(to_subrip(read(srt)), srt);
    ASSERT_EQ(to_plain_text(read(srt)), to_plain_text(cues)) << srt;
    const std::vector<Cue> plain = dice.cues(false);
    ASSERT_EQ(read(to_subrip(plain)), plain) << to_subrip(plain);
    ASSERT_EQ(read(to_webvtt(plain)), plain);
  }
}

}  // namespace
}  // namespace svc::captions
