// pages.md and oauth.md: the languages of login, account choice, consent and their problems.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fakes/temporary_directory.h"
#include "rules/oauth/application.h"

namespace svc::rules::languages {
namespace {

class PageLanguages : public WithApplication {
 protected:
  using WithApplication::WithApplication;

  static constexpr const char* kEmail = "olivia@acme.example";

  static Ask in(const std::string& languages, Ask ask) {
    return ask.with("Accept-Language", languages);
  }
  Answer send(const std::string& languages, const Answer& page, const std::string& action,
              const Ask::Fields& fields) {
    return browser_.ask(in(languages, browser_.form(page, action, fields)));
  }
  // "de ltr", as header and markup state it alike.
  static std::string language_of(const Answer& answer) {
    const std::string language = answer.header("Content-Language");
    for (const char* direction : {"ltr", "rtl"}) {
      if (answer.has("<html lang=\"" + language + "\" dir=\"" + direction + "\">"))
        return language + " " + direction;
    }
    return "differs";
  }
  void expect_page(const Answer& answer, int status, const std::string& language,
                   const std::vector<std::string>& texts) {
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(language_of(answer), language);
    for (const std::string& text : texts) EXPECT_TRUE(answer.has(text)) << text << answer.body;
  }
};

TEST_F(PageLanguages, PagesW100FollowTheBrowser) {
  browser_.cookies.clear();
  struct Case {
    std::string accepted, language, text;
  };
  for (const Case& c : {
           Case{"", "en ltr", ">Email address</label>"},
           Case{"de-AT,de;q=0.9,en;q=0.8", "de ltr", ">E-Mail-Adresse</label>"},
           Case{"nl,fr;q=0.2,es;q=0.3", "es ltr", ">Correo electrónico</label>"},
           Case{"fr", "fr ltr", ">Adresse e-mail</label>"},
           Case{"pt-BR", "pt ltr", ">Senha</label>"},
           Case{"pl", "pl ltr", ">Hasło</label>"},
           Case{"ja", "ja ltr", ">パスワード</label>"},
           Case{"en-GB,de;q=0.9", "en ltr", ">Password</label>"},
           Case{"nl, *", "en ltr", ">Password</label>"},
           Case{"de;q=0", "en ltr", ">Password</label>"},
       }) {
    SCOPED_TRACE(c.accepted);
    expect_page(ask(in(c.accepted, "/login")), 200, c.language, {c.text});
  }
}

TEST_F(PageLanguages, PagesW100LogsInInGerman) {
  browser_.cookies.clear();
  const Answer page = browser_.ask(in("de", "/login"));
  expect_page(page, 200, "de ltr",
              {"<title>Anmelden ", "data-show=\"Anzeigen\"", ">Anmelden</button>"});
  expect_page(send("de", page, "/login", {{"email", kEmail}, {"password", ""}}), 422, "de ltr",
              {"<title>Nicht angemeldet ", "Geben Sie Ihr Passwort ein."});
  expect_page(send("de", page, "/login", {{"email", kEmail}, {"password", "wrong"}}), 403, "de ltr",
              {"E-Mail-Adresse oder Passwort ist falsch."});
  for (int i = 0; i < 6; ++i)
    send("de", page, "/login", {{"email", kEmail}, {"password", "wrong"}});
  const Answer late = send("de", page, "/login", {{"email", kEmail}, {"password", "wrong"}});
  const std::string wait = late.header("Retry-After");
  expect_page(
      late, 429, "de ltr",
      {"Versuchen Sie es in " + wait + (wait == "1" ? " Sekunde " : " Sekunden ") + "noch"});
  site_.pass(3'600);
  EXPECT_EQ(
      send("de", page, "/login", {{"email", kEmail}, {"password", "olivia-demo-password"}}).status,
      303);
}

TEST_F(PageLanguages, OauthA51PagesW100AsksForConsentInJapanese) {
  browser_.cookies.clear();
  const Answer login =
      browser_.ask(in("de", authorize({{"ui_locales", "xx ja-JP fr"}, {"state", "s"}})));
  expect_page(login, 200, "ja ltr", {">ログイン</h1>", "から移動しました。"});
  const Answer wrong = send("de", login, "/login", {{"email", kEmail}, {"password", "wrong"}});
  expect_page(wrong, 403, "ja ltr", {"メールアドレスまたはパスワードが正しくありません。"});
  const Answer in_again =
      send("de", wrong, "/login", {{"email", kEmail}, {"password", "olivia-demo-password"}});
  const Answer consent = browser_.ask(in("de", in_again.header("Location")));
  expect_page(consent, 200, "ja ltr",
              {" へのアクセスを求めています</h1>", "<h2>許可される操作</h2>",
               "<strong>メディアの表示</strong>", "value=\"allow\">許可</button>"});
  EXPECT_FALSE(consent.has("Allow"));
  const Answer denied = send("de", consent, "/oauth/authorize", {{"answer", "deny"}});
  EXPECT_EQ(parameter_of(denied.header("Location"), "error_description"), "The user denied access.")
      << "for programs";
}

TEST_F(PageLanguages, OauthA51TakesTheFirstLanguageThatExists) {
  browser_.cookies.clear();
  struct Case {
    std::string wished, language;
  };
  for (const Case& c :
       {Case{"fr-CA fr en", "fr ltr"}, Case{"nl  PL", "pl ltr"}, Case{"en de", "en ltr"},
        Case{"nl", "es ltr"}, Case{"", "es ltr"}, Case{"../de \"", "es ltr"}}) {
    SCOPED_TRACE(c.wished);
    EXPECT_EQ(language_of(browser_.ask(in("es", authorize({{"ui_locales", c.wished}})))),
              c.language);
  }
  browser_.log_in(kOlivia);
  const Answer twice = browser_.ask(authorize() + "&ui_locales=de&ui_locales=fr");
  EXPECT_EQ(parameter_of(twice.header("Location"), "error"), "invalid_request");
  EXPECT_EQ(parameter_of(twice.header("Location"), "error_description"), "ui_locales is repeated");
}

TEST_F(PageLanguages, PagesW100ShowsChoiceAndProblems) {
  browser_.log_in(502);
  const Answer choice = browser_.ask(in("fr", authorize()));
  expect_page(choice, 200, "fr ltr",
              {"<h1>À quel compte donner accès à <bdi>", "Continuer</button>"});
  expect_page(send("fr", choice, "/oauth/authorize", {{"answer", "choose"}}), 400, "fr ltr",
              {"Choisissez l’un des comptes."});
  expect_page(ask(in("es", "/oauth/authorize?client_id=unknown")), 400, "es ltr",
              {"<h1>Este enlace no funciona</h1>", "client_id names no application"});
  expect_page(ask(in("pl", "PUT /login")), 405, "pl ltr", {"Ten adres nie przyjmuje takich żądań"});
  const Ask forged =
      Ask("POST /logout").with_form({{"csrf", "x"}}).with("Origin", "https://a.example");
  expect_page(ask(in("pt", forged)), 403, "pt ltr", {"Esta página é antiga demais"});
  stores().edit("catalog:account:1001", R"("oauth_enabled":true)", R"("oauth_enabled":false)");
  browser_.log_in(kOlivia);
  expect_page(browser_.ask(in("de", authorize())), 200, "de ltr",
              {"Sie können <bdi>", "OAuth ist dafür nicht aktiviert."});
}

TEST_F(PageLanguages, PagesW100NamesWhatAnApplicationMayDo) {
  import_other();
  const auto consent = [&](const std::string& languages) {
    return browser_.ask(in(languages, authorize({{"client_id", kOther},
                                                 {"redirect_uri", kOtherUri},
                                                 {"scope", "media:upload"}})));
  };
  EXPECT_TRUE(consent("en").has(
      "<strong>Upload media</strong><br>Upload files, and see a single media by its id</li>"));
  EXPECT_TRUE(consent("en").has(
      "<p>List media and projects, read statistics, change or delete anything, or see your "
      "password.</p>"));
  EXPECT_TRUE(
      consent("de").has("<strong>Medien hochladen</strong><br>Dateien hochladen und ein einzelnes "
                        "Video anhand seiner ID ansehen</li>"));
  EXPECT_TRUE(consent("de").has(
      "<p>Medien und Projekte auflisten, Statistiken ansehen, etwas ändern oder löschen oder Ihr "
      "Passwort sehen.</p>"));
}

// A folder with an Arabic catalog, which must outlive the site.
struct Folder {
  Folder() {
    std::filesystem::create_directory(folder.path("languages"));
    folder.write("languages/ar.po",
                 "msgid \"Log in\"\nmsgstr \"تسجيل الدخول\"\n"
                 "msgid \"<bdi>{{CLIENT}}</bdi> wants access to <bdi>{{ACCOUNT}}</bdi>\"\n"
                 "msgstr \"<bdi>{{ACCOUNT}}</bdi> ← <bdi>{{CLIENT}}</bdi>\"\n");
    folder.write("languages/de.po", "msgid \"Log in\"\nmsgstr \"Einloggen\"\n");
    for (const char* tag : {"zh", "zh-Hant", "nb", "he", "id", "sr"}) {
      folder.write(std::string("languages/") + tag + ".po",
                   std::string("msgid \"Log in\"\nmsgstr \"") + tag + "\"\n");
    }
  }
  fakes::TemporaryDirectory folder;
};
class OwnLanguages : private Folder, public PageLanguages {
 protected:
  OwnLanguages() : PageLanguages({"--language-dir=" + folder.path("languages")}) {}
};

TEST_F(OwnLanguages, PagesW100ShowsThoseOfTheOperator) {
  const Answer consent = browser_.ask(in("ar-EG", authorize()));
  expect_page(consent, 200, "ar rtl", {"<h1><bdi>Acme Films</bdi> ← <bdi>", ">Allow</button>"});
  browser_.cookies.clear();
  expect_page(browser_.ask(in("ar", "/login")), 200, "ar rtl", {"<h1>تسجيل الدخول</h1>"});
  expect_page(browser_.ask(in("de", "/login")), 200, "de ltr", {"<h1>Einloggen</h1>", "Passwort<"});
  EXPECT_TRUE(ask("/.well-known/oauth-authorization-server")
                  .has(R"("ui_locales_supported":["en","de","es","fr","ja","pl","pt","ar","he",)"
                       R"("id","nb","sr","zh-Hant","zh"])"));
}

TEST_F(OwnLanguages, PagesW100AreFoundByAnyNameOfTheLanguageAndByItsScript) {
  browser_.cookies.clear();
  struct Case {
    std::string accepted, language;
  };
  for (const Case& c : {
           Case{"zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant ltr"},
           Case{"zh-HK", "zh-Hant ltr"},
           Case{"zh-Hant-MO", "zh-Hant ltr"},
           Case{"zh", "zh ltr"},
           Case{"zh-CN", "zh ltr"},
           Case{"zh-Hans-SG", "zh ltr"},
           Case{"no", "nb ltr"},
           Case{"no-NO", "nb ltr"},
           Case{"nb-NO", "nb ltr"},
           Case{"nn,de;q=0.5", "de ltr"},
           Case{"iw", "he rtl"},
           Case{"iw-IL,en", "he rtl"},
           Case{"in", "id ltr"},
           Case{"sr-Latn,de", "sr ltr"},
           Case{"pt-PT", "pt ltr"},
           Case{"de-CH", "de ltr"},
           Case{"i-klingon,x-y,--,de", "de ltr"},
       }) {
    SCOPED_TRACE(c.accepted);
    expect_page(ask(in(c.accepted, "/login")), 200, c.language, {});
  }
}

}  // namespace
}  // namespace svc::rules::languages
