#include "pages/languages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "fakes/temporary_directory.h"

namespace svc::pages {
namespace {

Languages load(const fakes::TemporaryDirectory& folder) {
  auto languages = Languages::load(folder.path(""));
  EXPECT_TRUE(languages) << (languages ? "" : languages.error());
  return languages ? *languages : Languages();
}

// "de", of a request with that Accept-Language and query.
std::string chosen(const Languages& languages, std::string_view accepted,
                   std::string_view query = "") {
  http::Request request;
  request.accept_language = accepted;
  request.query = query;
  return languages.choose(request).tag();
}

TEST(Languages, HaveThoseOfTheProgram) {
  const Languages languages;
  EXPECT_EQ(languages.tags().front(), "en");
  for (const char* tag : {"de", "es", "fr", "ja", "pl", "pt"}) {
    EXPECT_NE(std::ranges::find(languages.tags(), tag), languages.tags().end()) << tag;
    EXPECT_EQ(chosen(languages, tag), tag);
  }
}

TEST(Languages, HaveUsableTranslations) {
  const Languages languages;
  for (const std::string& tag : languages.tags()) {
    http::Request request;
    request.accept_language = tag;
    for (const text::MessageCatalog& catalog : languages.choose(request).catalogs())
      EXPECT_EQ(why_not_usable(catalog), "") << tag;
  }
}

TEST(Languages, AreChosenByParameterThenByHeader) {
  const Languages languages;
  EXPECT_EQ(chosen(languages, "de"), "de");
  EXPECT_EQ(chosen(languages, "nl, fr;q=0.5, de;q=0.4"), "fr");
  EXPECT_EQ(chosen(languages, "nl"), "en");
  EXPECT_EQ(chosen(languages, ""), "en");
  EXPECT_EQ(chosen(languages, "de", "ui_locales=pt-BR%20fr"), "pt");
  EXPECT_EQ(chosen(languages, "de", "ui_locales=nl+fr"), "fr");
  EXPECT_EQ(chosen(languages, "de", "ui_locales=en-GB"), "en");
  EXPECT_EQ(chosen(languages, "de", "ui_locales=nl"), "de");
  EXPECT_EQ(chosen(languages, "de", "ui_locales="), "de");
}

TEST(Languages, AreAddedByAFolder) {
  const fakes::TemporaryDirectory folder;
  folder.write("it.po", "msgid \"Log in\"\nmsgstr \"Accedi\"\n");
  folder.write("zh-Hant.po", "");
  folder.write("de.po", "msgid \"Log in\"\nmsgstr \"Einloggen\"\n");
  folder.write("en.po", "msgid \"Log in\"\nmsgstr \"Sign in\"\n");
  folder.write("README", "msgid");
  const Languages languages = load(folder);
  EXPECT_EQ(chosen(languages, "zh-Hant-TW"), "zh-Hant");
  http::Request request;
  const auto translated = [&](std::string_view tag, std::string_view message) {
    request.accept_language = tag;
    return languages.choose(request).translate(message);
  };
  EXPECT_EQ(translated("it", "Log in"), "Accedi");
  EXPECT_EQ(translated("it", "Password"), "Password") << "English without a translation";
  EXPECT_EQ(translated("de", "Log in"), "Einloggen");
  EXPECT_EQ(translated("de", "Password"), "Passwort") << "those of the program stay";
  EXPECT_EQ(translated("en", "Log in"), "Sign in");
  EXPECT_EQ(Languages::load("")->tags(), Languages().tags());
}

TEST(Languages, ChooseThePluralForm) {
  const fakes::TemporaryDirectory folder;
  folder.write("it.po",
               "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
               "\"Plural-Forms: nplurals=2; plural=n != 1;\\n\"\n"
               "msgid \"{count} minute\"\nmsgid_plural \"{count} minutes\"\n"
               "msgstr[0] \"{count} minuto\"\nmsgstr[1] \"{count} minuti\"\n");
  const Languages languages = load(folder);
  http::Request request;
  request.accept_language = "it";
  const Language& italian = languages.choose(request);
  EXPECT_EQ(italian.plural("{count} minute", "{count} minutes", 1), "1 minuto");
  EXPECT_EQ(italian.plural("{count} minute", "{count} minutes", 15), "15 minuti");
  EXPECT_EQ(english().plural("{count} minute", "{count} minutes", 1), "1 minute");
  EXPECT_EQ(english().plural("{count} minute", "{count} minutes", 0), "0 minutes");
  EXPECT_EQ(italian.translate("{a}, {b}", {{"a", "1"}, {"b", "2"}}), "1, 2");
}

TEST(Languages, PagesW102RefuseACatalogThatBreaksPages) {
  const fakes::TemporaryDirectory folder;
  const std::string file = folder.write("it.po", "");
  struct Case {
    std::string message, translation, why;
  };
  const std::string exactly =
      "exactly these placeholders and tags, with tags closed in reverse order: ";
  for (const Case& c : {
           Case{"Log in", "Accedi", ""},
           Case{"<bdi>{{NAME}}</bdi> of <b>{{HOST}}</b>", "<b>{{HOST}}</b>: <bdi>{{NAME}}</bdi>",
                ""},
           Case{"a<br>b", "b<br>a", ""},
           Case{"Log in", "<b>Accedi</b>",
                "neither placeholders in braces nor tags; it has </b> <b>"},
           Case{"Log in", "Accedi {{NAME}}",
                "neither placeholders in braces nor tags; it has {{NAME}}"},
           Case{"Log in", "a < b", "neither placeholders in braces nor tags; it has < b"},
           Case{"As {email}", "Come {mail}", exactly + "{email}; it has {mail}"},
           Case{"As {email}", "Come", exactly + "{email}"},
           Case{"<bdi>{{NAME}}</bdi>", "<bdi>{{NAME:none}}</bdi>",
                exactly + "</bdi> <bdi> {{NAME}}; it has </bdi> <bdi> {{NAME:none}}"},
           Case{"<bdi>{{NAME}}</bdi>", "<bdi onclick='x'>{{NAME}}</bdi>",
                exactly + "</bdi> <bdi> {{NAME}}; it has </bdi> <bdi onclick='x'> {{NAME}}"},
           Case{"<a>b</a> <b>c</b>", "<a>b<b>c</a></b>",
                exactly + "</a> </b> <a> <b>; it has </a> </b> <a> <b>"},
           Case{"<b>c</b>", "</b>c<b>", exactly + "</b> <b>; it has </b> <b>"},
       }) {
    SCOPED_TRACE(c.translation);
    folder.write("it.po", "\nmsgid \"" + c.message + "\"\nmsgstr \"" + c.translation + "\"\n");
    const auto languages = Languages::load(folder.path(""));
    const std::string why = c.why.empty() ? ""
                                          : file + ": line 2: the translation of \"" + c.message +
                                                "\" must have " + c.why;
    EXPECT_EQ(languages ? "" : languages.error(), why);
  }
}

TEST(Languages, PagesW102NameTheFileThatTheyRefuse) {
  const fakes::TemporaryDirectory folder;
  const auto why = [&](const std::string& file, std::string_view content) {
    const std::string path = folder.write(file, content);
    const auto languages = Languages::load(folder.path(""));
    std::filesystem::remove(path);
    std::string error = languages ? "none" : languages.error();
    return error.starts_with(path + ": ") ? error.substr(path.size() + 2) : error;
  };
  EXPECT_EQ(why("it.po", "hello"), "line 1: write msgid or a comment here");
  EXPECT_EQ(why("italian_.po", ""),
            "the name must be a language tag and .po, such as it.po or zh-Hant.po");
  EXPECT_EQ(why("it.po", std::string(text::MessageCatalog::kMaxBytes + 10, 'a')),
            "a catalog has at most 1048576 bytes, and this one has 1048577");
  std::filesystem::create_directory(folder.path("fr.po"));
  EXPECT_EQ(why("it.po", ""), folder.path("fr.po") + ": cannot read it");
  const auto missing = Languages::load(folder.path("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(),
            "cannot read the folder " + folder.path("missing") + ": No such file or directory");
}

TEST(Language, KnowsItsDirection) {
  struct Case {
    std::string tag, direction;
  };
  for (const Case& c : {Case{"en", "ltr"}, Case{"ar", "rtl"}, Case{"he-IL", "rtl"},
                        Case{"az-Arab", "rtl"}, Case{"ar-Latn", "ltr"}, Case{"uz-Arab-AF", "rtl"},
                        Case{"ja", "ltr"}, Case{"FA", "rtl"}, Case{"de-1996", "ltr"}})
    EXPECT_EQ(Language(c.tag).direction(), c.direction) << c.tag;
}

}  // namespace
}  // namespace svc::pages
