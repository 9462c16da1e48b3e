#include "ingest/caption_tracks.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

TEST(CaptionTracks, HaveBcp47Languages) {
  struct Case {
    std::string_view tag, language;
  };
  for (const Case& c :
       {Case{"ger", "de"}, Case{"deu", "de"}, Case{"DEU", "de"}, Case{"fre", "fr"},
        Case{"chi", "zh"}, Case{"eng", "en"}, Case{"en", "en"}, Case{"pt-BR", "pt-BR"},
        Case{"", "und"}, Case{"und", "und"}, Case{"zxx", "und"}, Case{"qqq", "und"},
        Case{"pt_BR", "und"}, Case{"e\"n", "und"}, Case{"German", "und"}, Case{"en-", "und"}}) {
    EXPECT_EQ(language_of(c.tag), c.language) << c.tag;
  }
}

std::string labels(const std::vector<TextStream>& streams) {
  std::string text;
  for (const auto& track : caption_tracks(streams)) text += track.label + "|";
  return text;
}

TEST(CaptionTracks, HaveUniqueLabelsThatTheCatalogAccepts) {
  EXPECT_EQ(labels({{2, "ger", ""}, {3, "deu", ""}, {4, "de", "Deutsch"}, {5, "eng", " SDH "}}),
            "Deutsch|Deutsch 2|Deutsch 3|SDH|");
  EXPECT_EQ(labels({{2, "", "say \"hi\""}, {3, "", "a\nb"}, {4, "", "\xff"}, {5, "", " "}}),
            "Captions|Captions 2|Captions 3|Captions 4|");
  EXPECT_EQ(labels({{2, "", "\xe2\x80\xae"}, {3, "pt-BR", std::string(121, 'x')}}),
            "Captions|Português (pt-BR)|");
}

TEST(CaptionTracks, HaveThePurposeAndTheDefaultOfTheirStreams) {
  TextStream forced{2, "eng", ""};
  forced.forced = true;
  TextStream deaf{3, "eng", ""};
  deaf.impaired = true;
  TextStream titled{4, "eng", "Signs"};
  titled.forced = titled.marked = true;
  EXPECT_EQ(labels({{1, "eng", ""}, forced, deaf, deaf, titled}),
            "English|English (forced)|English (SDH)|English (SDH) 2|Signs|");
  const auto defaults = [](const std::vector<TextStream>& streams) {
    std::string text;
    for (const auto& track : caption_tracks(streams)) text += track.by_default ? '1' : '0';
    return text;
  };
  EXPECT_EQ(defaults({forced, titled, deaf}), "010");
  EXPECT_EQ(defaults({titled, titled}), "00") << "the file marks all";
  EXPECT_EQ(defaults({forced}), "0");
}

TEST(CaptionTracks, AreNumberedAndBounded) {
  const auto tracks = caption_tracks(std::vector<TextStream>(100, TextStream{7, "eng", ""}));
  ASSERT_EQ(tracks.size(), kMaxConverted);
  EXPECT_EQ(tracks.front().url, "captions-1.vtt");
  EXPECT_EQ(tracks.back().url, "captions-32.vtt");
  EXPECT_EQ(tracks.back().label, "English 32");
  EXPECT_FALSE(tracks.front().by_default);
}

}  // namespace
}  // namespace svc::ingest
