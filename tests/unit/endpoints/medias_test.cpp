#include "endpoints/medias.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"
#include "fakes/fixed_entropy.h"
#include "fakes/headers.h"
#include "fakes/memory_catalog.h"
#include "fakes/memory_tokens.h"
#include "fakes/memory_uploads.h"
#include "http/router.h"
#include "text/json.h"

namespace svc {
namespace {

using fakes::header;
using http::Response;

class Medias : public testing::Test {
 protected:
  Medias() {
    media::Media full = fakes::example_video("full000001");
    full.description = "<p>Words</p>";
    full.project = media::ProjectId{"proj1"};
    media::Asset hls;
    hls.url = "/deliveries/full000001/index.m3u8";
    hls.bandwidth = 3000000;
    hls.average_bandwidth = 2000000;
    hls.size = media::Dimensions{1920, 1080};
    media::Asset mp4;
    mp4.type = media::AssetType::Mp4;
    mp4.url = "https://elsewhere.example/a.mp4";
    mp4.bandwidth = 1000000;
    full.assets = {hls, mp4};
    full.captions = {{"/deliveries/full000001/en.vtt", "en", "English", true}};
    full.storyboard = "/deliveries/full000001/storyboard.vtt";
    catalog_.add(full);
    media::Project project;
    project.id = {"proj1"};
    project.name = "Project one";
    catalog_.add(project);

    media::Media bare;
    bare.id = fakes::hashed_id("bare000001");
    bare.account = {1001};
    bare.type = "Audio";
    bare.name = "Bare";
    bare.status = media::Status::Queued;
    bare.created = bare.updated = "2026-03-01T10:00:00Z";
    catalog_.add(bare);

    media::Media foreign = fakes::example_video("foreign001");
    foreign.account = {1002};
    catalog_.add(foreign);
    router_.add("/v1/medias/*", medias_);
  }

  std::string token_for(std::string_view scopes) {
    const auto grant = oauth::GrantId::of({7}, {1001}, {"app"});
    const auto token = oauth::Token::mint(oauth::TokenKind::Access, grant, entropy_);
    grants_.tokens[token.text] = {{"app"}, {7}, {1001}, *oauth::ScopeSet::parse(scopes)};
    return token.text;
  }
  Response ask(std::string_view path, const std::string& query, std::string_view header = "",
               std::string_view method = "GET") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.authorization = header;
    return fakes::now(router_.answer(request));
  }

  const embed::Site site_ = fakes::example_site();
  fakes::FixedEntropy entropy_;
  fakes::MemoryCatalog catalog_;
  fakes::MemoryTokens grants_;
  fakes::MemoryStandings standings_;
  fakes::MemoryUploads uploads_;
  fakes::RememberedAudit audit_;
  endpoints::Medias medias_{site_, catalog_, uploads_, grants_, standings_, audit_};
  http::Router router_;
};

constexpr std::string_view kFull = "/v1/medias/full000001";

TEST_F(Medias, OauthS1RequiresOneOfFourScopes) {
  struct Case {
    std::string_view scopes;
    int status;
  };
  for (const Case& c : {
           Case{"all:all", 200},
           Case{"all:read", 200},
           Case{"media:read", 200},
           Case{"media:upload", 200},
           Case{"stats:read media:read", 200},
           Case{"stats:read", 403},
       }) {
    EXPECT_EQ(ask(kFull, "access_token=" + token_for(c.scopes)).status, c.status) << c.scopes;
  }
}

TEST_F(Medias, OauthS1ReturnsEveryFieldOfAFullMedia) {
  const Response response = ask(kFull, "", "Bearer " + token_for("media:read"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json; charset=utf-8");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  const std::string start =
      R"({"hashed_id":"full000001","name":"Launch film","type":"Video",)"
      R"("description":"\u003cp\u003eWords\u003c/p\u003e","status":"ready","progress":1,)"
      R"("duration":16.43,"created":"2026-03-01T10:00:00Z","updated":"2026-06-10T08:30:00Z",)"
      R"("project":{"id":"proj1","name":"Project one"},)"
      R"("thumbnail":{"url":"https://assets.host.example/deliveries/full000001/poster.jpg",)"
      R"("width":1920,"height":1080},"assets":[)"
      R"({"type":"hls","url":"https://assets.host.example/deliveries/full000001/index.m3u8",)"
      R"("width":1920,"height":1080,"bandwidth":3000000,"average_bandwidth":2000000},)"
      R"({"type":"mp4","url":"https://elsewhere.example/a.mp4","width":null,"height":null,)"
      R"("bandwidth":1000000},)"
      R"({"type":"captions","url":"https://assets.host.example/deliveries/full000001/en.vtt",)"
      R"("language":"en","label":"English","default":true},)"
      R"({"type":"storyboard","url":"https://assets.host.example/deliveries/full000001/storyboard.vtt"}],"embedCode":"\u003ciframe src=\"https://embed.host.example/)";
  EXPECT_EQ(response.body.substr(0, start.size()), start);
  text::json::Document document;
  EXPECT_TRUE(document.parse(response.body));
}

TEST_F(Medias, OauthS1ReturnsNullForAbsentFieldsOfABareMedia) {
  EXPECT_EQ(ask("/v1/medias/bare000001", "access_token=" + token_for("media:read")).body,
            R"({"hashed_id":"bare000001","name":"Bare","type":"Audio","description":"",)"
            R"("status":"queued","progress":0,"duration":null,"created":"2026-03-01T10:00:00Z",)"
            R"("updated":"2026-03-01T10:00:00Z","project":null,"thumbnail":null,"assets":[],)"
            R"("embedCode":null})");
}

TEST_F(Medias, OauthS1Answers404ForMediaOfAnotherAccount) {
  const std::string query = "access_token=" + token_for("all:all");
  const Response unknown = ask("/v1/medias/unknown001", query);
  EXPECT_EQ(unknown.status, 404);
  for (const char* path : {"/v1/medias/foreign001", "/v1/medias/", "/v1/medias/full000001/",
                           "/v1/medias/a/b", "/v1/medias/full000001.json"}) {
    const Response response = ask(path, query);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body, unknown.body);
    EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  }
}

TEST_F(Medias, OauthB2NamesTheErrorOfTheToken) {
  const std::string good = token_for("media:read");
  const std::string realm = "Bearer realm=\"svc\"";
  struct Case {
    std::string_view name;
    std::string query;
    std::string header;
    int status;
    std::string error;
    std::string more;  // the end of WWW-Authenticate
  };
  for (const Case& c : {
           Case{"none", "", "", 401, "", ""},
           Case{"another scheme", "", "Basic YTpi", 401, "", ""},
           Case{"unknown", "access_token=abc", "", 401, "invalid_token", ""},
           Case{"unknown, in the header", "", "Bearer abc", 401, "invalid_token", ""},
           Case{"two carriers", "access_token=" + good, "Bearer " + good, 400, "invalid_request",
                ""},
           Case{"both names", "access_token=" + good + "&bearer_token=" + good, "", 400,
                "invalid_request", ""},
           Case{"another scope", "access_token=" + token_for("stats:read"), "", 403,
                "insufficient_scope", ", scope=\"all:all all:read media:read media:upload\""},
       }) {
    SCOPED_TRACE(c.name);
    for (const char* path : {"/v1/medias/full000001", "/v1/medias/unknown001"}) {
      const Response response = ask(path, c.query, c.header);
      EXPECT_EQ(response.status, c.status);
      EXPECT_EQ(response.content_type, http::kJson);
      EXPECT_EQ(header(response, "Cache-Control"), "no-store");
      const std::string challenge = header(response, "WWW-Authenticate");
      if (c.error.empty()) {
        EXPECT_EQ(challenge, realm);
        EXPECT_EQ(response.body.find("\"error\""), std::string::npos);
      } else {
        EXPECT_TRUE(challenge.starts_with(realm + ", error=\"" + c.error + "\"")) << challenge;
        EXPECT_TRUE(challenge.ends_with(c.more)) << challenge;
        EXPECT_TRUE(response.body.starts_with("{\"error\":\"" + c.error + "\"")) << response.body;
      }
    }
  }
}

TEST_F(Medias, OauthB1AcceptsATokenFromEachCarrier) {
  const std::string token = token_for("media:read");
  EXPECT_EQ(ask(kFull, "access_token=" + token).status, 200);
  EXPECT_EQ(ask(kFull, "bearer_token=" + token).status, 200);
  EXPECT_EQ(ask(kFull, "", "bearer " + token).status, 200);
  EXPECT_EQ(ask(kFull, "", "Bearer " + token, "HEAD").status, 200);
}

TEST_F(Medias, OauthS2ReturnsTheProgressOfAnUpload) {
  media::Media media = fakes::example_video("upload000001");
  media.status = media::Status::Processing;
  media.assets.clear();
  catalog_.add(media);
  uploads_.how_far = 0.25;
  const std::string query = "access_token=" + token_for("media:upload");
  EXPECT_NE(ask("/v1/medias/upload000001", query)
                .body.find(R"("status":"processing","progress":0.25,"duration")"),
            std::string::npos);
  media.status = media::Status::Failed;
  media.failure = "the file is no film";
  catalog_.add(media);
  EXPECT_NE(ask("/v1/medias/upload000001", query)
                .body.find(R"("status":"failed","progress":0,"failure":"the file is no film",)"),
            std::string::npos);
}

TEST_F(Medias, OauthS4DeletesForAllAllOnly) {
  for (const char* scopes : {"all:read", "media:read", "stats:read", "media:upload"}) {
    const Response response = ask(kFull, "access_token=" + token_for(scopes), "", "DELETE");
    EXPECT_EQ(response.status, 403);
    EXPECT_TRUE(header(response, "WWW-Authenticate").ends_with(", scope=\"all:all\""));
  }
  const std::string token = token_for("all:all");
  EXPECT_EQ(ask("/v1/medias/foreign001", "access_token=" + token, "", "DELETE").status, 404);
  EXPECT_TRUE(uploads_.removed.empty());
  EXPECT_TRUE(audit_.said.empty());
  const Response response = ask(kFull, "", "Bearer " + token, "DELETE");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(uploads_.removed, std::vector<std::string>{"full000001"});
  EXPECT_EQ(audit_.said, std::vector<std::string>{"media.removed app media full000001"});
  uploads_.away = true;
  EXPECT_EQ(ask(kFull, "access_token=" + token, "", "DELETE").status, 503);
}

TEST_F(Medias, Answers503IfAStoreIsUnavailable) {
  const std::string query = "access_token=" + token_for("all:all");
  catalog_.away = true;
  EXPECT_EQ(ask(kFull, query).status, 503);
  catalog_.away = false;
  EXPECT_EQ(ask(kFull, query).status, 200);
  catalog_.away = true;
  EXPECT_EQ(ask(kFull, "access_token=abc").status, 401) << "the token is judged first";
  EXPECT_EQ(ask(kFull, "access_token=" + token_for("stats:read")).status, 403);
  catalog_.away = false;
  grants_.away = true;
  EXPECT_EQ(ask(kFull, query).status, 503);
  EXPECT_EQ(header(ask(kFull, query), "Cache-Control"), "no-store");
}

}  // namespace
}  // namespace svc
