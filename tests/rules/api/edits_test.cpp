// api.md: changes of a media, entity tags, bodies.
#include <gtest/gtest.h>

#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::edits {
namespace {

class Edits : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    media::Media one = media("edited00001", "Before");
    one.description = "Old words";
    put(one);
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Ask json(const std::string& line, const std::string& body) const {
    return with_token(Ask(line).with("Content-Type", "application/json").with_body(body));
  }
  Answer put_json(const std::string& body, const std::string& id = "edited00001") {
    return ask(json("PUT /v1/medias/" + id, body));
  }
  Answer get(const std::string& path = "/v1/medias/edited00001") {
    return ask(with_token(Ask(path)));
  }

  std::string token_;
};

TEST_F(Edits, ApiM3SetsTheFieldsThatAreGiven) {
  const Answer renamed = put_json(R"({"name":"  After  ","colour":7})");
  EXPECT_EQ(renamed.status, 200);
  EXPECT_EQ(member(renamed, "name"), "After");
  EXPECT_EQ(member(renamed, "description"), "Old words");
  EXPECT_NE(member(renamed, "updated"), "2026-03-01T10:00:00Z");
  EXPECT_EQ(get().body, renamed.body);
  EXPECT_EQ(member(put_json(R"({"description":"New"})"), "description"), "New");
  EXPECT_EQ(member(put_json(R"({"description":null})"), "description"), "");
  const Answer form =
      ask(with_token(Ask("PUT /v1/medias/edited00001.json")
                         .with_form({{"name", "Of a form"}, {"description", "x"}})));
  EXPECT_EQ(member(form, "name"), "Of a form");
  EXPECT_EQ(member(form, "description"), "x");
}

TEST_F(Edits, ApiV1AMediaIsPublicUnlistedOrPrivate) {
  EXPECT_EQ(member(get(), "visibility"), "public");
  EXPECT_EQ(member(put_json(R"({"visibility":"unlisted"})"), "visibility"), "unlisted");
  EXPECT_EQ(stores().events("media.access_changed 502 media edited00001 visibility=unlisted"), 1u);
  EXPECT_EQ(member(put_json(R"({"name":"After","visibility":"unlisted"})"), "visibility"),
            "unlisted");
  for (const char* wrong : {R"({"visibility":"secret"})", R"({"visibility":null})",
                            R"({"visibility":""})", R"({"visibility":true})"}) {
    const Answer refused = put_json(wrong);
    EXPECT_EQ(refused.status, 422) << wrong;
    EXPECT_TRUE(refused.has("\"visibility\":[\"must be ")) << refused.body;
  }
  EXPECT_EQ(member(get(), "visibility"), "unlisted");
  EXPECT_EQ(member(put_json(R"({"visibility":"public"})"), "visibility"), "public");
  EXPECT_EQ(member(put_json(R"({"visibility":"private"})"), "visibility"), "private");
  EXPECT_EQ(member(get(), "visibility"), "private");
}

TEST_F(Edits, ApiV1APrivateMediaHasNoFileElsewhere) {
  const std::string elsewhere = "https://cdn.example/1.mp4";
  media::Media film = media("elsewhere01", "Film");
  film.storyboard = elsewhere;
  put(film);
  const Answer refused = put_json(R"({"visibility":"private"})", "elsewhere01");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.has("\"visibility\":[\"must not be private: ")) << refused.body;
  EXPECT_TRUE(refused.has(elsewhere)) << refused.body;
  EXPECT_EQ(member(get("/v1/medias/elsewhere01"), "visibility"), "public");

  media::Media image = media("image000002", "Picture");
  image.type = "Image";
  image.thumbnail = media::Thumbnail{"https://cdn.example/a.png", media::Dimensions{8, 6}};
  put(image);
  EXPECT_EQ(member(put_json(R"({"visibility":"private"})"), "visibility"), "private");
  const Answer poster = put_json(R"({"new_still_media_id":"image000002"})");
  EXPECT_EQ(poster.status, 422);
  EXPECT_TRUE(poster.has("\"new_still_media_id\":[\"must be that of an image ")) << poster.body;
  EXPECT_EQ(put_json(R"({"visibility":"public","new_still_media_id":"image000002"})").status, 200);
}

TEST_F(Edits, ApiW1AMediaHasDomainsOfItsOwn) {
  const auto has = [](const Answer& answer, const std::string& domains) {
    return answer.status == 200 && answer.has("\"allowed_domains\":" + domains + ",");
  };
  EXPECT_TRUE(has(get(), "null"));
  const std::string both = R"(["site.example","*.xn--bcher-kva.example"])";
  EXPECT_TRUE(has(put_json(R"({"allowed_domains":["Site.Example","*.bücher.example"]})"), both));
  EXPECT_EQ(stores().events("media.access_changed 502 media edited00001 allowed_domains"), 1u);
  EXPECT_TRUE(has(put_json(R"({"name":"After"})"), both));
  for (const auto& [wrong, why] :
       {std::pair(R"({"allowed_domains":"site.example"})", "must be 0 to 50 strings"),
        {R"({"allowed_domains":[5]})", "must be 0 to 50 strings"},
        {R"({"allowed_domains":["a.example","b"]})", "has b, which must be"}}) {
    const Answer refused = put_json(wrong);
    EXPECT_EQ(refused.status, 422) << wrong;
    EXPECT_TRUE(refused.has("\"allowed_domains\":[\"" + std::string(why))) << refused.body;
  }
  EXPECT_TRUE(has(put_json(R"({"allowed_domains":[]})"), "[]"));
  EXPECT_TRUE(has(put_json(R"({"allowed_domains":null})"), "null"));
  const Answer form = ask(with_token(
      Ask("PUT /v1/medias/edited00001")
          .with_form({{"allowed_domains[]", "a.example"}, {"allowed_domains[]", "b.example"}})));
  EXPECT_TRUE(has(form, R"(["a.example","b.example"])")) << form.body;
}

TEST_F(Edits, ApiN7AFormHasAListInOneWay) {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  const std::string path = "PUT /v1/medias/edited00001";
  const auto put_form = [&](const Fields& fields) {
    return ask(with_token(Ask(path).with_form(fields)));
  };
  const auto put_multipart = [&](const Fields& fields) {
    std::string body;
    for (const auto& [name, value] : fields)
      body +=
          "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    return ask(with_token(Ask(path)
                              .with("Content-Type", "multipart/form-data; boundary=b")
                              .with_body(body + "--b--\r\n")));
  };
  ASSERT_EQ(put_json(R"({"allowed_domains":["site.example"]})").status, 200);
  for (const Fields& wrong :
       std::vector<Fields>{{{"allowed_domains", "other.example"}},
                           {{"allowed_domains[]", "a.example"}, {"allowed_domains", "x.example"}},
                           {{"allowed_domains[]", "a.example"}, {"allowed_domains", ""}},
                           {{"allowed_domains[0]", "a.example"}},
                           {{"allowed_domains", "null"}}}) {
    for (const Answer& refused : {put_form(wrong), put_multipart(wrong)}) {
      EXPECT_EQ(refused.status, 422) << wrong.front().first;
      EXPECT_TRUE(
          refused.has("\"allowed_domains\":[\"must be 0 to 50 strings, in a form each as "
                      "allowed_domains[]\"]"))
          << refused.body;
    }
  }
  const Answer empty_name = put_form({{"allowed_domains[]", ""}});
  EXPECT_EQ(empty_name.status, 422);
  EXPECT_TRUE(empty_name.has("has an entry without text, which must be")) << empty_name.body;
  EXPECT_EQ(put_json(R"({"allowed_domains[]":["a.example"]})").status, 200) << "unknown in JSON";
  EXPECT_TRUE(get().has(R"("allowed_domains":["site.example"],)")) << get().body;
  const Answer everywhere = put_form({{"allowed_domains", ""}});
  EXPECT_TRUE(everywhere.has(R"("allowed_domains":[],)")) << everywhere.body;

  for (const Fields& wrong :
       std::vector<Fields>{{{"hashed_ids", "edited00001"}},
                           {{"hashed_ids[]", "edited00001"}, {"hashed_ids", "edited00001"}},
                           {{"hashed_ids", ""}}}) {
    const Answer refused = ask(with_token(Ask("PUT /v1/medias/move").with_form(wrong)));
    EXPECT_EQ(refused.status, 422) << wrong.front().first;
    EXPECT_TRUE(
        refused.has("\"hashed_ids\":[\"must be 1 to 100 strings, in a form each as "
                    "hashed_ids[]\"]"))
        << refused.body;
  }
}

TEST_F(Edits, ApiW1AFilmWithAFileElsewhereHasNoDomains) {
  stores().take_files();
  const std::string elsewhere = "https://cdn.example/1.mp4";
  media::Media film = media("elsewhere01", "Film");
  film.storyboard = elsewhere;
  put(film);
  const std::string all = "/v1/allowed_domains";
  const auto add = [&] { return ask(json("POST " + all, R"({"domain":"site.example"})")); };
  const auto domains = [&](const std::string& value) {
    return put_json(R"({"allowed_domains":)" + value + "}", "elsewhere01");
  };
  const auto refuses = [&](const Answer& answer, const std::string& why) {
    return answer.status == 422 && answer.has(why) && answer.has(elsewhere);
  };
  const Answer own = domains(R"(["site.example"])");
  EXPECT_TRUE(refuses(own, "\"allowed_domains\":[\"must allow every site: ")) << own.body;
  const Answer first = add();
  EXPECT_TRUE(refuses(first, "\"domain\":[\"must not be the first: ")) << first.body;
  EXPECT_TRUE(first.has(" of the media elsewhere01 ")) << first.body;
  EXPECT_EQ(get(all).body, "[]");
  EXPECT_EQ(stores().events("sites.changed"), 0u);
  EXPECT_EQ(domains("[]").status, 200);
  EXPECT_EQ(add().status, 201);
  const Answer inherits = domains("null");
  EXPECT_TRUE(refuses(inherits, "\"allowed_domains\":[\"must allow every site: "));
  EXPECT_TRUE(get("/v1/medias/elsewhere01").has("\"allowed_domains\":[],"));
}

TEST_F(Edits, ApiW1AnAccountHasDomains) {
  stores().take_files();
  const std::string all = "/v1/allowed_domains";
  const auto add = [&](const std::string& domain) {
    return ask(json("POST " + all, R"({"domain":")" + domain + "\"}"));
  };
  EXPECT_EQ(get(all).body, "[]");
  const Answer added = add("*.Site.Example");
  EXPECT_EQ(added.status, 201);
  EXPECT_EQ(added.body, R"({"domain":"*.site.example"})");
  EXPECT_EQ(added.header("Location"), "https://api.svc.example" + all + "/%2A.site.example");
  EXPECT_EQ(get(all + "/%2A.site.example").body, added.body);
  EXPECT_EQ(add("other.example").status, 201);
  EXPECT_EQ(add("other.example").status, 201) << "it is there";
  EXPECT_EQ(get(all).body, R"([{"domain":"*.site.example"},{"domain":"other.example"}])");
  EXPECT_EQ(get(all + "?per_page=1&page=2").body, R"([{"domain":"other.example"}])");
  EXPECT_EQ(stores().events("sites.changed 502 allowed_domains"), 2u);
  EXPECT_TRUE(add("https://site.example").has("\"domain\":[\"must be a host name"));
  EXPECT_EQ(ask(with_token(Ask("DELETE " + all + "/other.example"))).status, 204);
  EXPECT_EQ(ask(with_token(Ask("DELETE " + all + "/other.example"))).status, 404);
  EXPECT_EQ(get(all + "/other.example").status, 404);
  EXPECT_EQ(get(all).body, R"([{"domain":"*.site.example"}])");
  for (int i = 1; i < 50; ++i) EXPECT_EQ(add("a" + std::to_string(i) + ".example").status, 201);
  EXPECT_EQ(add("more.example").status, 507);
  const std::string reader = token_of("media:read");
  EXPECT_EQ(ask(Ask(all).with("Authorization", "Bearer " + reader)).status, 200);
  EXPECT_EQ(ask(Ask("POST " + all).with("Authorization", "Bearer " + reader)).status, 403);
}

TEST_F(Edits, ApiW1AnApplicationIsNamedByItsOriginAlsoInAPath) {
  stores().take_files();
  const std::string all = "/v1/allowed_domains";
  const Answer added = ask(json("POST " + all, R"({"domain":"Capacitor://localhost"})"));
  EXPECT_EQ(added.status, 201) << added.body;
  EXPECT_EQ(added.body, R"({"domain":"capacitor://localhost"})");
  EXPECT_EQ(added.header("Location"),
            "https://api.svc.example" + all + "/capacitor%3A%2F%2Flocalhost");
  // nginx merges slashes.
  for (const char* path : {"/capacitor%3A%2F%2Flocalhost", "/capacitor:/localhost"}) {
    EXPECT_EQ(get(all + path).body, added.body) << path;
    EXPECT_EQ(get(all + path + ".json").body, added.body) << path;
  }
  EXPECT_EQ(get(all + "/capacitor:/localhost/more").status, 404);
  EXPECT_EQ(get(all + "/localhost").status, 404);
  EXPECT_EQ(ask(json("POST " + all, R"({"domain":"http://127.0.0.1:3000"})")).body,
            R"({"domain":"127.0.0.1:3000"})");
  EXPECT_TRUE(ask(json("POST " + all, R"({"domain":"file://"})")).has("files, data: and"));
  EXPECT_EQ(ask(with_token(Ask("DELETE " + all + "/capacitor:/localhost"))).status, 204);
  EXPECT_EQ(get(all).body, R"([{"domain":"127.0.0.1:3000"}])");
}

TEST_F(Edits, ApiN8RecordsTheNamesOfWhatChanges) {
  put_json(R"({"name":"After","description":"Old words"})");
  put_json(R"({"name":"After"})");
  put_json("{}");
  EXPECT_EQ(stores().events("media.changed 502 media edited00001 name"), 1u);
  EXPECT_EQ(stores().events("media.changed"), 1u);
}

TEST_F(Edits, ApiN8AreSeenByTheNextRequestOfAnyKind) {
  put_json(R"({"name":"Zwölf"})");
  EXPECT_TRUE(get("/v1/medias?name=Zw%C3%B6lf").has("edited00001"));
  EXPECT_FALSE(get("/v1/medias?name=Before").has("edited00001"));
}

TEST_F(Edits, ApiN7RefusesOtherBodies) {
  const std::string path = "PUT /v1/medias/edited00001";
  const std::string deep(60'000, '[');
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  const auto file = [](const std::string& field) {
    return "--b\r\nContent-Disposition: form-data; name=\"" + field +
           "\"; filename=\"f\"\r\n\r\nAfter\r\n--b--\r\n";
  };
  std::string many;
  for (int i = 0; i < 4096; ++i) many += "x&";
  std::string doubles = R"("z":0)";
  for (int i = 1; i < 2000; ++i)
    doubles += R"(,"a)" + std::to_string(i) + R"(":0,"a)" + std::to_string(i) + R"(":0)";
  for (const auto& [name, type, body, status, has] :
       std::vector<std::tuple<std::string, std::string, std::string, int, std::string>>{
           {"another type", "text/plain", "x", 415, "unsupported_media_type"},
           {"no type", "", "x", 415, "multipart/form-data"},
           {"too long", "application/json", std::string(70'000, ' '), 413, "64 KiB"},
           {"no JSON", "application/json", "{", 400, "not JSON"},
           {"an array", "application/json", "[]", 400, "JSON object"},
           {"nested", "application/json", R"({"name":)" + deep, 400, "deeper than 32 levels"},
           {"33 levels", "application/json", R"({"x":)" + nested(32) + "}", 400, "deeper than 32"},
           {"a bracket in a text", "application/json",
            R"({"name":7,"x":")" + deep.substr(0, 99) + "\"}", 422, R"("name":[)"},
           {"no UTF-8", "application/json", "{\"name\":\"\xff\"}", 400, "UTF-8"},
           {"NUL", "application/json", R"({"name":"a\u0000b"})", 422, R"("name":[)"},
           {"a number", "application/json", R"({"name":7})", 422, R"("name":["must be a string"])"},
           {"null", "application/json", R"({"name":null})", 422, R"("name":["must be a string"])"},
           {"blank", "application/json", R"({"name":" "})", 422, R"("name":["must be one line)"},
           {"two wrong", "application/json", R"({"name":[],"description":{}})", 422,
            R"("description":["must be a string"])"},
           {"twice", "application/json", R"({"name":"a","name":"b"})", 422,
            R"("name":["is given twice"])"},
           {"twice in a form", "application/x-www-form-urlencoded", "name=a&name=b", 422,
            "is given twice"},
           {"a list in a form", "application/x-www-form-urlencoded",
            "name=After&visibility[]=private", 422,
            R"("visibility":["must be one text, not a list"])"},
           {"no UTF-8 in a form", "application/x-www-form-urlencoded", "name=%ff", 422,
            R"("name":["must be UTF-8"])"},
           {"long", "application/json", R"({"description":")" + std::string(9'000, 'a') + "\"}",
            422, "8 KiB"},
           {"twice, many of them", "application/json", "{" + doubles + "}", 422, R"("a1":[)"},
           {"more fields than are read", "application/x-www-form-urlencoded", many + "name=a", 400,
            "4096 fields or more"},
           {"a file", "multipart/form-data; boundary=b", file("name"), 422,
            R"("name":["must be a text, not a file"])"},
           {"a file as an id", "multipart/form-data; boundary=b", file("new_still_media_id"), 422,
            R"("new_still_media_id":["must be a text, not a file"])"},
           {"no end", "multipart/form-data; boundary=b", "--b\r\n", 400, "invalid_request"}}) {
    const Answer answer = ask(with_token(Ask(path).with("Content-Type", type).with_body(body)));
    EXPECT_EQ(answer.status, status) << name;
    EXPECT_TRUE(answer.has(has)) << name << ": " << answer.body;
    EXPECT_LT(answer.body.size(), 2'000U) << name;
  }
  EXPECT_EQ(put_json(R"({"x":)" + nested(31) + "}").status, 200);
  EXPECT_EQ(member(get(), "name"), "Before");
  EXPECT_EQ(stores().events("media.changed"), 0u);
}

// A picture elsewhere, which nothing copies.
media::Media picture(media::Media image) {
  image.type = "Image";
  image.thumbnail = media::Thumbnail{"https://img.example/" + image.id.value() + ".jpg",
                                     media::Dimensions{800, 600}};
  return image;
}

TEST_F(Edits, ApiM3ShowsThePictureOfAnImage) {
  media::Media film = media("edited00001", "Before");
  film.thumbnail = media::Thumbnail{"/files/edited00001/poster.jpg", media::Dimensions{640, 360}};
  put(film);
  put(picture(media("image000001")));
  site_.listen();
  const std::string page = "https://acme.svc.localhost/medias/edited00001";
  const auto shown = [&](const std::string& url) {
    const auto all_have = [&](const std::string& path) { return ask(Ask(path)).has(url); };
    return all_have("/oembed?url=" + page) && all_have("/embed/medias/edited00001.json") &&
           all_have(page);
  };
  ASSERT_TRUE(shown("/files/edited00001/poster.jpg"));
  const Answer set = put_json(R"({"new_still_media_id":"image000001"})");
  EXPECT_EQ(set.status, 200) << set.body;
  EXPECT_TRUE(set.has("https://img.example/image000001.jpg")) << set.body;
  EXPECT_TRUE(set.has(R"("width":800)")) << set.body;
  EXPECT_EQ(set.header("ETag"), get().header("ETag"));
  site_.until([&] { return shown("https://img.example/image000001.jpg"); });

  EXPECT_EQ(put_json(R"({"new_still_media_id":"image000001","name":"Before"})").status, 200);
  EXPECT_EQ(stores().events("media.changed"), 1u) << "nothing changed";
  EXPECT_EQ(ask(with_token(Ask("DELETE /v1/medias/image000001"))).status, 204);
  EXPECT_TRUE(get().has("https://img.example/image000001.jpg")) << "it stays";
  EXPECT_EQ(put_json(R"({"name":"After"})").status, 200);
  EXPECT_TRUE(get().has("https://img.example/image000001.jpg")) << "absent fields stay";
  EXPECT_EQ(put_json(R"({"new_still_media_id":null})").status, 200);
  site_.until([&] { return shown("/files/edited00001/poster.jpg"); });
  EXPECT_EQ(stores().events("media.changed 502 media edited00001 new_still_media_id"), 2u);
}

TEST_F(Edits, ApiM3RefusesMediaWithoutAPicture) {
  put(picture(media("image000001")));
  media::Media queued = picture(media("queued00001"));
  queued.status = media::Status::Processing;
  put(queued);
  media::Media theirs = picture(media("theirs00001"));
  theirs.account = {1002};
  put(theirs);
  media::Media without = picture(media("without0001"));
  without.thumbnail.reset();
  put(without);
  const Answer before = get();
  for (const auto& [value, words] : std::vector<std::pair<std::string, std::string>>{
           {R"("edited00001")", "of the type Image, not Video"},
           {R"("queued00001")", "that is ready"},
           {R"("without0001")", "that has a picture"},
           {R"("theirs00001")", "of this account"},
           {R"("missing0001")", "of this account"},
           {R"("")", "of this account"},
           {"7", "must be a string"}}) {
    const Answer answer = put_json("{\"name\":\"x\",\"new_still_media_id\":" + value + "}");
    EXPECT_EQ(answer.status, 422) << value;
    EXPECT_TRUE(answer.has(R"("new_still_media_id":[")")) << answer.body;
    EXPECT_TRUE(answer.has(words)) << value << answer.body;
  }
  EXPECT_EQ(get().body, before.body);
}

TEST_F(Edits, ApiN11AnImportKeepsThePosterThatWasSet) {
  put(picture(media("image000001")));
  ASSERT_EQ(put_json(R"({"new_still_media_id":"image000001"})").status, 200);
  stores().import(
      R"({"kind":"media","id":"edited00001","account_id":1001,"type":"Video","name":"Imported",)"
      R"("description":"","status":"ready","player_color":"","created":"2026-03-01T10:00:00Z",)"
      R"("updated":"2026-06-10T08:30:00Z","thumbnail":{"url":"/d/poster.jpg"},"assets":[]})"
      "\n");
  EXPECT_EQ(member(get(), "name"), "Imported");
  EXPECT_TRUE(get().has("https://img.example/image000001.jpg")) << get().body;
  ASSERT_EQ(put_json(R"({"new_still_media_id":null})").status, 200);
  EXPECT_TRUE(get().has("/d/poster.jpg")) << get().body;
}

TEST_F(Edits, ApiN1RefusesInTheOrderOfItsRules) {
  const Answer other = put_json(R"({"name":7})", "l4unchf1lm0");
  EXPECT_EQ(other.status, 404);
  token_ = token_of("media:read");
  EXPECT_EQ(put_json("{").status, 403);
  EXPECT_EQ(ask(Ask("PATCH /v1/medias/edited00001")).status, 405);
  EXPECT_EQ(ask(Ask("PATCH /v1/medias/edited00001")).header("Allow"), "GET, HEAD, PUT, DELETE");
  EXPECT_EQ(ask(Ask("GET /v1/nothing")).status, 404);
  EXPECT_EQ(ask(Ask("PUT /v1/medias/edited00001")).status, 401);
  const Answer options = ask(Ask("OPTIONS /v1/medias/edited00001"));
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, PUT, DELETE");
}

TEST_F(Edits, ApiN1EachPathAnswersAlsoWithTheSuffixJson) {
  for (const std::string path :
       {"/v1/medias", "/v1/medias/edited00001", "/v1/projects", "/v1/account"}) {
    EXPECT_EQ(get(path + ".json").body, get(path).body) << path;
    EXPECT_EQ(get(path + ".json").status, 200) << path;
  }
  EXPECT_EQ(get("/v1/medias/edited00001.json.json").status, 404);
}

TEST_F(Edits, ApiN6TellsWhetherARecordHasChanged) {
  const Answer first = get();
  const std::string tag(first.header("ETag"));
  EXPECT_TRUE(tag.starts_with('"')) << tag;
  EXPECT_EQ(first.header("Cache-Control"), "private, no-cache");
  const Answer again = ask(with_token(Ask("/v1/medias/edited00001").with("If-None-Match", tag)));
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.type, "none");
  const auto put_if = [&](const std::string& condition, const std::string& name) {
    return ask(json("PUT /v1/medias/edited00001", "{\"name\":\"" + name + "\"}")
                   .with("If-Match", condition));
  };
  EXPECT_EQ(put_if("\"other\"", "a").status, 412);
  EXPECT_EQ(put_if("W/" + tag, "a").status, 412);
  const Answer changed = put_if("\"other\", " + tag, "b");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.header("ETag"), get().header("ETag"));
  EXPECT_EQ(put_if(tag, "c").status, 412);
  EXPECT_EQ(put_if("*", "d").status, 200);
  const Ask removal = with_token(Ask("DELETE /v1/medias/edited00001"));
  EXPECT_EQ(ask(removal.with("If-Match", tag)).status, 412);
  EXPECT_EQ(ask(removal.with("If-Match", std::string(get().header("ETag")))).status, 204);
  EXPECT_EQ(get().status, 404);
}

TEST_F(Edits, ApiN6TheAccountHasAnEntityTag) {
  const std::string tag(get("/v1/account").header("ETag"));
  EXPECT_EQ(ask(with_token(Ask("/v1/account").with("If-None-Match", tag))).status, 304);
}

TEST_F(Edits, ApiN6TwoSimultaneousChangesLoseNoField) {
  const std::vector<Answer> both =
      site_.ask_at_once({json("PUT /v1/medias/edited00001", R"({"name":"One"})"),
                         json("PUT /v1/medias/edited00001", R"({"description":"Two"})")});
  EXPECT_EQ(both[0].status, 200);
  EXPECT_EQ(both[1].status, 200);
  EXPECT_EQ(member(get(), "name"), "One");
  EXPECT_EQ(member(get(), "description"), "Two");
}

}  // namespace
}  // namespace svc::rules::edits
