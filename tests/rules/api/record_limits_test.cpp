// api-N15: a record has a limit; an earlier version's larger record can become smaller.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::record_limits {
namespace {

class RecordLimits : public WithApi {
 protected:
  static constexpr const char* kFilm = "largefilm01";
  static constexpr const char* kKey = "catalog:media:largefilm01";
  static inline const std::string kPath = "/v1/medias/largefilm01";
  static inline const std::string kSettings = "/settings/accounts/1001";
  static inline const std::string kPage = kSettings + "/media/largefilm01";

  void SetUp() override {
    token_ = token_of("all:all");
    stores().import(
        R"({"kind":"media","id":"largefilm01","account_id":1001,"type":"Video","name":"A film",)"
        R"("description":"short","status":"ready","created":"2026-01-05T09:00:00Z",)"
        R"("updated":"2026-01-05T09:00:00Z","assets":[]})"
        "\n");
    browser_.log_in(501);
    site_.listen();
  }
  Answer send(const std::string& line, const std::string& body) {
    return ask(Ask(line)
                   .with("Authorization", "Bearer " + token_)
                   .with("Content-Type", "application/json")
                   .with_body(body));
  }
  int read(const std::string& path) { return send("GET " + path, "").status; }
  static std::string described(const std::string& text) {
    return R"({"description":")" + text + "\"}";
  }
  // As an earlier version stored it.
  void describe(const std::string& key, std::size_t bytes) {
    stores().edit(key, R"("description":"short")",
                  R"("description":")" + std::string(bytes, 'a') + "\"");
  }
  static std::string chapters_of(int count) {
    std::string file = "WEBVTT\n";
    for (int i = 0; i < count; ++i) {
      const std::string at = std::to_string(i / 50) + ":" + std::to_string(100 + i % 50).substr(1);
      file += "\n0" + at + ":00.000 --> 0" + at + ":01.000\n" + std::string(256, 'c') + "\n";
    }
    std::string json;
    text::json::ObjectWriter(json).string("chapters_file", file).end();
    return json;
  }

  std::string token_;
};

TEST_F(RecordLimits, ApiN15AMediaAboveItsLimitIsShownAndBecomesSmallerOnly) {
  std::string record(*stores().command({"GET", kKey}).text());
  record.insert(record.size() - 1,
                R"(,"customizations":{"stillUrl":")" + std::string(60'000, 'u') + "\"}");
  stores().command({"SET", kKey, record});
  EXPECT_EQ(read(kPath), 200);
  EXPECT_EQ(read("/v1/medias"), 200);
  EXPECT_EQ(browser_.ask(kPage).status, 200);
  const Answer longer = send("PUT " + kPath, R"({"name":"A longer name"})");
  EXPECT_EQ(longer.status, 422);
  EXPECT_TRUE(longer.has(R"("errors":{"name":["must be shorter: with it, the record has )"))
      << longer.body;
  const Answer form = browser_.ask(kPage + "/edit");
  const Answer refused = browser_.submit(form, kPage + "/edit", {{"name", "A longer name"}});
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.has(R"(id="name-problem")")) << refused.body;
  const std::string options = kPath + "/customizations";
  const Answer more = send("PUT " + options, R"({"playerColor":"ff0000"})");
  EXPECT_EQ(more.status, 422);
  EXPECT_TRUE(more.has(R"("errors":{"customizations":[)")) << more.body;
  EXPECT_EQ(stores().events("media.changed"), 0u) << "nothing has changed";
  EXPECT_EQ(send("PUT " + kPath, R"({"visibility":"private"})").status, 200) << "it can be closed";
  EXPECT_EQ(send("PUT " + kPath, R"({"name":"Short"})").status, 200);
  EXPECT_EQ(send("DELETE " + options, "").status, 204);
  EXPECT_EQ(send("PUT " + kPath, R"({"name":"A longer name"})").status, 200);
}

TEST_F(RecordLimits, ApiN15AProjectAboveItsLimitBecomesSmallerOnly) {
  const Answer made = send("POST /v1/projects", R"({"name":"Fine","description":"short"})");
  const std::string id = member(made, "hashedId");
  const std::string path = "/v1/projects/" + id;
  describe("catalog:project:" + id, 60'000);
  EXPECT_EQ(read(path), 200);
  EXPECT_EQ(read("/v1/projects"), 200);
  const Answer longer = send("PUT " + path, R"({"name":"A longer name"})");
  EXPECT_EQ(longer.status, 422);
  EXPECT_TRUE(longer.has(R"("errors":{"name":["must be shorter)")) << longer.body;
  EXPECT_EQ(send("PUT " + path, R"({"name":"F"})").status, 200);
  EXPECT_EQ(send("PUT " + path, described("short")).status, 200);
}

TEST_F(RecordLimits, ApiN15WhoMayWatchAnAccountAboveItsLimitCanBeChanged) {
  const std::string key = "catalog:account:1001";
  std::string record(*stores().command({"GET", key}).text());
  const auto set = [&record](const std::string& field, const std::string& value) {
    const std::size_t at = record.find("\"" + field + "\":\"") + field.size() + 4;
    record.replace(at, record.find('"', at) - at, value);
  };
  set("name", std::string(2048, '<'));  // written with six bytes each
  set("url", "https://acme.example/?" + std::string(2000, '&'));
  record.insert(record.size() - 1, R"(,"allowed_domains":["one.example","two.example"])");
  stores().command({"SET", key, record});
  EXPECT_EQ(read("/v1/account"), 200);
  EXPECT_EQ(browser_.ask(kSettings + "/sites").status, 200);
  const std::string domains = "/v1/allowed_domains";
  EXPECT_EQ(send("POST " + domains, R"({"domain":"three.example"})").status, 201);
  EXPECT_EQ(send("DELETE " + domains + "/one.example", "").status, 204);
}

TEST_F(RecordLimits, ApiN15AnApplicationAboveItsLimitBecomesSmallerOnly) {
  const std::string key = "oauth:client:demo-client-0003";
  const std::string record(*stores().command({"GET", key}).text());
  const std::size_t at = record.find(R"("description":")") + 15;
  const std::size_t end = record.find('"', at);
  stores().command(
      {"SET", key, record.substr(0, at) + std::string(50'000, 'd') + record.substr(end)});
  const std::string page = kSettings + "/applications/demo-client-0003";
  EXPECT_EQ(browser_.ask(kSettings + "/applications").status, 200);
  EXPECT_EQ(browser_.ask(page).status, 200);
  const Answer form = browser_.ask(page + "/edit");
  ASSERT_EQ(form.status, 200);
  const Answer sent = browser_.submit(form, page + "/edit", {{"description", "short"}});
  EXPECT_EQ(sent.status, 303) << sent.body;
}

TEST_F(RecordLimits, ApiN15TitlesOfChaptersHaveALimitTogether) {
  const std::string chapters = kPath + "/chapters";
  EXPECT_EQ(send("PUT " + chapters, chapters_of(60)).status, 200);
  const Answer refused = send("PUT " + chapters, chapters_of(65));
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.has(
      R"("errors":{"chapters_file":["must have titles of at most 16384 bytes together in JSON)"))
      << refused.body;
  const Answer form = browser_.ask(kPage + "/chapters");
  Ask::Fields fields;
  for (int i = 61; i < 70; ++i) {
    fields.emplace_back("time-" + std::to_string(i), std::to_string(i) + ":30");
    fields.emplace_back("title-" + std::to_string(i), std::string(256, 'd'));
  }
  const Answer shown = browser_.submit(form, kPage + "/chapters", fields);
  EXPECT_EQ(shown.status, 422);
  EXPECT_TRUE(shown.has("The chapters must have titles of at most 16384 bytes")) << shown.body;
  EXPECT_EQ(send("PUT " + chapters, chapters_of(64)).status, 200) << "exactly 16 KiB";
}

// Options, links and captions add up.
TEST_F(RecordLimits, ApiN15TheFieldThatGrowsIsNamed) {
  stores().command({"DEL", kKey});
  stores().import(
      R"({"kind":"media","id":"largefilm01","account_id":1001,"type":"Video","name":"A film",)"
      R"("description":")" +
      std::string(32'000, 'a') +
      R"(","status":"ready","created":"2026-01-05T09:00:00Z",)"
      R"("updated":"2026-01-05T09:00:00Z","assets":[]})"
      "\n");
  const std::string file = R"("caption_file":"1\n00:00:00,000 --> 00:00:04,000\nx\n"})";
  int status = 201;
  const std::vector<std::string> languages{"de", "fr", "it", "es", "pt", "nl", "da", "sv"};
  Answer told;
  for (std::size_t i = 0; i < languages.size() && status < 300; ++i) {
    told = send("POST " + kPath + "/captions", R"({"language":")" + languages[i] + R"(",)" + file);
    status = told.status;
  }
  EXPECT_EQ(status, 422) << told.body;
  EXPECT_TRUE(told.has(R"("errors":{"captions":[)")) << told.body;
  EXPECT_EQ(read(kPath), 200);
}

}  // namespace
}  // namespace svc::rules::record_limits
