#include "ctl/import/catalog_line.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/json_fields.h"

namespace svc::ctl {
namespace {

using fakes::JsonFields;

const JsonFields kAccount{{"kind", R"("account")"},
                          {"id", "1001"},
                          {"name", R"("Acme")"},
                          {"host", R"("acme.svc.localhost")"},
                          {"url", R"("https://acme.svc.localhost")"}};
const JsonFields kUser{
    {"kind", R"("user")"},
    {"id", "501"},
    {"name", R"("Olivia")"},
    {"email", R"("olivia@acme.example")"},
    {"password", R"("olivia-password")"},
    {"memberships", R"([{"account_id":1001,"role":"owner"},{"account_id":1002,"role":"user"}])"}};
const JsonFields kProject{{"kind", R"("project")"},
                          {"id", R"("prj1")"},
                          {"account_id", "1001"},
                          {"name", R"("Films")"},
                          {"created", R"("2026-01-05T09:00:00Z")"},
                          {"updated", R"("2026-01-05T09:00:00Z")"}};
const JsonFields kMedia{{"kind", R"("media")"},
                        {"id", R"("abc123")"},
                        {"account_id", "1001"},
                        {"project_id", R"("prj1")"},
                        {"type", R"("Video")"},
                        {"name", R"("Film")"},
                        {"status", R"("ready")"},
                        {"created", R"("2026-01-05T09:00:00Z")"},
                        {"updated", R"("2026-01-05T09:00:00Z")"},
                        {"assets", "[]"}};
const JsonFields kPlaylist{{"kind", R"("playlist")"},
                           {"id", R"("list1")"},
                           {"account_id", "1001"},
                           {"name", R"("List")"},
                           {"media_ids", R"(["abc123","def456","abc123"])"}};
const JsonFields kApplication{{"kind", R"("application")"},
                              {"client_id", R"("app-1")"},
                              {"client_secret", R"("app-secret")"},
                              {"account_id", "1001"},
                              {"name", R"("App")"},
                              {"redirect_uri", R"("https://app.example/cb")"},
                              {"scopes", R"(["all:all"])"},
                              {"created", R"("2026-01-05T09:00:00Z")"}};

base::Result<CatalogLine, std::string> read(const std::string& text, Seen seen = Seen::First) {
  text::json::Document document;
  return read_line(document, text, seen);
}

// `media abc123`
std::string text_of(const Name& name) { return std::string(to_text(name.kind)) + " " + name.text; }

TEST(CatalogLine, KnowsItsNameAndItsReferences) {
  using Texts = std::vector<std::string>;
  struct Case {
    JsonFields line;
    std::string name;
    Texts references;
  };
  for (const Case& c : {
           Case{kAccount, "account 1001", {}},
           Case{kUser, "user 501", {"account 1001", "account 1002"}},
           Case{kProject, "project prj1", {"account 1001"}},
           Case{kMedia, "media abc123", {"account 1001", "project prj1"}},
           Case{kMedia.without("project_id"), "media abc123", {"account 1001"}},
           Case{kPlaylist,
                "playlist list1",
                {"account 1001", "media abc123", "media def456", "media abc123"}},
           Case{kApplication, "application app-1", {"account 1001"}},
       }) {
    SCOPED_TRACE(c.name);
    const auto line = read(c.line.text());
    if (!line) {
      ADD_FAILURE() << line.error();
      continue;
    }
    EXPECT_EQ(text_of(name_of(*line)), c.name);
    Texts references;
    for (const Name& name : references_of(*line)) references.push_back(text_of(name));
    EXPECT_EQ(references, c.references);
    const auto again = read(c.line.text(), Seen::Checked);
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(text_of(name_of(*again)), c.name);
  }
}

TEST(CatalogLine, APublicApplicationHasSeveralRedirectsAndNoSecret) {
  const JsonFields application =
      kApplication.without("client_secret")
          .without("redirect_uri")
          .with("type", R"("public")")
          .with("redirect_uris", R"(["http://localhost/cb","com.example.app:/cb"])");
  const auto line = read(application.text());
  ASSERT_TRUE(line) << line.error();
  const ApplicationLine& read_line = std::get<ApplicationLine>(*line);
  EXPECT_EQ(read_line.secret, "");
  EXPECT_TRUE(read_line.is_public());
  EXPECT_EQ(read_line.redirect_uris,
            (std::vector<std::string>{"http://localhost/cb", "com.example.app:/cb"}));
  struct Case {
    JsonFields line;
    std::string says;
  };
  for (const Case& c : {
           Case{application.with("client_secret", R"("s")"),
                "client_secret must not be set: a public application has none"},
           Case{application.with("type", R"("secret")"), "type must be"},
           Case{application.without("type"), "redirect_uris must not be http:// on localhost"},
           Case{application.with("redirect_uri", R"("https://other.example/")"),
                "redirect_uri must be the first of redirect_uris"},
           Case{application.with("redirect_uris", "[]"), "redirect_uri"},
           Case{kApplication.without("client_secret"), "client_secret is missing"},
       }) {
    const auto refused = read(c.line.text());
    ASSERT_FALSE(refused) << c.says;
    EXPECT_NE(refused.error().find(c.says), std::string::npos) << refused.error();
  }
}

TEST(CatalogLine, HoldsPasswordsAndSecretsApartFromTheRecord) {
  const auto user = read(kUser.text());
  ASSERT_TRUE(user);
  EXPECT_EQ(std::get<UserLine>(*user).password, "olivia-password");
  EXPECT_EQ(std::get<UserLine>(*user).password_hash, "");
  const auto spelled = read(kUser.with("email", R"("Jo@exämple.de")").text());
  EXPECT_EQ(std::get<UserLine>(*spelled).email, "Jo@xn--exmple-cua.de");
  const auto without = read(kUser.without("password").text());
  ASSERT_TRUE(without);
  EXPECT_EQ(std::get<UserLine>(*without).password, "");
  const auto application = read(kApplication.text());
  ASSERT_TRUE(application);
  EXPECT_EQ(std::get<ApplicationLine>(*application).secret, "app-secret");
  EXPECT_TRUE(std::get<ApplicationLine>(*application).secrets.empty());
}

TEST(CatalogLine, RefusesWithASentenceThatNamesTheKey) {
  struct Case {
    std::string_view name;
    std::string line;
    std::string_view error;
  };
  const auto hash = [](const std::string& cost) {
    return "\"scrypt$" + cost + "$" + std::string(32, 'a') + "$" + std::string(64, 'b') + "\"";
  };
  const JsonFields hashed = kUser.without("password");
  for (const Case& c : {
           Case{"not an object", "[1]", "must be a JSON object"},
           Case{"no kind", kMedia.without("kind").text(), "kind is missing"},
           Case{"a number for a kind", kMedia.with("kind", "1").text(), "kind must be a string"},
           Case{"an unknown kind", kMedia.with("kind", R"("video")").text(),
                "kind must be one of account, user, project, media, playlist, application"},
           Case{"a kind in capitals", kMedia.with("kind", R"("Media")").text(),
                "kind must be one of account, user, project, media, playlist, application"},
           Case{"a key of another kind", kMedia.with("email", R"("a@b.c")").text(),
                "email is an unknown key; the allowed keys are kind, id, account_id, project_id, "
                "type, name, description, status, duration, width, height, player_color, "
                "thumbnail, visibility, allowed_domains, created, updated, assets"},
           Case{"a key twice",
                kAccount.text().substr(0, kAccount.text().size() - 1) + R"(,"id":1002})",
                "id occurs twice"},
           Case{"a nested unknown key",
                kUser.with("memberships", R"([{"account_id":1,"role":"user","x":1}])").text(),
                "memberships[0]: x is an unknown key; the allowed keys are account_id, role"},
           Case{"an email that no form sends", kUser.with("email", R"("jö@acme.example")").text(),
                "email must be an email address that a browser accepts in a login form"},
           Case{"a password that no form sends", kUser.with("password", R"("a\nb")").text(),
                "password must be text without control characters"},
           Case{"an empty password", kUser.with("password", R"("")").text(),
                "password must not be empty"},
           Case{"a long password",
                kUser.with("password", "\"" + std::string(1025, 'p') + "\"").text(),
                "password is longer than 1024 bytes"},
           Case{"a password and a hash", kUser.with("password_hash", hash("14$8$5")).text(),
                "password_hash must not be set together with password"},
           Case{"a weak hash", hashed.with("password_hash", hash("14$8$1")).text(),
                "password_hash is too weak: Argon2id with at least 7 MiB (m) and 35 MiB in all "
                "passes (m*t), or scrypt with N=2^14 r=8 p=5, or parameters that need as much "
                "memory (N*r) and work (N*r*p), is allowed"},
           Case{"an expensive hash", hashed.with("password_hash", hash("17$8$16")).text(),
                "password_hash is too expensive to verify: Argon2id with at most 128 MiB (m) and "
                "384 MiB in all passes (m*t), or scrypt with work (N*r*p) of at most 2^20, as of "
                "N=2^17 r=8 p=1, is allowed"},
           Case{"a media's status", kMedia.with("status", R"("done")").text(),
                "status must be one of queued, processing, ready, failed"},
           Case{"an unregistered language",
                kMedia
                    .with("assets",
                          R"([{"type":"captions","url":"/a.vtt","language":"xx","label":"X"}])")
                    .text(),
                "assets: language must be a language code of ISO 639 or a tag of BCP 47, such as "
                "en or pt-BR; xx is not registered"},
           Case{"no secret", kApplication.without("client_secret").text(),
                "client_secret is missing"},
           Case{"a name that app create refuses",
                kApplication.with("name", '"' + std::string(101, 'n') + '"').text(),
                "name must not have more than 100 characters; it has 101"},
           Case{"an empty secret", kApplication.with("client_secret", R"("")").text(),
                "client_secret must not be empty"},
           Case{"a playlist's media", kPlaylist.with("media_ids", R"([""])").text(),
                "media_ids[0] must be 1 to 64 letters and digits"},
       }) {
    SCOPED_TRACE(c.name);
    const auto line = read(c.line);
    EXPECT_EQ(line ? "accepted" : line.error(), c.error);
  }
}

TEST(CatalogLine, RefusesAnApplicationWithStoredSecrets) {
  const auto line = read(kApplication.with("secrets", "[]").text());
  ASSERT_FALSE(line);
  EXPECT_TRUE(line.error().starts_with("secrets is an unknown key; the allowed keys are kind, "));
}

TEST(CatalogLine, RefusesOtherTextThanJson) {
  for (const std::string_view text : {"{", "nonsense", R"({"kind":"account",})", "\xff", "{} {}"}) {
    const auto line = read(std::string(text));
    ASSERT_FALSE(line) << text;
    EXPECT_TRUE(line.error().starts_with("not JSON: ")) << line.error();
  }
}

TEST(CatalogLine, NeverRepeatsASecretInItsRefusal) {
  for (const std::string& text :
       {kUser.with("password", R"("PLANTED")").with("email", "1").text(),
        kUser.with("password", R"("PLANTED")").with("password_hash", R"("PLANTED")").text(),
        kUser.with("password", R"(["PLANTED"])").text(),
        kApplication.with("client_secret", R"("PLANTED")").with("scopes", R"(["PLANTED"])").text(),
        kApplication.with("client_secret", R"({"PLANTED":1})").text(),
        kApplication.with("client_secret", R"("PLANTED)").text()}) {
    SCOPED_TRACE(text);
    const auto line = read(text);
    ASSERT_FALSE(line);
    EXPECT_EQ(line.error().find("PLANTED"), std::string::npos) << line.error();
  }
}

}  // namespace
}  // namespace svc::ctl
