#include "text/language_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::text {
namespace {

std::string joined(const std::vector<std::string_view>& ranges) {
  std::string text;
  for (const std::string_view range : ranges)
    text += (text.empty() ? "" : " ") + std::string(range);
  return text;
}

TEST(LanguageChoice, OrdersAcceptLanguageByQuality) {
  struct Case {
    std::string_view header, ranges;
  };
  for (const Case& c : {
           Case{"", ""},
           Case{"de", "de"},
           Case{"de-AT, de;q=0.9, en;q=0.8", "de-AT de en"},
           Case{"en;q=0.5,ja", "ja en"},
           Case{"fr;q=0.5, es;q=0.5 , pt ; q=0.75", "pt fr es"},
           Case{"de;q=0.001, fr;q=0.002", "fr de"},
           Case{"de;q=1.000, fr;q=1", "de fr"},
           Case{"de;q=0, fr;q=0.000", ""},
           Case{"*, de;q=0.1", "de"},
           Case{",, de ,", "de"},
           Case{"de;q=1.1, fr;q=2, es;q=-1, pt;q=, pl;q=0.0001, ja;level=1, it;Q=0.3",
                "de fr es pt pl ja it"},
           Case{"d\xc3\xa9, de/DE, en US, fr_FR, nl", "nl"},
       }) {
    EXPECT_EQ(joined(accepted_languages(c.header)), c.ranges) << c.header;
  }
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "xx,";
  EXPECT_EQ(accepted_languages(many + "de").size(), kMaxLanguageRanges);
}

TEST(LanguageChoice, LooksLanguagesUp) {
  const std::vector<std::string> tags{"en", "de", "pt", "zh-Hant", "sr-Latn-RS"};
  struct Case {
    std::string_view ranges;
    std::string tag;
  };
  for (const Case& c : {
           Case{"de", "de"},
           Case{"DE-at", "de"},
           Case{"de-CH-1901", "de"},
           Case{"pt-BR", "pt"},
           Case{"nl fr-CA de en", "de"},
           Case{"zh-Hant-TW", "zh-Hant"},
           Case{"zh-hant-x-mine", "zh-Hant"},
           Case{"zh", "none"},
           Case{"zh-Hans", "none"},
           Case{"sr-Latn", "none"},
           Case{"sr-Latn-RS-u-co-phonebk", "sr-Latn-RS"},
           Case{"d", "none"},
           Case{"deu", "none"},
           Case{"-", "none"},
           Case{"", "none"},
       }) {
    const auto ranges = languages_between_spaces(c.ranges);
    const auto found = lookup_language(ranges, tags);
    EXPECT_EQ(found ? tags.at(*found) : "none", c.tag) << c.ranges;
  }
}

TEST(LanguageChoice, SplitsAtSpaces) {
  EXPECT_EQ(languages_between_spaces(" fr-CA  fr en "),
            (std::vector<std::string_view>{"fr-CA", "fr", "en"}));
  EXPECT_TRUE(languages_between_spaces("   ").empty());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "xx ";
  EXPECT_EQ(languages_between_spaces(many).size(), kMaxLanguageRanges);
}

}  // namespace
}  // namespace svc::text
