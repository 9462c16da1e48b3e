#include "captions/language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace svc::captions {
namespace {

TEST(Language, HasAScriptAndARegionThatItMostOftenHas) {
  struct Case {
    std::string_view tag, likely;
  };
  for (const Case& c : {
           Case{"zh", "zh Hans CN"},
           Case{"zh-TW", "zh Hant TW"},
           Case{"zh-HK", "zh Hant HK"},
           Case{"zh-Hant", "zh Hant TW"},
           Case{"zh-hant-x-mine", "zh Hant TW"},
           Case{"no", "nb Latn NO"},
           Case{"nb", "nb Latn NO"},
           Case{"nn", "nn Latn NO"},
           Case{"iw", "he Hebr IL"},
           Case{"in", "id Latn ID"},
           Case{"pt", "pt Latn BR"},
           Case{"pt-PT", "pt Latn PT"},
           Case{"sr-Latn", "sr Latn RS"},
           Case{"qqq", "qqq  "},
       }) {
    const Language::Likely likely = Language::parse(c.tag)->likely();
    EXPECT_EQ(likely.language + " " + likely.script + " " + likely.region, c.likely) << c.tag;
  }
}

TEST(Language, ApiC2IsNamedByEachCodeInAnyCase) {
  struct Case {
    std::string_view text, tag, code;
  };
  for (const Case& c : {
           Case{"de", "de", "deu"},
           Case{"DEU", "de", "deu"},
           Case{"ger", "de", "deu"},
           Case{"Wel", "cy", "cym"},
           Case{"iw", "he", "heb"},
           Case{"haw", "haw", "haw"},
           Case{"yue", "yue", "yue"},
           Case{"zh-yue", "yue", "yue"},
           Case{"POR", "pt", "por"},
           Case{"por-br", "pt-BR", "pt-BR"},
           Case{"ZH-hANT-tw", "zh-Hant-TW", "zh-Hant-TW"},
           Case{"es-419", "es-419", "es-419"},
           Case{"DE-1996", "de-1996", "de-1996"},
           Case{"EN-gb-U-CA-Buddhist-X-LATN", "en-GB-u-ca-buddhist-x-latn",
                "en-GB-u-ca-buddhist-x-latn"},
           Case{"und", "und", "und"},
           Case{"qqq", "qqq", "qqq"},
           Case{"X-Klingon", "x-klingon", "x-klingon"},
       }) {
    SCOPED_TRACE(c.text);
    const auto language = Language::parse(c.text);
    ASSERT_TRUE(language);
    EXPECT_EQ(language->tag(), c.tag);
    EXPECT_EQ(language->code(), c.code);
    EXPECT_EQ(Language::parse(language->tag()), language);
    EXPECT_EQ(Language::parse(language->code()), language);
  }
  for (const std::string_view text : {"", "d", "de-", "pt_BR", "x-", "de-de-de", "de\"", "ü"})
    EXPECT_FALSE(Language::parse(text)) << text;
}

TEST(Language, IsTakenIfEachSubtagIsRegistered) {
  struct Case {
    std::string_view text, tag, refusal;
  };
  for (const Case& c : {
           Case{"DEU", "de", ""},
           Case{"ger", "de", ""},
           Case{"iw", "he", ""},
           Case{"zh-cmn-Hans-CN", "cmn-Hans-CN", ""},
           Case{"sl-rozaj-biske", "sl-rozaj-biske", ""},
           Case{"de-Latf-1901", "de-Latf-1901", ""},
           Case{"es-419", "es-419", ""},
           Case{"und", "und", ""},
           Case{"zxx", "zxx", ""},
           Case{"qaa-Qaaa-QM-x-southern", "qaa-Qaaa-QM-x-southern", ""},
           Case{"qtz-Zzzz-ZZ", "qtz-Zzzz-ZZ", ""},
           Case{"x-mine", "x-mine", ""},
           Case{"en-u-ca-buddhist", "en-u-ca-buddhist", ""},
           Case{"english", "", "english"},
           Case{"xx-unknown", "", "xx"},
           Case{"xx-yue", "", "xx"},
           Case{"en-unknown", "", "unknown"},
           Case{"en-Abcd", "", "Abcd"},
           Case{"de-ZY", "", "ZY"},
           Case{"de-840", "", "840"},
           Case{"en-a-bbb", "", "a"},
           Case{"qua~z", "", ""},
           Case{"en_US", "", ""},
           Case{"", "", ""},
       }) {
    SCOPED_TRACE(c.text);
    const auto language = Language::registered(c.text);
    EXPECT_EQ(language ? language->tag() : "", c.tag);
    EXPECT_EQ(language ? "" : language.error(), c.refusal);
  }
}

TEST(Language, IsFoundByItsNames) {
  struct Case {
    std::string_view text, tag;
  };
  for (const Case& c : {
           Case{"English", "en"},
           Case{"german", "de"},
           Case{"DEUTSCH", "de"},
           Case{"allemand", "de"},
           Case{"Français", "fr"},
           Case{"FRANÇAIS", "fr"},
           Case{"日本語", "ja"},
           Case{"Portuguese (Brazil)", "pt-BR"},
           Case{"português (Brasil)", "pt-BR"},
           Case{"German · Deutsch (de)", "de"},
           Case{"Klingon", "tlh"},
           Case{"pt-br", "pt-BR"},
           Case{"Elbisch", ""},
           Case{"English (xx)", ""},
           Case{"(de", ""},
           Case{")", ""},
           Case{"", ""},
       }) {
    const auto language = Language::written(c.text, "fr");
    EXPECT_EQ(language ? language->tag() : "", c.tag) << c.text;
  }
  EXPECT_FALSE(Language::written("allemand"));
  ASSERT_GT(Language::offered().size(), 200u);
  for (const std::string& offered : Language::offered())
    EXPECT_TRUE(Language::written(offered)) << offered;
  const auto offers = [](std::string_view display, std::string_view title) {
    const std::vector<std::string>& titles = Language::offered(display);
    return std::ranges::find(titles, title) != titles.end();
  };
  EXPECT_TRUE(offers("en", "Japanese · 日本語 (ja)"));
  EXPECT_TRUE(offers("fr", "japonais · Japanese · 日本語 (ja)"));
  EXPECT_TRUE(offers("fr", "français · French (fr)"));
  EXPECT_EQ(Language::offered("fr").size(), Language::offered().size());
}

TEST(Language, ApiC2HasTheNamesOfCldr) {
  struct Case {
    std::string_view text, english, native, title;
  };
  for (const Case& c : {
           Case{"deu", "German", "Deutsch", "Deutsch"},
           Case{"pt-BR", "Portuguese (Brazil)", "português (Brasil)", "Português (Brasil)"},
           Case{"zh-Hant", "Chinese (Traditional)", "中文（繁體）", "中文（繁體）"},
           Case{"fre-CA", "French (Canada)", "français (Canada)", "Français (Canada)"},
           Case{"sr-Latn", "Serbian (Latin)", "srpski (latinica)", "Srpski (latinica)"},
           Case{"he-u-ca-hebrew", "Hebrew", "עברית", "עברית"},
           // CLDR has their names in English only.
           Case{"cmn", "Chinese", "Chinese", "Chinese"},
           Case{"zxx", "No linguistic content", "No linguistic content", "No linguistic content"},
           // CLDR lacks them.
           Case{"qqq", "qqq", "qqq", "qqq"},
           Case{"qqq-DE", "qqq-DE", "qqq-DE", "qqq-DE"},
           Case{"und", "und", "und", "und"},
       }) {
    SCOPED_TRACE(c.text);
    const auto language = Language::parse(c.text);
    ASSERT_TRUE(language);
    EXPECT_EQ(language->english_name(), c.english);
    EXPECT_EQ(language->native_name(), c.native);
    EXPECT_EQ(language->native_title(), c.title);
  }
}

}  // namespace
}  // namespace svc::captions
