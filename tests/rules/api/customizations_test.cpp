// api.md: customizations, the options of the player that are stored with a media.
#include <gtest/gtest.h>

#include <algorithm>

#include "embed/player_options.h"
#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::customizations {
namespace {

constexpr std::string_view kId = "custom00001";

class Customizations : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    put(media(std::string(kId)));
  }
  static std::string path(std::string_view id = kId) {
    return "/v1/medias/" + std::string(id) + "/customizations";
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Ask json(const std::string& method, const std::string& body, std::string_view id = kId) const {
    return with_token(
        Ask(method + " " + path(id)).with("Content-Type", "application/json").with_body(body));
  }
  Answer send(const std::string& method, const std::string& body) {
    return ask(json(method, body));
  }
  Answer get() { return ask(with_token(Ask(path()))); }
  // "" if it was accepted, else the words for that key.
  std::string refused(const std::string& key, const std::string& value) {
    const Answer answer = send("PUT", "{\"" + key + "\":" + value + "}");
    if (answer.status == 200) return "";
    text::json::Document document;
    const auto body = document.parse(answer.body, text::json::Origin::Ours);
    if (answer.status != 422 || !body) return answer.body;
    const auto errors = body->find("errors");
    const auto words = errors ? errors->find(key) : std::nullopt;
    return words ? std::string(words->at(0).string().value_or("")) : answer.body;
  }

  std::string token_;
};

TEST_F(Customizations, ApiZ1ReturnsTheValuesWithTheTypesThatWereSent) {
  EXPECT_EQ(get().body, "{}");
  const std::string all =
      R"({"autoPlay":true,"muted":"false","playbar":false,"playerColor":"54BBFF","qualityMax":"720p",)"
      R"("qualityMin":360,"stillUrl":"https://cdn.example/still.jpg?a=b\u0026c=d","time":100000,)"
      R"("volume":0.123456789,"wmode":"transparent"})";
  const Answer posted = send("POST", all);
  EXPECT_EQ(posted.status, 201);
  EXPECT_TRUE(posted.header("Location").ends_with(path())) << posted.header("Location");
  EXPECT_EQ(posted.body, all);
  EXPECT_EQ(get().body, all);
  const Answer form = ask(with_token(
      Ask("PUT " + path() + ".json").with_form({{"autoPlay", "true"}, {"volume", "0.5"}})));
  EXPECT_EQ(form.status, 200);
  EXPECT_TRUE(form.has(R"("autoPlay":"true")")) << form.body;
  EXPECT_TRUE(form.has(R"("volume":"0.5")")) << form.body;
}

TEST_F(Customizations, ApiZ1PostReplacesPutMergesNullAndDeleteRemove) {
  send("POST", R"({"autoPlay":true,"volume":0.5})");
  EXPECT_EQ(send("PUT", R"({"volume":1,"playbar":false})").body,
            R"({"autoPlay":true,"playbar":false,"volume":1})");
  EXPECT_EQ(send("PUT", R"({"autoPlay":null,"muted":null})").body,
            R"({"playbar":false,"volume":1})");
  EXPECT_EQ(send("PUT", "{}").body, R"({"playbar":false,"volume":1})");
  EXPECT_EQ(send("POST", R"({"theme":"light","volume":null})").body, R"({"theme":"light"})");
  const Answer removed = ask(with_token(Ask("DELETE " + path())));
  EXPECT_EQ(removed.status, 204);
  EXPECT_EQ(get().body, "{}");
  EXPECT_EQ(ask(with_token(Ask("DELETE " + path()))).status, 204);
}

TEST_F(Customizations, ApiZ1TakesAndRefusesValuesByTheTableOfOptions) {
  struct Case {
    std::string key;
    std::vector<std::string> taken, refused;
    std::string words;
  };
  const std::string long_url = "\"https://h.example/" + std::string(2048, 'a') + "\"";
  for (const Case& c : std::vector<Case>{
           {"autoPlay",
            {"true", "false", R"("true")", R"("false")"},
            {"1", "0", R"("")", R"("yes")", R"("TRUE")", "[]", "{}", "[true]"},
            "must be true or false"},
           {"endVideoBehavior",
            {R"("loop")", R"("reset")", R"("default")"},
            {R"("")", R"("loop reset")", R"("lo")", "true", "1"},
            "must be one of default, loop, reset"},
           {"playerColor",
            {R"("54bbff")", R"("#54BBFF")"},
            {"545454", R"("54bbf")", R"("54bbff0")", R"("red")", R"("##54bbf")", R"("54bbfg")"},
            "must be six hex digits such as 54bbff"},
           {"qualityMax",
            {"10", "720", "9999", R"("720")", R"("720p")"},
            {"9", "10000", "720.5", "-720", R"("720pp")", R"("7.2")", R"("p")", R"("")", "true"},
            "must be a height from 10 to 9999 pixels, such as 720 or 720p"},
           {"stillUrl",
            {R"("https://h.example/a.jpg")", R"("https://h.example:444/a%20b.jpg?x=y")"},
            {R"("http://h.example/a.jpg")", R"("//h.example/a.jpg")", R"("/a.jpg")",
             R"x("javascript:alert(1)")x", R"("https://")", R"("https://a@h.example/")",
             R"("https://h.example/\"><script>")", R"("https://h.example/\n")", "7", long_url},
            "must be an https URL of at most 2048 characters"},
           {"time",
            {"0", "1.5", "1000000", R"("90")", R"("90s")", R"("1m30s")", R"("1h2m3.5s")"},
            {"-1", "1000001", R"("")", R"("s")", R"("1.5m")", R"("30m1h")", R"("1e3")", R"("now")",
             R"("-1")"},
            "must be from 0 to 1000000 seconds, such as 90 or 1m30s"},
           {"volume",
            {"0", "0.5", "1", R"("0.5")"},
            {"1.01", "-0.1", R"("")", R"("50%")", R"("0x1")", R"("nan")", R"(".5")", "true",
             R"({"a":1})"},
            "must be a number from 0 to 1"},
       }) {
    for (const std::string& value : c.taken) EXPECT_EQ(refused(c.key, value), "") << value;
    for (const std::string& value : c.refused)
      EXPECT_EQ(refused(c.key, value), c.words) << c.key << " " << value;
    EXPECT_EQ(get().body, "{\"" + c.key + "\":" + c.taken.back() + "}");
    send("POST", "{}");
  }
}

TEST_F(Customizations, ApiZ1EachOptionHasAValueOrIsOfCodesOnly) {
  for (const embed::PlayerOption& option : embed::player_options()) {
    const std::string name(option.name);
    const bool is_refused = refused(name, R"("no such value")") == words_of(option);
    EXPECT_EQ(is_refused, option.is_customization()) << name;
    const bool is_of_code = name == "email" || name == "lang" || name == "watch" ||
                            name.starts_with("playlist") || name.starts_with("popover");
    EXPECT_EQ(option.is_customization(), !is_of_code) << name;
  }
  EXPECT_EQ(get().body, "{}");
}

TEST_F(Customizations, ApiZ1IgnoresUnknownNamesAndNestedValues) {
  const std::string nested = std::string(30, '[') + std::string(30, ']');
  const Answer answer = send(
      "POST",
      R"({"email":"a@b.example","popoverSize":"1x1","playlistLoop":true,"media_0_1[volume]":1,)"
      R"("videoOptions[volume]":1,"plugin[a][b]":"c","plugin":{"a":{"b":"c"}},"__proto__":{},)"
      R"("AutoPlay":7,"volume ":7,"":7,"unheard":)" +
          nested + R"(,"volume":1})");
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(get().body, R"({"volume":1})");
}

TEST_F(Customizations, ApiZ1ApiN7RefusesBodiesAndChangesNothing) {
  send("POST", R"({"volume":1})");
  for (const auto& [name, type, body, status, has] :
       std::vector<std::tuple<std::string, std::string, std::string, int, std::string>>{
           {"a string of 1 MiB", "application/json",
            R"({"stillUrl":"https://h.example/)" + std::string(1 << 20, 'a') + "\"}", 413,
            "64 KiB"},
           {"deeply nested", "application/json", R"({"volume":)" + std::string(60'000, '['), 400,
            "deeper than 32 levels"},
           {"nested", "application/json",
            R"({"volume":)" + std::string(30, '[') + std::string(30, ']') + "}", 422,
            "from 0 to 1"},
           {"a file", "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=volume; filename=f\r\n\r\n0\r\n--b--\r\n",
            422, "from 0 to 1"},
           {"an infinite number", "application/json", R"({"volume":1e999})", 400, "not JSON"},
           {"twice", "application/json", R"({"volume":0.5,"volume":0.7})", 422, "is given twice"},
           {"twice in a form", "application/x-www-form-urlencoded", "volume=0&volume=1", 422,
            "is given twice"},
           {"no UTF-8 in a form", "application/x-www-form-urlencoded", "wmode=%ff", 422,
            "opaque, transparent"},
           {"a NUL", "application/json", R"({"wmode":"opaque\u0000"})", 422, "opaque, transparent"},
           {"an array", "application/json", R"([{"volume":1}])", 400, "JSON object"},
           {"another type", "text/plain", "volume=1", 415, "unsupported_media_type"},
           {"two wrong", "application/json", R"({"autoPlay":7,"volume":7,"muted":true})", 422,
            R"({"autoPlay":["must be true or false"],"volume":["must be a number from 0 to 1"]})"},
       }) {
    for (const std::string method : {"POST ", "PUT "}) {
      const Answer answer =
          ask(with_token(Ask(method + path()).with("Content-Type", type).with_body(body)));
      EXPECT_EQ(answer.status, status) << method << name;
      EXPECT_TRUE(answer.has(has)) << method << name << ": " << answer.body;
    }
  }
  EXPECT_EQ(get().body, R"({"volume":1})");
  EXPECT_EQ(stores().events("customizations.changed"), 1u);
}

TEST_F(Customizations, ApiZ1ApiN1NeedsScopesAndAMediaOfTheAccount) {
  EXPECT_EQ(ask(Ask(path())).status, 401);
  EXPECT_EQ(ask(json("PUT", "{", "nobodyhasit")).status, 404);
  EXPECT_EQ(ask(Ask("PATCH " + path())).header("Allow"), "GET, HEAD, POST, PUT, DELETE");
  token_ = token_of("media:read");
  EXPECT_EQ(get().status, 200);
  for (const std::string method : {"POST", "PUT", "DELETE"})
    EXPECT_EQ(send(method, "{").status, 403) << method;
  token_ = token_of("media:upload");
  EXPECT_EQ(get().status, 403);
  token_ = token_of("all:all", "1002");
  EXPECT_EQ(get().status, 404);
  EXPECT_EQ(send("PUT", "{").status, 404);
}

TEST_F(Customizations, ApiZ1ApiN6HasAnEntityTagOfItsOwn) {
  const Answer media = ask(with_token(Ask("/v1/medias/" + std::string(kId))));
  const Answer first = get();
  const std::string tag(first.header("ETag"));
  EXPECT_EQ(first.header("Cache-Control"), "private, no-cache");
  EXPECT_EQ(ask(with_token(Ask(path()).with("If-None-Match", tag))).status, 304);
  const Answer put = ask(json("PUT", R"({"volume":1})").with("If-Match", tag));
  EXPECT_EQ(put.status, 200);
  EXPECT_EQ(put.header("ETag"), get().header("ETag"));
  for (const std::string method : {"POST", "PUT", "DELETE"})
    EXPECT_EQ(ask(json(method, R"({"volume":0})").with("If-Match", tag)).status, 412) << method;
  EXPECT_EQ(get().body, R"({"volume":1})");
  // The media's own representation is unchanged but for the time of its last change.
  EXPECT_EQ(ask(with_token(Ask("/v1/medias/" + std::string(kId)))).header("ETag"),
            media.header("ETag"));
  const std::vector<Answer> both =
      site_.ask_at_once({json("PUT", R"({"muted":true})"), json("PUT", R"({"theme":"light"})")});
  EXPECT_EQ(both[0].status, 200);
  EXPECT_EQ(both[1].status, 200);
  EXPECT_EQ(get().body, R"({"muted":true,"theme":"light","volume":1})");
}

TEST_F(Customizations, ApiZ1ApiN8RecordsTheNamesOfTheOptionsThatChange) {
  send("POST", R"({"volume":0.5,"muted":true})");
  send("PUT", R"({"volume":0.5})");
  send("PUT", R"({"volume":0.7,"muted":null,"theme":"dark"})");
  send("DELETE", "");
  send("DELETE", "");
  const std::string about = "customizations.changed 502 media " + std::string(kId);
  std::vector<std::string> events = stores().events();
  std::erase_if(events, [](const std::string& event) { return !event.starts_with("customiz"); });
  EXPECT_EQ(sorted(events), sorted({about + " muted volume", about + " muted theme volume",
                                    about + " theme volume"}));
}

TEST_F(Customizations, ApiZ1AreInTheDataForPlayersAndNotInOembed) {
  const std::string film = "l4unchf1lm";
  const auto ask_oembed = [&] {
    return ask(Ask("/oembed?url=http%3A%2F%2F127.0.0.1%3A8080%2Fmedias%2F" + film)).body;
  };
  const std::string before = ask_oembed();
  const std::string options =
      R"("customizations":{"playbar":false,"playerColor":"00ff00","videoFoam":true})";
  EXPECT_FALSE(ask(Ask("/embed/medias/" + film + ".json")).has("customizations"));
  EXPECT_EQ(ask(json("POST", R"({"playbar":false,"playerColor":"00ff00","videoFoam":true})", film))
                .status,
            201);
  site_.pass(3600);
  EXPECT_TRUE(ask(Ask("/embed/medias/" + film + ".json")).has(options));
  EXPECT_TRUE(ask(Ask("/embed/playlists/pl4yl1st01.json")).has(options));
  EXPECT_EQ(ask_oembed(), before);
}

TEST_F(Customizations, ApiN11SurviveAnImport) {
  const auto line = [](const std::string& name) {
    return R"({"kind":"media","id":"custom00001","account_id":1001,"type":"Video","name":")" +
           name +
           R"(","status":"ready","created":"2026-01-05T09:00:00Z","updated":"2026-01-05T09:00:00Z",)"
           R"("assets":[]})"
           "\n";
  };
  stores().import(line("One"));
  send("POST", R"({"volume":0.5,"muted":true})");
  stores().import(line("Two"));
  EXPECT_TRUE(ask(with_token(Ask("/v1/medias/" + std::string(kId)))).has(R"("name":"Two")"));
  EXPECT_EQ(get().body, R"({"muted":true,"volume":0.5})");
}

}  // namespace
}  // namespace svc::rules::customizations
