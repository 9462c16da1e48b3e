// api.md: captions that applications set, read and delete.
#include <gtest/gtest.h>

#include "captions/file.h"
#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::caption_rules {
namespace {

constexpr const char* kSrt =
    "1\n00:00:01,000 --> 00:00:02,500\nHello <b>you</b> & me\n\n"
    "2\n00:00:03,000 --> 00:00:04,000\nSecond line\n";

class ApiCaptions : public WithApi {
 protected:
  explicit ApiCaptions(std::vector<std::string> settings = {}) : WithApi(std::move(settings)) {}
  void SetUp() override {
    token_ = token_of("all:all");
    put(media("captioned01"));
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Answer get(const std::string& path) { return ask(with_token(Ask(path))); }
  static std::string quoted(std::string_view text) {
    std::string out;
    text::json::append_string(out, text);
    return out;
  }
  Ask sending(const std::string& line, const std::string& body) const {
    return with_token(Ask(line).with("Content-Type", "application/json").with_body(body));
  }
  Answer post(const std::string& language, std::string_view text = kSrt,
              const std::string& id = "captioned01") {
    return ask(
        sending("POST /v1/medias/" + id + "/captions",
                R"({"language":)" + quoted(language) + R"(,"caption_file":)" + quoted(text) + "}"));
  }
  Answer replace(const std::string& language, std::string_view text) {
    return ask(sending("PUT /v1/medias/captioned01/captions/" + language,
                       R"({"caption_file":)" + quoted(text) + "}"));
  }
  Answer remove(const std::string& language) {
    return ask(with_token(Ask("DELETE /v1/medias/captioned01/captions/" + language)));
  }
  static Ask multipart(const Ask& ask, const std::string& fields) {
    return ask.with("Content-Type", "multipart/form-data; boundary=b")
        .with_body(fields + "--b--\r\n");
  }
  static std::string file_part(std::string_view bytes) {
    return "--b\r\nContent-Disposition: form-data; name=\"caption_file\"; "
           "filename=\"x.srt\"\r\n\r\n" +
           std::string(bytes) + "\r\n";
  }
  static std::string field_part(const std::string& name, std::string_view value) {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" +
           std::string(value) + "\r\n";
  }
  Answer post_file(const std::string& language, std::string_view bytes) {
    return ask(multipart(with_token(Ask("POST /v1/medias/captioned01/captions")),
                         field_part("language", language) + file_part(bytes)));
  }
  // The path and query of the URL of captions in the data for players.
  std::string file_of(const std::string& language, const std::string& id = "captioned01") {
    const std::string data = ask(Ask("/embed/medias/" + id + ".json")).body;
    const std::size_t at = data.find("/embed/medias/" + id + "/captions/" + language + ".vtt?v=");
    return at == std::string::npos ? "" : data.substr(at, data.find('"', at) - at);
  }
  std::int64_t texts(const std::string& id = "captioned01") {
    return stores().command({"HLEN", "catalog:captions:" + id}).integer();
  }

  std::string token_;
};

TEST_F(ApiCaptions, ApiC4ChaptersAreOneFileOfAMedia) {
  const std::string path = "/v1/medias/captioned01/chapters";
  const auto set = [&](std::string_view text) {
    return ask(sending("PUT " + path, R"({"chapters_file":)" + quoted(text) + "}"));
  };
  EXPECT_EQ(get(path).body, R"({"text":""})");
  const Answer stored =
      set("WEBVTT\n\n00:00.000 --> 00:04.000\nThe <b>start</b>\nof it\n\n"
          "00:04.500 --> 00:06.000\nEnd & more\n");
  EXPECT_EQ(stored.status, 200) << stored.body;
  for (const char* part : {"WEBVTT", "00.000 ", "04.500", "The start of it", "End &amp; more"})
    EXPECT_NE(member(stored, "text").find(part), std::string::npos) << part << stored.body;
  EXPECT_EQ(get(path).body, stored.body);
  EXPECT_EQ(set(kSrt).status, 200) << "SRT, too";
  EXPECT_EQ(ask(multipart(with_token(Ask("PUT " + path)),
                          "--b\r\nContent-Disposition: form-data; name=\"chapters_file\"; "
                          "filename=\"c.vtt\"\r\n\r\n" +
                              std::string(kSrt) + "\r\n"))
                .status,
            200)
      << "a file of a form";
  EXPECT_EQ(set("WEBVTT\n\n00:00.000 --> 00:04.000\nThe <b>start</b>\nof it\n\n"
                "00:04.500 --> 00:06.000\nEnd & more\n")
                .status,
            200);
  site_.pass(60);
  EXPECT_TRUE(ask(Ask("/embed/medias/captioned01.json"))
                  .has(R"("chapters":[{"at":0,"title":"The start of it"},{"at":4.5,)"));
  EXPECT_EQ(stores().events("media.changed"), 3u);
  for (const char* wrong : {"", "WEBVTT\n\n", "no captions",
                            "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\n00:01.000 --> 00:02.000\nb\n"})
    EXPECT_EQ(set(wrong).status, 422) << wrong;
  std::string many = "WEBVTT\n\n";
  for (int i = 0; i < 201; ++i)
    many += "0" + std::to_string(i / 60) + ":" + (i % 60 < 10 ? "0" : "") + std::to_string(i % 60) +
            ".000 --> 09:00.000\nx\n\n";
  EXPECT_TRUE(set(many).has("at most 200 chapters"));
  const Answer late =
      ask(sending("PUT " + path, R"({"chapters_file":"WEBVTT"})").with("If-Match", "\"other\""));
  EXPECT_EQ(late.status, 412) << "before the file, which has no chapters";
  EXPECT_EQ(ask(with_token(Ask("DELETE " + path)).with("If-Match", "\"other\"")).status, 412);
  EXPECT_EQ(ask(with_token(Ask("DELETE " + path))).status, 204);
  EXPECT_EQ(get(path).body, R"({"text":""})");
  EXPECT_EQ(get("/v1/medias/unknown000/chapters").status, 404);
}

TEST_F(ApiCaptions, PagesW89AMediaPageHasTheTranscriptAndLinksToPositions) {
  const std::string page = "/medias/captioned01";
  EXPECT_FALSE(ask(Ask(page)).has("Transcript"));
  ASSERT_EQ(post("de",
                 "1\n00:00:01,000 --> 00:00:02,500\nEins & <b>zwei</b>\n\n"
                 "2\n00:00:03,000 --> 00:00:04,000\ndrei\n\n"
                 "3\n00:01:02,000 --> 00:01:04,000\n<script>\n")
                .status,
            201);
  site_.pass(60);
  const Answer whole = ask(Ask(page));
  EXPECT_TRUE(
      whole.has("<div class=\"transcript\" lang=\"de\">"
                "<p dir=\"auto\"><a href=\"?time=1\">0:01</a> <span data-at=\"1000\">Eins &amp; "
                "zwei</span> <span data-at=\"3000\">drei</span></p>\n"
                "<p dir=\"auto\"><a href=\"?time=62\">1:02</a> <span data-at=\"62000\">"))
      << whole.body;
  EXPECT_FALSE(whole.has("<script>\n"));
  struct Position {
    std::string query;
    std::string seconds;  // "": none
    std::string shown;
  };
  for (const Position& position : std::vector<Position>{{"?time=42", "42", "0:42"},
                                                        {"?time=1%3A02", "62", "1:02"},
                                                        {"?utm=x&time=1:00:05", "3605", "1:00:05"},
                                                        {"?time=0", "", "0:00"},
                                                        {"?time=1m30s", "", "0:00"},
                                                        {"?time=-1", "", "0:00"},
                                                        {"?time=9999999", "", "0:00"},
                                                        {"?time=75", "75", "1:15"},
                                                        {"?time=0:75", "", "0:00"},
                                                        {"?time=1:1:1:1", "", "0:00"},
                                                        {"?time=%22%3E", "", "0:00"},
                                                        {"", "", "0:00"}}) {
    SCOPED_TRACE(position.query);
    const Answer shared = ask(Ask(page + position.query));
    EXPECT_EQ(shared.status, 200);
    const std::string start = position.seconds.empty() ? "" : "?time=" + position.seconds;
    EXPECT_TRUE(shared.has("/embed/iframe/captioned01" + start + "\" title=")) << shared.body;
    EXPECT_TRUE(shared.has("/medias/captioned01" + start + "\" readonly")) << "the link";
    EXPECT_TRUE(shared.has("/embed/iframe/captioned01" + start + "&quot; title=")) << "the code";
    EXPECT_TRUE(shared.has("name=\"time\" value=\"" + position.shown + "\""));
    EXPECT_TRUE(shared.has("<link rel=\"canonical\" href=\"")) << shared.body;
    EXPECT_FALSE(
        shared.has("rel=\"canonical\" href=\"https://embed.svc.example:8443/medias/captioned01?"));
  }
}

TEST_F(ApiCaptions, ApiC3AreAddedInALanguage) {
  const Answer added = post("ger");
  EXPECT_EQ(added.status, 201) << added.body;
  EXPECT_TRUE(
      std::string(added.header("Location")).ends_with("/v1/medias/captioned01/captions/de"));
  EXPECT_EQ(member(added, "language"), "deu");
  EXPECT_EQ(member(added, "english_name"), "German");
  EXPECT_EQ(member(added, "native_name"), "Deutsch");
  EXPECT_EQ(member(added, "media_id"), "none");
  EXPECT_TRUE(added.has(R"("is_draft":false)"));
  EXPECT_TRUE(
      member(added, "text").starts_with("1\n00:00:01,000 --> 00:00:02,500\nHello <b>you</b>"))
      << added.body;
  for (const char* language : {"de", "deu", "ger", "DE", "de.json"})
    EXPECT_EQ(get("/v1/medias/captioned01/captions/" + std::string(language)).body, added.body)
        << language;
  EXPECT_EQ(get("/v1/medias/captioned01/captions").body, "[" + added.body + "]");
  EXPECT_EQ(post("deu").status, 409);
  EXPECT_TRUE(post("deu").has("PUT replaces them"));
  EXPECT_EQ(post("pt-br").status, 201);
  EXPECT_EQ(member(get("/v1/medias/captioned01/captions/pt-BR"), "language"), "pt-BR");
}

TEST_F(ApiCaptions, ApiC3ARepeatedTryOfARequestIsTheSame) {
  const Ask once = sending("POST /v1/medias/captioned01/captions",
                           R"({"language":"de","caption_file":)" + quoted(kSrt) + "}");
  site_.request_id = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(ask(once).status, 201);
  EXPECT_EQ(ask(once).status, 201);
  EXPECT_EQ(texts(), 1);
  EXPECT_EQ(stores().events("captions.changed"), 1u);
}

TEST_F(ApiCaptions, ApiC3TakeAFileAFormOrJson) {
  EXPECT_EQ(post_file("de", kSrt).status, 201);
  EXPECT_EQ(ask(with_token(Ask("POST /v1/medias/captioned01/captions"))
                    .with_form({{"language", "en"}, {"caption_file", kSrt}}))
                .status,
            201);
  EXPECT_EQ(ask(multipart(with_token(Ask("POST /v1/medias/captioned01/captions")),
                          field_part("caption_file", kSrt) + field_part("language", "fr")))
                .status,
            201);
  const std::string text = member(get("/v1/medias/captioned01/captions/de"), "text");
  for (const char* language : {"en", "fr"})
    EXPECT_EQ(member(get("/v1/medias/captioned01/captions/" + std::string(language)), "text"),
              text);
}

std::string srt_of(std::size_t bytes) {
  std::string srt;
  for (int i = 0; srt.size() < bytes; ++i) {
    const std::string digits = std::to_string(1000 + i % 9000).substr(1);
    srt += std::to_string(i + 1) + "\n0" + std::to_string(i / 3600 % 10) + ":" +
           std::to_string(10 + i / 60 % 50) + ":" + std::to_string(10 + i % 50) + "," + digits +
           " --> 09:59:59,000\n" + std::string(80, static_cast<char>('a' + i % 26)) + "\n\n";
  }
  srt.resize(bytes);
  return srt;
}

TEST_F(ApiCaptions, ApiC3TakeTwoMebibytesAndNoMore) {
  const std::string largest = srt_of(captions::kMaxFileBytes);
  EXPECT_EQ(post_file("de", largest).status, 201);
  EXPECT_EQ(ask(multipart(with_token(Ask("POST /v1/medias/captioned01/captions")),
                          field_part("caption_file", largest) + field_part("language", "fr")))
                .status,
            201);
  EXPECT_EQ(post("en", largest).status, 201);
  EXPECT_EQ(get("/v1/medias/captioned01/captions/en.srt").body,
            get("/v1/medias/captioned01/captions/de.srt").body);
  EXPECT_EQ(ask(Ask(file_of("en"))).body, get("/v1/medias/captioned01/captions/en.vtt").body);
  for (const Answer& answer : {post_file("es", largest + "x"), post("es", largest + "x"),
                               post("es", std::string(4 << 20, 'a'))}) {
    EXPECT_EQ(answer.status, 413);
    EXPECT_TRUE(answer.has("too_large")) << answer.body;
  }
}

TEST_F(ApiCaptions, ApiC2ComeInFourFormats) {
  post("de");
  const std::string path = "/v1/medias/captioned01/captions/de";
  const std::string srt = member(get(path), "text");
  const std::string vtt =
      "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello <b>you</b> &amp; me\n\n"
      "00:00:03.000 --> 00:00:04.000\nSecond line\n";
  const std::string text = "Hello you & me\nSecond line\n";
  struct Case {
    std::string suffix, accept, type, body;
  };
  const std::string json = get(path).body;
  const std::string json_type = "application/json; charset=utf-8";
  for (const Case& c : {
           Case{".srt", "", "text/plain; charset=utf-8", srt},
           Case{".vtt", "", "text/vtt; charset=utf-8", vtt},
           Case{".txt", "", "text/plain; charset=utf-8", text},
           Case{".json", "text/vtt", json_type, json},
           Case{".vtt", "application/json", "text/vtt; charset=utf-8", vtt},
           Case{"", "text/vtt", "text/vtt; charset=utf-8", vtt},
           Case{"", "application/x-subrip", "application/x-subrip", srt},
           Case{"", "text/plain", "text/plain; charset=utf-8", text},
           Case{"", "text/html, */*;q=0.8", json_type, json},
           Case{"", "*/*;q=0.1, TEXT/VTT;q=0.5", "text/vtt; charset=utf-8", vtt},
           Case{"", "text/vtt;q=0, image/png", json_type, json},
           Case{"", "text/vtt;q=abc,;;,", "text/vtt; charset=utf-8", vtt},
           Case{"", "", json_type, json},
       }) {
    const Answer answer = ask(with_token(Ask(path + c.suffix).with("Accept", c.accept)));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.type, c.type) << c.suffix << " " << c.accept;
    EXPECT_EQ(answer.body, c.body) << c.suffix << " " << c.accept;
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
    if (c.suffix.empty()) {
      EXPECT_EQ(answer.header("Vary"), "Accept");
    }
  }
  for (const char* none : {"fr", "fr.vtt", "de.xml", "de.vtt.vtt", "d%20e", ".vtt", "qqqqqqqqqq"})
    EXPECT_EQ(get("/v1/medias/captioned01/captions/" + std::string(none)).status, 404) << none;
}

TEST_F(ApiCaptions, ApiC3PlayersShowThemImmediatelyAndFromANewAddress) {
  site_.listen();
  EXPECT_EQ(file_of("de"), "");
  post("de");
  const std::string first = file_of("de");
  ASSERT_NE(first, "");
  const Answer file = ask(Ask(first));
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.type, "text/vtt; charset=utf-8");
  EXPECT_EQ(file.header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(file.body, get("/v1/medias/captioned01/captions/de.vtt").body);
  EXPECT_TRUE(
      ask(Ask("/embed/medias/captioned01.json")).has(R"("label":"Deutsch","default":false)"));
  EXPECT_TRUE(get("/v1/medias/captioned01").has(R"("type":"captions","url":")"));
  EXPECT_TRUE(get("/v1/medias/captioned01").has(first));
  EXPECT_EQ(replace("de", "00:01 --> 00:02\nNew words\n").status, 200);
  const std::string second = file_of("de");
  EXPECT_NE(second, first);
  EXPECT_TRUE(ask(Ask(second)).has("New words"));
  for (const std::string& old : {first, first.substr(0, first.find('?')), first + "1"}) {
    const Answer moved = ask(Ask(old));
    EXPECT_EQ(moved.status, 302) << old;
    EXPECT_TRUE(std::string(moved.header("Location")).ends_with(second)) << old;
  }
  EXPECT_EQ(texts(), 1);
  EXPECT_EQ(remove("de").status, 204);
  EXPECT_EQ(file_of("de"), "");
  EXPECT_EQ(ask(Ask(second)).status, 404);
  EXPECT_EQ(texts(), 0);
}

TEST_F(ApiCaptions, ApiC3OfAMediaEndWithIt) {
  post("de");
  const std::string file = file_of("de");
  EXPECT_EQ(ask(with_token(Ask("DELETE /v1/medias/captioned01"))).status, 204);
  EXPECT_EQ(stores().command({"EXISTS", "catalog:captions:captioned01"}).integer(), 0);
  EXPECT_EQ(stores().command({"ZCARD", "catalog:captioned:1001"}).integer(), 0);
  EXPECT_EQ(post("de").status, 404);
}

TEST_F(ApiCaptions, ApiN8AreEventsOfTheAuditTrail) {
  post("de");
  post("de");
  replace("de", kSrt);
  EXPECT_EQ(stores().events("captions.changed 502 media captioned01 de"), 1u);
  replace("de", "00:01 --> 00:02\nNew\n");
  EXPECT_EQ(stores().events("captions.changed 502 media captioned01 de"), 2u);
  remove("de");
  remove("de");
  EXPECT_EQ(stores().events("captions.deleted 502 media captioned01 de"), 1u);
}

TEST_F(ApiCaptions, ApiN6HaveTagsThatGuardChanges) {
  post("de");
  const std::string path = "/v1/medias/captioned01/captions/de";
  const std::string tag(get(path).header("ETag"));
  const std::string vtt(get(path + ".vtt").header("ETag"));
  EXPECT_NE(tag, vtt);
  EXPECT_EQ(ask(with_token(Ask(path).with("If-None-Match", tag))).status, 304);
  const auto put_if = [&](const std::string& condition, const std::string& words) {
    return ask(sending("PUT " + path, R"({"caption_file":"00:01 --> 00:02\n)" + words + "\"}")
                   .with("If-Match", condition));
  };
  EXPECT_EQ(put_if("\"other\"", "a").status, 412);
  const Answer changed = put_if(tag, "b");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.header("ETag"), get(path).header("ETag"));
  EXPECT_EQ(put_if(tag, "c").status, 412);
  EXPECT_EQ(put_if(std::string(get(path + ".srt").header("ETag")), "d").status, 200);
  EXPECT_EQ(put_if("*", "e").status, 200);
  EXPECT_EQ(ask(with_token(Ask("DELETE " + path).with("If-Match", tag))).status, 412);
  EXPECT_TRUE(get(path).has("e"));
}

TEST_F(ApiCaptions, ApiC3TwoSimultaneousChangesEndAsEitherOfThem) {
  site_.listen();
  const auto words = [&](const std::string& text) {
    return sending("PUT /v1/medias/captioned01/captions/de",
                   R"({"caption_file":"00:01 --> 00:02\n)" + text + "\"}");
  };
  const auto adds =
      site_.ask_at_once({sending("POST /v1/medias/captioned01/captions",
                                 R"({"language":"de","caption_file":"00:01 --> 00:02\none"})"),
                         sending("POST /v1/medias/captioned01/captions",
                                 R"({"language":"deu","caption_file":"00:01 --> 00:02\ntwo"})")});
  EXPECT_EQ(adds[0].status + adds[1].status, 201 + 409);
  EXPECT_EQ(texts(), 1);
  for (int i = 0; i < 10; ++i) {
    const auto both = site_.ask_at_once({words("three"), words("four"), words("three")});
    for (const Answer& answer : both) EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(texts(), 1);
    EXPECT_EQ(ask(Ask(file_of("de"))).status, 200);
    site_.ask_at_once(
        {words("five"), with_token(Ask("DELETE /v1/medias/captioned01/captions/de"))});
    if (get("/v1/medias/captioned01/captions/de").status == 404) {
      EXPECT_EQ(texts(), 0);
      post("de");
    }
  }
}

TEST_F(ApiCaptions, ApiC3TextsThatACrashLeftAreRemovedLater) {
  stores().command(
      {"HSET", "catalog:captions:captioned01", "000000010123456789abcdef00000001", "0x"});
  post("de");
  EXPECT_EQ(texts(), 1);
}

TEST_F(ApiCaptions, ApiC3RefuseOtherFiles) {
  const std::string script = "00:01 --> 00:02\n<script>alert(1)</script><b onclick=x>&lt;i&gt;\n";
  const auto sized = [](std::size_t cues) {
    std::string all;
    for (std::size_t i = 0; i < cues; ++i) all += "0:1-->0:2\na\n\n";
    return all;
  };
  std::string utf16("\xff\xfe", 2);
  for (const char c : std::string_view("00:01 --> 00:02\nA\n")) utf16.append({c, '\0'});
  for (const auto& [name, bytes, status, has] :
       std::vector<std::tuple<std::string, std::string, int, std::string>>{
           {"Latin-1", "00:01 --> 00:02\nZw\xf6lf\n", 422,
            "UTF-8, or UTF-16 or UTF-32 with a byte order mark"},
           {"empty", "", 422, "have a cue with a text"},
           {"no captions", "{\\rtf1}", 422, "must be SRT or WebVTT"},
           {"only a head", "WEBVTT\n\n", 422, "have a cue with a text"},
           {"a picture", std::string("\x89PNG\r\n\x1a\n\0", 9), 422, "UTF-8"},
           {"half a UTF-16", utf16 + "x", 422, "UTF-16"},
           {"too many cues", sized(100'001), 422, "100000 cues"},
           {"a long cue", "00:01 --> 00:02\n" + std::string(9000, 'a'), 422, "8192 bytes"},
           {"negative", "-00:00:05,000 --> -00:00:01,000\nA\n", 422, "have a cue"},
           {"UTF-16", utf16, 201, ""},
       }) {
    const Answer answer = post_file("de", bytes);
    EXPECT_EQ(answer.status, status) << name << answer.body;
    EXPECT_TRUE(answer.has(has)) << name << answer.body;
    if (status == 422) {
      EXPECT_TRUE(answer.has(R"("caption_file":[)")) << name;
    }
  }
  EXPECT_EQ(replace("de", script).status, 200);
  const std::string shown = ask(Ask(file_of("de"))).body;
  EXPECT_EQ(shown.find("<script"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("onclick=x>"), std::string::npos) << shown;
  EXPECT_FALSE(get("/v1/medias/captioned01/captions/de").has("<"));
}

TEST_F(ApiCaptions, ApiN7RefuseWrongFields) {
  const auto with = [&](const std::string& body) {
    return ask(sending("POST /v1/medias/captioned01/captions", body));
  };
  std::string doubles = R"("z":0)";
  for (int i = 0; i < 100'000; ++i)
    doubles += R"(,"a)" + std::to_string(i) + R"(":0,"a)" + std::to_string(i) + R"(":0)";
  for (const auto& [body, status, has] : std::vector<std::tuple<std::string, int, std::string>>{
           {R"({"caption_file":"00:01 --> 00:02\na"})", 422, R"("language":["is required"])"},
           {R"({"language":"de"})", 422, R"("caption_file":["is required"])"},
           {R"({"language":"de","caption_file":7})", 422, R"("caption_file":["must be a string"])"},
           {R"({"language":"Deutsch, bitte","caption_file":"00:01 --> 00:02\na"})", 422, "BCP 47"},
           {R"({"language":"xx-unknown","caption_file":"00:01 --> 00:02\na"})", 422,
            "or a tag of BCP 47, such as en or pt-BR; xx is not registered"},
           {R"({"language":["de"],"caption_file":""})", 422, R"("language":["must be a string"])"},
           {"[]", 400, "JSON object"},
           // As deep and as many as a body of this size can have.
           {R"({"x":)" + std::string(1'400'000, '[') + std::string(1'400'000, ']') + "}", 400,
            "deeper than 32 levels"},
           {"{" + doubles + "}", 422, "is given twice"},
       }) {
    EXPECT_EQ(with(body).status, status) << body;
    EXPECT_TRUE(with(body).has(has)) << with(body).body;
  }
  EXPECT_EQ(ask(with_token(Ask("POST /v1/medias/captioned01/captions")
                               .with("Content-Type", "text/vtt")
                               .with_body("WEBVTT")))
                .status,
            415);
  EXPECT_EQ(replace("de", kSrt).status, 404);
  EXPECT_EQ(texts(), 0);
  EXPECT_EQ(stores().events("captions."), 0u);
}

TEST_F(ApiCaptions, ApiC1AreListedByPages) {
  put(media("captioned02"));
  post("de");
  post("en");
  post("fr", kSrt, "captioned02");
  const Answer all = get("/v1/captions?media_id=captioned02");
  EXPECT_TRUE(all.has(R"("media_id":"captioned02","language":"fra")")) << all.body;
  EXPECT_FALSE(all.has("captioned01"));
  EXPECT_EQ(get("/v1/captions?media_id=none").body, "[]");
  EXPECT_EQ(get("/v1/captions?media_id=n-ne").body, "[]");
  // The catalog of the demonstration has captions too, with an address only.
  EXPECT_TRUE(get("/v1/captions?media_id=l4unchf1lm").has(R"("text":null)"));
  std::string walked;
  std::string next = "/v1/captions?per_page=2";
  for (int i = 0; i < 20 && !next.empty(); ++i) {
    const Answer page = get(next);
    walked += page.body;
    const std::string link(page.header("Link"));
    const std::size_t end = link.find(">; rel=\"next\"");
    next = end == std::string::npos ? "" : link.substr(link.find("/v1/"), end - link.find("/v1/"));
  }
  const std::string whole = get("/v1/captions").body;
  for (std::size_t at = walked.find("]["); at != std::string::npos; at = walked.find("]["))
    walked.replace(at, 2, ",");
  EXPECT_EQ(walked, whole);
  EXPECT_EQ(get("/v1/captions?per_page=101").status, 400);
  EXPECT_EQ(get("/v1/medias/captioned01/captions?per_page=1&page=2").body.find("deu"),
            std::string::npos);
  EXPECT_EQ(get("/v1/medias/nosuchmedia/captions").status, 404);
}

TEST_F(ApiCaptions, ApiC1OfSeveralInALanguageTheDefaultOnesAreMeant) {
  media::Media many = media("captioned03");
  many.captions = {{"/d/1.vtt", "en", "One", false},
                   {"/d/2.vtt", "eng", "Two", true},
                   {"/d/3.vtt", "EN", "Three", false}};
  put(many);
  const std::string path = "/v1/medias/captioned03/captions/en";
  EXPECT_EQ(member(get(path), "text"), "null");
  EXPECT_EQ(get(path + ".vtt").status, 404);
  EXPECT_EQ(ask(with_token(Ask(path).with("Accept", "text/vtt"))).type,
            "application/json; charset=utf-8");
  EXPECT_EQ(ask(sending("PUT " + path, R"({"caption_file":"00:01 --> 00:02\nNew"})")).status, 200);
  const std::string data = ask(Ask("/embed/medias/captioned03.json")).body;
  EXPECT_NE(data.find(R"("label":"Two","default":true)"), std::string::npos) << data;
  EXPECT_EQ(data.find("/d/2.vtt"), std::string::npos);
  EXPECT_NE(data.find("/d/1.vtt"), std::string::npos);
}

TEST_F(ApiCaptions, ApiN1NeedScopesAndTheAccount) {
  post("de");
  token_ = token_of("media:read");
  EXPECT_EQ(get("/v1/medias/captioned01/captions/de").status, 200);
  EXPECT_EQ(get("/v1/captions").status, 200);
  EXPECT_EQ(post("en").status, 403);
  EXPECT_EQ(replace("de", kSrt).status, 403);
  EXPECT_EQ(remove("de").status, 403);
  token_ = token_of("media:upload");
  EXPECT_EQ(get("/v1/medias/captioned01/captions").status, 403);
  token_ = token_of("all:all", "1002");
  EXPECT_EQ(get("/v1/medias/captioned01/captions/de").status, 404);
  EXPECT_EQ(get("/v1/captions?media_id=captioned01").body, "[]");
  EXPECT_EQ(post("en").status, 404);
  EXPECT_EQ(replace("de", "00:01 --> 00:02\nx").status, 404);
  EXPECT_EQ(remove("de").status, 404);
  EXPECT_EQ(ask(Ask("OPTIONS /v1/medias/captioned01/captions/de")).header("Allow"),
            "GET, HEAD, PUT, DELETE");
}

TEST_F(ApiCaptions, ApiN11SurviveAnImport) {
  const auto line = [](const std::string& captions) {
    return R"({"kind":"media","id":"captioned01","account_id":1001,"type":"Video","name":"Imported","description":"",)"
           R"("status":"ready","duration":9,"width":640,"height":360,"player_color":"","created":"2026-01-05T09:00:00Z",)"
           R"("updated":"2026-01-06T09:00:00Z","assets":[)" +
           captions + "]}\n";
  };
  site_.listen();
  post("de");
  const std::string file = file_of("de");
  stores().import(line(
      R"({"type":"captions","url":"/d/de.vtt","language":"deu","label":"German","default":false},)"
      R"({"type":"captions","url":"/d/en.vtt","language":"en","label":"Deutsch","default":true})"));
  EXPECT_EQ(member(get("/v1/medias/captioned01"), "name"), "Imported");
  EXPECT_EQ(file_of("de"), file);
  EXPECT_EQ(ask(Ask(file)).status, 200);
  const std::string data = ask(Ask("/embed/medias/captioned01.json")).body;
  EXPECT_EQ(data.find("/d/de.vtt"), std::string::npos) << data;
  EXPECT_NE(data.find("\"label\":\"Deutsch (de)\""), std::string::npos) << data;
  stores().import(line(""));
  EXPECT_EQ(ask(Ask("/embed/medias/captioned01.json")).body.find("/d/en.vtt"), std::string::npos);
  EXPECT_EQ(file_of("de"), file);
  EXPECT_THROW(stores().import(line(R"({"type":"captions","url":")" + file +
                                    R"(","language":"fr","label":"F","default":false})")),
               std::exception);
}

// A film of many hours: reading it takes long, so an account has few of these requests at a time.
std::string long_srt(std::size_t bytes, const std::string& words) {
  std::string srt;
  for (int i = 0; srt.size() < bytes; ++i) {
    const std::string minute = std::to_string(100 + i / 10 % 60).substr(1);
    const std::string hour = std::to_string(100 + i / 600).substr(1);
    const std::string second = std::to_string(100 + i % 10 * 6).substr(1);
    srt += std::to_string(i + 1) + "\n" + hour + ":" + minute + ":" + second + ",000 --> " + hour +
           ":" + minute + ":" + second + ",900\n" + words + "\n\n";
  }
  return srt;
}

TEST_F(ApiCaptions, ApiC5LongCaptionsOfOneAccountLeaveRoomForOthers) {
  ASSERT_EQ(post("de", long_srt(1 << 20, std::string(200, 'w'))).status, 201);
  media::Media theirs = media("captioned02");
  theirs.account = {1002};
  put(theirs);
  const std::string other = token_of("all:all", "1002");
  const auto as_other = [&](const Ask& ask) {
    return ask.with("Authorization", "Bearer " + other);
  };
  ASSERT_EQ(ask(as_other(Ask("POST /v1/medias/captioned02/captions")
                             .with("Content-Type", "application/json")
                             .with_body(R"({"language":"de","caption_file":)" +
                                        quoted(long_srt(1 << 20, "words")) + "}")))
                .status,
            201);
  for (const std::string& path : std::vector<std::string>{
           "/v1/medias/captioned01/captions/de", "/v1/medias/captioned01/captions/de.srt",
           "/v1/medias/captioned01/captions", "/v1/captions"}) {
    std::vector<Ask> asks(12, with_token(Ask(path)));
    asks.push_back(as_other(Ask("/v1/medias/captioned02/captions/de")));
    const std::vector<Answer> answers = site_.ask_at_once(asks);
    EXPECT_EQ(answers.back().status, 200) << path << answers.back().body;
    int done = 0;
    for (std::size_t i = 0; i + 1 < answers.size(); ++i) {
      if (answers[i].status == 200) {
        ++done;
        EXPECT_TRUE(answers[i].has("wwww"));
        continue;
      }
      EXPECT_EQ(answers[i].status, 429) << answers[i].body.substr(0, 200);
      EXPECT_TRUE(answers[i].has(R"("error":"slow_down")"));
      EXPECT_EQ(answers[i].header("Retry-After"), "1");
    }
    EXPECT_GE(done, 2) << path;
    EXPECT_LT(done, 12) << path;
    EXPECT_EQ(get(path).status, 200) << "they have ended";
  }
  // Short ones are no such work.
  ASSERT_EQ(replace("de", kSrt).status, 200);
  for (const Answer& answer :
       site_.ask_at_once(with_token(Ask("/v1/medias/captioned01/captions/de")), 12))
    EXPECT_EQ(answer.status, 200);
}

TEST_F(ApiCaptions, ApiC5ALongBodyIsWorkAlsoIfItIsRefused) {
  const Ask broken = with_token(Ask("POST /v1/medias/captioned01/captions")
                                    .with("Content-Type", "application/json")
                                    .with_body("[" + std::string(1 << 20, '1')));
  int refused = 0;
  int later = 0;
  for (const Answer& answer : site_.ask_at_once(broken, 12)) {
    refused += answer.status == 400;
    later += answer.status == 429;
  }
  EXPECT_GE(refused, 2);
  EXPECT_GE(later, 1) << "the account has few of these at a time";
  EXPECT_EQ(refused + later, 12);
  EXPECT_EQ(ask(broken).status, 400) << "they have ended";
}

TEST_F(ApiCaptions, ApiC3TheLimitCountsWhatIsStored) {
  const Answer stored = post("de", long_srt(1 << 20, std::string(100, 'w')));
  EXPECT_EQ(stored.status, 201);
  // Each & is five bytes of WebVTT.
  const Answer told = post_file("en", long_srt((2 << 20) - 300, std::string(200, '&')));
  EXPECT_EQ(told.status, 422);
  EXPECT_TRUE(told.has("the captions have more than 4194304 bytes as WebVTT")) << told.body;
  EXPECT_EQ(texts(), 1);
}

TEST_F(ApiCaptions, ApiC3AreDeletedWhileTheStoreIsFull) {
  ASSERT_EQ(post("de", long_srt(1 << 16, std::string(100, 'w'))).status, 201);
  stores().command({"CONFIG", "SET", "maxmemory", "1"});
  const int refused = post("en").status;
  const int deleted = remove("de").status;
  stores().command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(refused, 503);
  EXPECT_EQ(deleted, 204);
  EXPECT_EQ(texts(), 0);
}

class FewCaptions : public ApiCaptions {
 protected:
  FewCaptions() : ApiCaptions({"--caption-bytes-per-account=200"}) {}
};

TEST_F(FewCaptions, ApiC3LimitTheBytesOfAnAccount) {
  EXPECT_EQ(post("de").status, 201);
  const Answer full = post("en");
  EXPECT_EQ(full.status, 507);
  EXPECT_TRUE(full.has("insufficient_storage"));
  EXPECT_EQ(texts(), 1);
  EXPECT_EQ(stores().events("captions.changed"), 1u) << "refused before the event";
  EXPECT_EQ(remove("de").status, 204);
  EXPECT_EQ(post("en").status, 201);
}

TEST_F(ApiCaptions, ApiC3AreAtMost64OfAMedia) {
  media::Media many = media("captioned04");
  for (int i = 0; i < 64; ++i)
    many.captions.push_back({"/d/1.vtt", "en", "One " + std::to_string(i), false});
  put(many);
  const Answer full = post("de", kSrt, "captioned04");
  EXPECT_EQ(full.status, 422);
  EXPECT_TRUE(full.has("64 captions")) << full.body;
}

}  // namespace
}  // namespace svc::rules::caption_rules
