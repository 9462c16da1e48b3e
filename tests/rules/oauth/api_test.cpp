// oauth.md, API.
#include "rules/api/api.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "app/routes.h"
#include "base/base64.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "endpoints/uploads/received_upload.h"
#include "endpoints/uploads/upload_permit.h"
#include "media/upload_form.h"

namespace svc::rules::api {
namespace {

const std::string kJson = "application/json; charset=utf-8";

class Api : public WithApi {
 protected:
  using WithApi::WithApi;
  void put(const std::string& id, media::Status status, const std::string& failure = "") {
    media::Media one = media(id);
    one.status = status;
    one.failure = failure;
    WithApi::put(one);
  }
};

// --- refusals ---

TEST_F(Api, ApiN3EachRefusalHasTheCodeOfItsStatusAndWords) {
  const std::string query = "?access_token=" + token_of("all:all");
  const std::string reads = "?access_token=" + token_of("media:read");
  const auto expect_code = [&](const Ask& asked, int status, const std::string& code) {
    // nginx answers an unknown path itself.
    const bool is_known = code != "not_found" || asked.method != "GET";
    const Answer answer = is_known ? ask(asked) : site_.ask_pool("grant", asked);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.type, kJson);
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), asked.method == "GET" ? "*" : "none");
    EXPECT_EQ(member_of(answer, "error"), code);
    EXPECT_GT(member_of(answer, "error_description").size(), 5u) << answer.body;
    EXPECT_EQ(answer.body.find(R"("errors":{")") != std::string::npos, status == 422);
  };
  for (const app::Route& route : app::routes()) {
    const std::string_view pattern = route.path.pattern;
    EXPECT_EQ(route.errors == http::ErrorForm::Api, pattern.starts_with("/v1/") ||
                                                        route.id == app::RouteId::Upload ||
                                                        route.id == app::RouteId::UploadCommit)
        << pattern;
    // The document that describes the API is public and reads no record (api-N9).
    if (!pattern.starts_with("/v1/") || route.id == app::RouteId::OpenApi) continue;
    SCOPED_TRACE(pattern);
    const bool has_id = pattern.find('{') != std::string_view::npos;
    std::string path(pattern);
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{'))
      path.replace(at, path.find('}') + 1 - at, "unknown001");
    const std::string method(route.methods.substr(0, route.methods.find(',')));
    expect_code("PATCH " + path + query, 405, "method_not_allowed");
    expect_code(method + " " + path, 401, "unauthorized");
    expect_code(method + " " + path + "?access_token=a", 401, "invalid_token");
    expect_code(Ask(method + " " + path + query).with("Authorization", "Bearer a"), 400,
                "invalid_request");
    if (has_id) expect_code(method + " " + path + query, 404, "not_found");
  }
  expect_code("DELETE /v1/medias/l4unchf1lm" + reads, 403, "insufficient_scope");
  expect_code("POST /v1/medias" + reads, 403, "insufficient_scope");
  for (const char* path : {"/v1/nothing", "/v1/medias/a/b", "/v1/account/"})
    expect_code(path + query, 404, "not_found");
  const Ask post = Ask("POST /v1/medias" + query).with_body("x");
  expect_code(post.with("Content-Type", "text/plain"), 415, "unsupported_media_type");
  expect_code(post.with("Content-Type", "multipart/form-data; boundary=B"), 422, "invalid_fields");
  stores().command({"SET", "catalog:media:l4unchf1lm", "{"});
  expect_code("/v1/medias/l4unchf1lm" + query, 503, "temporarily_unavailable");
}

// --- reading ---

TEST_F(Api, OauthS1OneOfFourScopesReads) {
  for (const auto& [scope, status] : {std::pair{"all:all", 200},
                                      {"all:read", 200},
                                      {"media:read", 200},
                                      {"media:upload", 200},
                                      {"stats:read media:read", 200},
                                      {"stats:read", 403}})
    EXPECT_EQ(ask("/v1/medias/l4unchf1lm?access_token=" + token_of(scope)).status, status) << scope;
}

TEST_F(Api, OauthS1OthersMediaAreA404) {
  const std::string query = "?access_token=" + token_of("all:all");
  site_.request_id = "same";
  const Answer unknown = ask("/v1/medias/unknown001" + query);
  EXPECT_EQ(unknown.status, 404);
  const Answer other = ask("/v1/medias/xss0title1" + query);
  EXPECT_EQ(other.status, 404);
  EXPECT_EQ(other.body, unknown.body);
  EXPECT_EQ(other.header("Cache-Control"), "no-store");
  site_.request_id.clear();
  EXPECT_EQ(ask("/v1/medias/xss0title1?access_token=" + token_of("all:all", "1002")).status, 200);
}

TEST_F(Api, OauthS1AMediaHasAllItsFields) {
  stores().import(R"({"kind": "media", "id": "full000001", "account_id": 1001,)"
                  R"("project_id": "prj1launch", "type": "Video", "name": "Full film",)"
                  R"("description": "<p>Words</p>", "status": "ready", "duration": 16.43,)"
                  R"("width": 1920, "height": 1080, "player_color": "54bbff",)"
                  R"("thumbnail": {"url": "/d/poster.jpg", "width": 1920, "height": 1080},)"
                  R"("created": "2026-03-01T10:00:00Z", "updated": "2026-06-10T08:30:00Z",)"
                  R"("assets": [{"type": "hls", "url": "/d/index.m3u8", "width": 1920,)"
                  R"("height": 1080, "bandwidth": 3000000, "average_bandwidth": 2000000},)"
                  R"({"type": "mp4", "url": "https://elsewhere.example/a.mp4",)"
                  R"("bandwidth": 1000000}, {"type": "captions", "url": "/d/en.vtt",)"
                  R"("language": "en", "label": "English", "default": true},)"
                  R"({"type": "storyboard", "url": "/d/storyboard.vtt"}]})");
  const std::string access = token_of("media:read");
  const Answer full = ask(Ask("/v1/medias/full000001").with("Authorization", "Bearer " + access));
  EXPECT_EQ(full.status, 200);
  EXPECT_EQ(full.type, kJson);
  EXPECT_EQ(full.header("Cache-Control"), "private, no-cache");
  const std::string start =
      R"({"id":3404380627611563,"hashed_id":"full000001","name":"Full film","type":"Video",)"
      R"("description":"\u003cp\u003eWords\u003c/p\u003e","status":"ready","progress":1,)"
      R"("duration":16.43,"created":"2026-03-01T10:00:00Z","updated":"2026-06-10T08:30:00Z",)"
      R"("project":{"id":382101992132647,"hashedId":"prj1launch","name":"Launch films"},)"
      R"("thumbnail":{"url":"https://embed.svc.example:8443/d/poster.jpg","width":1920,)"
      R"("height":1080},"visibility":"public","allowed_domains":null,"assets":[{"type":"hls",)"
      R"("url":"https://embed.svc.example:8443/d/index.m3u8","width":1920,"height":1080,)"
      R"("bandwidth":3000000,"average_bandwidth":2000000},)"
      R"({"type":"mp4","url":"https://elsewhere.example/a.mp4","width":null,"height":null,)"
      R"("bandwidth":1000000},)"
      R"({"type":"captions","url":"https://embed.svc.example:8443/d/en.vtt","language":"en",)"
      R"("label":"English","default":true},)"
      R"({"type":"storyboard","url":"https://embed.svc.example:8443/d/storyboard.vtt"}],)"
      R"("archived":false,"embedCode":"\u003ciframe src=\"https://embed.svc.example:8443/)";
  EXPECT_EQ(full.body.substr(0, start.size()), start);
  put("bare000001", media::Status::Queued);
  EXPECT_EQ(
      ask("/v1/medias/bare000001?access_token=" + access).body,
      R"({"id":1791817568695204,"hashed_id":"bare000001","name":"A film","type":"Video","description":"",)"
      R"("status":"queued","progress":0,"duration":null,"created":"2026-03-01T10:00:00Z",)"
      R"("updated":"2026-03-01T10:00:00Z","project":null,"thumbnail":null,"visibility":"public","allowed_domains":null,"assets":[],)"
      R"("archived":false,"embedCode":null})");
}

// A pool caches parsed records, but reads the stored ones for each request.
TEST_F(Api, OauthS1AChangeIsInTheNextResponse) {
  const std::string path = "/v1/medias/changing01?access_token=" + token_of("media:read");
  const auto media = [&](const std::string& name, const std::string& project) {
    stores().import(R"({"kind": "media", "id": "changing01", "account_id": 1001, "type": "Video",)"
                    R"("status": "ready", "created": "2026-03-01T10:00:00Z",)"
                    R"("updated": "2026-06-10T08:30:00Z", "assets": [], "name": ")" +
                    name + "\"" + project + "}");
  };
  const auto project = [&](const std::string& id, const std::string& name) {
    stores().import(R"({"kind": "project", "account_id": 1001, "id": ")" + id + R"(", "name": ")" +
                    name + R"(", "created": "2026-03-01T10:00:00Z",)" +
                    R"("updated": "2026-03-01T10:00:00Z"})");
  };
  const std::string in_one = R"(, "project_id": "prjchange1")";
  const std::string in_two = R"(, "project_id": "prjchange2")";
  project("prjchange1", "One");
  project("prjchange2", "Two");
  const auto del = [&](const std::string& key) { stores().command({"DEL", key}); };
  struct Change {
    std::function<void()> make;
    std::string has;
  };
  for (const Change& change : std::vector<Change>{
           {[&] { media("Film", in_one); }, R"("hashedId":"prjchange1","name":"One"})"},
           {[] {}, R"("hashedId":"prjchange1","name":"One"})"},
           {[&] { project("prjchange1", "First"); }, R"("hashedId":"prjchange1","name":"First"})"},
           {[&] { media("Second", in_one); }, R"("name":"Second","type")"},
           {[&] { media("Second", in_two); }, R"("hashedId":"prjchange2","name":"Two"})"},
           {[&] { del("catalog:project:prjchange2"); }, R"("project":null)"},
           {[&] { project("prjchange2", "Third"); }, R"("hashedId":"prjchange2","name":"Third"})"},
           {[&] { media("Second", ""); }, R"("project":null)"},
           {[&] { del("catalog:media:changing01"); }, "no such media"}}) {
    change.make();
    const Answer answer = ask(path);
    EXPECT_TRUE(answer.has(change.has)) << change.has << " is not in " << answer.body;
  }
}

TEST_F(Api, OauthS2AMediaHasItsProgressAndItsFailure) {
  const std::string path = "/v1/medias/upload000001?access_token=" + token_of("media:upload");
  put("upload000001", media::Status::Processing);
  stores().command({"SET", "ingest:progress:upload000001", "250"});
  EXPECT_TRUE(ask(path).has(R"("status":"processing","progress":0.25,"duration")"))
      << ask(path).body;
  put("upload000001", media::Status::Failed, "the file is no film");
  EXPECT_TRUE(ask(path).has(R"("status":"failed","progress":0,"failure":"the file is no film",)"))
      << ask(path).body;
}

TEST_F(Api, OauthS5ApiA1ATokenOfAnyScopeReadsItsAccount) {
  for (const char* scope : {"media:read", "stats:read", "media:upload"})
    EXPECT_EQ(
        ask("/v1/account?access_token=" + token_of(scope)).body,
        R"({"id":1001,"name":"Acme Films","url":"https://acme.svc.localhost","mediaCount":10,"projectCount":1,)"
        R"("videoLimit":0,"channelCount":0})");
  const std::string access = token_of("stats:read", "1002");
  EXPECT_EQ(member_of(ask("/v1/account?access_token=" + access), "id"), "1002");
  stores().import(R"({"kind": "account", "id": 1002, "name": "New name",)"
                  R"("host": "b.svc.localhost", "url": "https://b.svc.localhost",)"
                  R"("oauth_enabled": true})");
  EXPECT_EQ(
      ask("/v1/account?access_token=" + access).body,
      R"({"id":1002,"name":"New name","url":"https://b.svc.localhost","mediaCount":2,"projectCount":1,)"
      R"("videoLimit":0,"channelCount":0})");
}

TEST_F(Api, OauthS2AnAccountWithoutUploadsRefusesThem) {
  const std::string query = "?access_token=" + token_of("media:upload");
  stores().edit("catalog:account:1001", R"("oauth_enabled":true)",
                R"("oauth_enabled":true,"uploads_enabled":false)");
  EXPECT_EQ(site_.ask_pool("grant", "POST /upload-permission" + query).status, 403);
  const Answer refused = site_.ask_pool("grant", "POST /v1/medias" + query);
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.has(
      R"({"error":"not_permitted","error_description":"Uploads are not enabled for this account. )"))
      << refused.body;
  EXPECT_EQ(ask("/v1/account" + query).status, 200);
}

// --- deletion ---

TEST_F(Api, OauthS4DeletesForAllAllOnly) {
  const std::string path = "DELETE /v1/medias/l4unchf1lm?access_token=";
  for (const char* scopes : {"all:read", "media:read", "stats:read", "media:upload"}) {
    const Answer refused = ask(path + token_of(scopes));
    EXPECT_EQ(refused.status, 403);
    EXPECT_NE(refused.header("WWW-Authenticate").find(R"(, scope="all:all", error=)"),
              std::string::npos);
  }
  EXPECT_EQ(ask(path + token_of("all:all", "1002")).status, 404);
  EXPECT_EQ(events("media.removed"), 0u);
  const std::string access = token_of("all:all");
  const Answer gone = ask(path + access);
  EXPECT_EQ(gone.status, 204);
  EXPECT_EQ(gone.body, "");
  EXPECT_EQ(stores().events("media.removed 502 media l4unchf1lm"), 1u);
  EXPECT_EQ(ask("/v1/medias/l4unchf1lm?access_token=" + access).status, 404);
  EXPECT_EQ(ask("/embed/medias/l4unchf1lm.m3u8").status, 404);
}

// --- uploads ---

class ApiUploads : public Api {
 protected:
  explicit ApiUploads(std::vector<std::string> settings = {}) : Api(std::move(settings)) {
    access_ = token_of("media:upload");
  }
  static std::string part(const std::string& parameters, const std::string& content) {
    return "--B\r\nContent-Disposition: form-data; " + parameters + "\r\n\r\n" + content + "\r\n";
  }
  static std::string field(const std::string& name, const std::string& value) {
    return part("name=\"" + name + "\"", value);
  }
  static std::string film(const std::string& parameters = "filename=\"f.mp4\"") {
    return part("name=\"file\"; " + parameters, "0123456789") + "--B--\r\n";
  }
  Ask upload(const std::string& body, const std::string& type = "multipart/form-data; boundary=B") {
    return Ask("POST /v1/medias?access_token=" + access_)
        .with("Content-Type", type)
        .with_body(body);
  }
  std::size_t files() { return site_.files_of_uploads(); }

  std::string access_;
};

TEST_F(ApiUploads, OauthS2IsQueued) {
  const Answer answer =
      ask(upload(field("name", " A film ") + field("description", "<p>W</p>") +
                 field("project_id", "prj1launch") + field("access_token", "ignored") + film()));
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.type, kJson);
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  const std::string id = member_of(answer, "hashed_id");
  EXPECT_EQ(answer.header("Location"), "https://api.svc.example/v1/medias/" + id);
  EXPECT_TRUE(answer.has(",\"hashed_id\":\"" + id +
                         R"(","name":"A film","type":"Video","description":)"
                         R"("\u003cp\u003eW\u003c/p\u003e","status":"queued",)"
                         R"("progress":0,"duration":null)"))
      << answer.body;
  EXPECT_TRUE(answer.has(R"("hashedId":"prj1launch")"));
  EXPECT_EQ(ask("/v1/medias/" + id + "?access_token=" + access_).body, answer.body);
  EXPECT_EQ(files(), 1u);
  struct stat status {};
  ASSERT_EQ(stat((site_.upload_folder() + "/" + id).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u) << "svc-ingest reads it";
  EXPECT_EQ(events("upload.permitted 502 request-"), 1u);
}

TEST_F(ApiUploads, OauthS2ARepetitionByNginxIsTheSameMedia) {
  site_.request_id = "same";
  const Answer first = ask(upload(film()));
  const Answer again = ask(upload(film()));
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(files(), 1u);
  site_.request_id = "another";
  EXPECT_NE(ask(upload(film())).body, first.body);
  EXPECT_EQ(files(), 2u);
}

TEST_F(ApiUploads, OauthS2AFormIsRefusedWithoutATrace) {
  const std::string whole = film();
  const auto row = [&](std::string name, const std::string& body, int status, std::string says) {
    return Row{std::move(name),
               upload(body),
               status,
               kJson,
               {R"({"error":"invalid_fields")", R"("errors":{")", std::move(says)}};
  };
  expect({
      row("no file", field("name", "a") + "--B--", 422, "file\":[\"the form has no file"),
      row("no body", "", 422, "empty"),
      row("an empty file", part("name=\"file\"; filename=\"a\"", "") + "--B--\r\n", 422, "empty"),
      row("no form", "x", 422, "malformed"),
      row("cut", whole.substr(0, whole.size() - 20), 422, "cut off"),
      row("another's project", field("project_id", "prj2studio") + whole, 422,
          "project_id\":[\"must be"),
      row("an unknown project", field("project_id", "p9") + whole, 422, "project_id\":[\"must be"),
      row("no project", field("project_id", "../a") + whole, 422, "project_id\":[\"must be"),
      row("no id of a project", field("project_id", "a b") + whole, 422, "project_id\":[\"must be"),
      row("a long id", field("project_id", std::string(65, 'a')) + whole, 422,
          "project_id\":[\"must be"),
      row("a long name", field("name", std::string(2049, 'a')) + whole, 422, "name\":[\"must be"),
      row("two lines", field("name", "a\nb") + whole, 422, "name\":[\"must be"),
      row("nothing to see", field("name", "\u200b") + whole, 422, "name\":[\"must be"),
      row("another charset", field("name", "\xff") + whole, 422, "name\":[\"must be"),
      row("a long description", field("description", std::string(8193, 'a')) + whole, 422,
          "description\":[\"must be"),
      row("of another charset", field("description", "\xff") + whole, 422,
          "description\":[\"must be"),
      row("another field", part("name=\"video\"; filename=\"a\"", "x") + "--B--\r\n", 422,
          "no file: send it as the field"),
      {"another boundary", upload(whole, "multipart/form-data; boundary=C"), 422, kJson},
      {"no boundary", upload(whole, "multipart/form-data"), 415, kJson},
      {"JSON", upload("{}", "application/json"), 415, kJson, {"multipart/form-data"}},
      {"a film", upload("0123", "video/mp4"), 415, kJson, {"multipart/form-data"}},
  });
  EXPECT_EQ(files(), 0u);
  EXPECT_TRUE(keys("ingest:[^d]*").empty()) << "but deletions of files";
}

TEST_F(ApiUploads, OauthS22AFormOfAnyClientNamesTheMedia) {
  struct Case {
    std::string_view client, type, before, parameters, name;
  };
  std::string days;
  for (int i = 0; i < 300; ++i) days += "日";
  const std::string long_name = "filename=\"" + days + ".mp4\"";
  const std::string cut = days.substr(0, 83 * 3) + ".mp4";
  const std::string empty = field("project_id", "") + field("name", "");
  constexpr std::string_view kPlain = "multipart/form-data; boundary=B";
  constexpr std::string_view kQuoted = "multipart/form-data; boundary=\"B\"";
  for (const Case& c : {
           Case{"Unity", kQuoted, "\r\n", "filename=\"film.mp4\"", "film.mp4"},
           Case{".NET", kQuoted, "",
                "filename=\"=?utf-8?B?5pel5pysLm1wNA==?=\"; "
                "filename*=utf-8''%E6%97%A5%E6%9C%AC.mp4",
                "日本.mp4"},
           Case{"requests", kPlain, "", "filename*=utf-8''%E6%97%A5.mp4", "日.mp4"},
           Case{"a mail library", "multipart/form-data; charset=utf-8; boundary=B",
                "This is MIME.\r\n\r\n", "filename=\"=?utf-8?q?na=C3=AFve?=\r\n =?utf-8?q?_a?=\"",
                "naïve a"},
           Case{"a long name", kPlain, "", long_name, cut},
           Case{"a path", kPlain, "", "filename=\"C:\\fakepath\\a.mp4\"", "a.mp4"},
           Case{"another", kPlain, "", "filename=\"/home/a/My film.mp4\"", "My film.mp4"},
           Case{"no name", kPlain, "", "filename=\"/\"", "Untitled"},
           Case{"no letters", kPlain, "", "filename=\"\u200b\u2060\"", "Untitled"},
           Case{"no UTF-8", kPlain, "", "filename=\"\xff\"", "Untitled"},
           Case{"an empty field", kPlain, empty, "filename=\"a.mp4\"", "a.mp4"},
       }) {
    const Answer answer =
        ask(upload(std::string(c.before) + film(std::string(c.parameters)), std::string(c.type)));
    EXPECT_EQ(answer.status, 201) << c.client << answer.body;
    EXPECT_EQ(member_of(answer, "name"), c.name) << c.client;
  }
}

TEST_F(ApiUploads, OauthS2TheTokenIsInTheQueryAndMayUpload) {
  const std::string reader = token_of("all:read");
  const auto post = [&](const std::string& query, const std::string& header = "") {
    Ask one = Ask("POST /v1/medias" + query)
                  .with("Content-Type", "multipart/form-data; boundary=B")
                  .with_body(film());
    if (!header.empty()) one.headers["Authorization"] = "Bearer " + header;
    return one;
  };
  expect({
      {"none", post(""), 401, kJson, {R"({"error":"unauthorized")"}},
      {"unknown", post("?access_token=abc"), 401, kJson, {R"({"error":"invalid_token")"}},
      {"in a header", post("", access_), 400, kJson, {R"({"error":"invalid_request")"}},
      {"another one in the header",
       post("?access_token=" + access_, reader),
       400,
       kJson,
       {"invalid_request"}},
      {"both names, which differ",
       post("?access_token=" + access_ + "&bearer_token=" + reader),
       400,
       kJson,
       {"invalid_request"}},
      {"another scope", post("?access_token=" + reader), 403, kJson, {"insufficient_scope"}},
      {"another method", "PUT /v1/medias?access_token=" + access_, 405, kJson},
  });
  EXPECT_NE(ask(post("?access_token=" + reader))
                .header("WWW-Authenticate")
                .find(R"(, scope="media:upload", error=)"),
            std::string::npos);
  EXPECT_EQ(files(), 0u);
  EXPECT_EQ(events("upload.permitted"), 0u);
  expect({
      {"bearer_token", post("?bearer_token=" + access_), 201},
      {"the same in the header", post("?access_token=" + access_, access_), 201},
      {"all:all", post("?access_token=" + token_of("all:all")), 201},
      {"beside another scope", post("?access_token=" + token_of("stats:read media:upload")), 201},
  });
  // nginx asks so after a refusal, which may be over by then.
  const Answer late = site_.ask_pool("grant", Ask("POST /v1/medias?access_token=" + access_));
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.header("Retry-After"), "1");
  EXPECT_EQ(site_.ask_pool("grant", "/upload-permission?access_token=" + access_).status, 403)
      << "only a POST is permitted";
}

TEST_F(ApiUploads, ApiN7ALongTextIsPermittedBeforeItsBody) {
  const std::string question = "/body-permission?access_token=";
  for (const char* method : {"POST ", "PUT "}) {
    const Answer yes = site_.ask_pool("grant", Ask(method + question + token_of("all:all")));
    EXPECT_EQ(yes.status, 204) << method;
    EXPECT_NE(yes.header("X-Svc-Account"), "none");
  }
  const std::string token = token_of("all:all");
  EXPECT_EQ(
      site_.ask_pool("grant", Ask("PUT /body-permission").with("Authorization", "Bearer " + token))
          .status,
      204);
  for (const Ask& no : {Ask("POST /body-permission"), Ask("POST " + question + "wrong"),
                        Ask("POST " + question + token_of("media:read")),
                        Ask("POST " + question + token_of("media:upload")),
                        Ask("GET " + question + token), Ask("DELETE " + question + token)})
    EXPECT_EQ(site_.ask_pool("grant", no).status, 403) << no.method << ' ' << no.target;
}

class ApiUploadLimits : public ApiUploads {
 protected:
  ApiUploadLimits() : ApiUploads({"--uploads-per-account=4", "--uploads-unfinished=2"}) {}
  void ends(const Answer& uploaded) { put(member_of(uploaded, "hashed_id"), media::Status::Ready); }
};

TEST_F(ApiUploadLimits, OauthS2OfOneAccount) {
  const Answer first = ask(upload(film()));
  EXPECT_EQ(ask(upload(film())).status, 201);
  const Answer busy = ask(upload(film()));
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("Retry-After"), "60");
  EXPECT_EQ(member_of(busy, "error"), "slow_down");
  EXPECT_EQ(member_of(busy, "error_description"),
            "2 uploads of the account are under way, wait or are being converted, the most "
            "allowed. Try again "
            "when one is done.");
  ends(first);
  const Answer third = ask(upload(film()));
  EXPECT_EQ(third.status, 201);
  ends(third);
  EXPECT_EQ(ask(upload(film())).status, 201);
  const Answer full = ask(upload(film()));
  EXPECT_EQ(full.status, 507);
  EXPECT_EQ(full.header("Retry-After"), "none");
  EXPECT_EQ(member_of(full, "error"), "insufficient_storage");
  EXPECT_EQ(member_of(full, "error_description"),
            "The account has 4 uploads, and 4 are allowed. Delete some by the API, or ask the "
            "operator of this service.");
  EXPECT_EQ(files(), 4u);
}

// --- the halves of an upload ---

class UploadHalves : public ApiUploads {
 protected:
  using Received = endpoints::ReceivedUpload;

  UploadHalves() { site_.request_id = "same"; }

  // The upload pool's part.
  Answer keep(const std::string& file) {
    return site_.ask_pool("upload", Ask("POST /upload")
                                        .with("Content-Type", "multipart/form-data; boundary=B")
                                        .with("BODY_FILE", file));
  }
  // Keeps a file with this body. Returns the form for the second half.
  std::string kept(const std::string& body) {
    const std::string file = site_.upload_folder() + "/incoming/1";
    std::ofstream(file) << body;
    const Answer answer = keep(file);
    EXPECT_EQ(answer.status, Received::kStatus);
    std::filesystem::remove(file);
    return answer.header(Received::kHeader);
  }
  std::string permit(const std::string& request, std::int64_t account = 1001,
                     const std::optional<std::string>& grant = std::nullopt) {
    endpoints::UploadPermit permit{{account}};
    if (grant) permit.grant = oauth::GrantId{*grant};
    return permit.seal(request, stores().keys(), entropy_);
  }
  // The permitting pool's part.
  Ask second(const std::string& form, const std::string& permit, bool is_of_api = true) {
    return Ask(is_of_api ? "POST /upload-commit" : "POST /upload-page-commit")
        .with("UPLOAD_PERMIT", permit)
        .with("UPLOAD_FORM", form);
  }
  Answer commit(const std::string& form, const std::string& permit) {
    return site_.ask_pool("grant", second(form, permit));
  }
  static std::string coded(const std::string& json) { return base::base64url_encode(json); }
  std::string id() const { return media::id_of_upload(site_.request_id).value(); }

  base::SystemEntropy entropy_;
};

TEST_F(UploadHalves, OauthS2OnlyBodiesOfNginxAreRead) {
  const std::string folder = site_.upload_folder();
  const std::string outside = folder + "/../outside";
  std::ofstream(outside) << film();
  std::filesystem::create_symlink(outside, folder + "/incoming/link");
  for (const std::string& file :
       {std::string(), std::string("/etc/passwd"), outside, folder + "/incoming/",
        folder + "/incoming/../../outside", folder + "/incoming/.."}) {
    const Answer answer = keep(file);
    EXPECT_EQ(answer.status, Received::kStatus) << file;
    const auto received = Received::parse(answer.header(Received::kHeader), "");
    ASSERT_TRUE(received) << file;
    ASSERT_FALSE(received->form) << file;
    EXPECT_EQ(received->form.error().status, 422) << file;
  }
  EXPECT_EQ(keep(folder + "/incoming/link").status, 503);
  std::filesystem::remove(folder + "/incoming/link");
  const std::string file = folder + "/incoming/1";
  std::ofstream(file) << film();
  const Answer first = keep(file);
  EXPECT_EQ(first.status, Received::kStatus);
  EXPECT_EQ(first.body, "");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(folder + "/" + id()));
  const Answer again = keep(file);
  EXPECT_EQ(again.header(Received::kHeader), first.header(Received::kHeader))
      << "nginx repeats a request whose worker ended";
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(keys("catalog:media:" + id()).empty()) << "the upload pool adds nothing";
}

TEST_F(UploadHalves, OperationsU50APermitIsOfOnePoolAndOneRequest) {
  const std::string form = kept(film());
  auto others = base::KeyRing::parse("k1:" + std::string(64, 'a') + "\n");
  ASSERT_TRUE(others);
  const std::string forged = endpoints::UploadPermit{{1001}}.seal("same", *others, entropy_);
  for (const std::string& wrong :
       {std::string(), std::string("1001"), std::string("1001\n"), permit("another"), permit(""),
        forged, permit("same") + "00", stores().keys().seal("1001\n", "same", entropy_)}) {
    EXPECT_EQ(commit(form, wrong).status, 403) << wrong;
    EXPECT_EQ(
        site_.ask_pool("web", second(form, wrong, false).with("UPLOAD_ANSWER", "json")).status, 403)
        << wrong;
  }
  EXPECT_TRUE(keys("catalog:media:" + id()).empty());
  EXPECT_TRUE(keys("ingest:*").empty());
  EXPECT_EQ(commit(form, permit("same")).status, 201);
  site_.request_id = "another";
  EXPECT_EQ(commit(form, permit("same")).status, 403) << "of another upload";
  EXPECT_EQ(files(), 1u);
}

TEST_F(UploadHalves, OperationsU50TheUploadPoolNamesNoMediaAccountOrFile) {
  kept(film());
  const std::string lies =
      R"({"digest":"d","name":"A","file_name":"../../etc/passwd","offset":0,"length":9,)"
      R"("id":"l4unchf1lm","hashed_id":"../l4unchf1lm","account_id":1002,"account":1002,)"
      R"("grant":"x","status_":"ready","thumbnail":"http://evil.example/"})";
  const Answer answer = commit(coded(lies), permit("same"));
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(member_of(answer, "hashed_id"), id());
  EXPECT_EQ(member_of(answer, "status"), "queued");
  EXPECT_FALSE(answer.has("evil"));
  const auto job = stores().command({"LRANGE", "ingest:incoming", "0", "-1"});
  ASSERT_EQ(job.size(), 1u);
  const std::string text(job.at(0).text().value_or(""));
  EXPECT_NE(text.find(id()), std::string::npos) << text;
  EXPECT_NE(text.find("1001"), std::string::npos) << text;
  for (const char* word : {"l4unchf1lm", "1002", "etc"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
}

TEST_F(UploadHalves, OperationsU50WhatTheUploadPoolTellsIsCheckedAgain) {
  const std::string file = R"(,"file_name":"f.mp4","offset":0,"length":9})";
  const std::string begin = R"({"digest":"d")";
  for (const std::string& malformed :
       {std::string("none"), std::string("%"), coded("["), coded("7"), coded("{}"),
        coded(R"({"name":"A")" + file), coded(begin + "}"),
        coded(begin + R"(,"file_name":"f","offset":-1,"length":9})"),
        coded(begin + R"(,"file_name":"f","offset":0,"length":1e300})"),
        coded(begin + R"(,"file_name":"f","offset":9223372036854775807,"length":9})"),
        coded(begin + R"(,"file_name":"f","offset":0})"),
        coded(begin + R"(,"status":200,"field":"name","words":"fine"})"),
        coded(begin + R"(,"status":302,"field":"name","words":"fine"})"),
        coded(begin + R"(,"status":422})")}) {
    const Answer answer = commit(malformed, permit("same"));
    EXPECT_EQ(answer.status, 503) << malformed;
    EXPECT_EQ(answer.header("Retry-After"), "1");
  }
  for (const auto& [fields, says] :
       {std::pair(R"(,"name":")" + std::string(2049, 'a') + '"', "name\":[\"must be"),
        {R"(,"name":"a\nb")", "name\":[\"must be"},
        {R"(,"name":"A","description":")" + std::string(8193, 'a') + '"',
         "description\":[\"must be"},
        {R"(,"name":"A","project_id":"prj2studio")", "project_id\":[\"must be"},
        {R"(,"name":"A","project_id":"../a")", "project_id\":[\"must be"},
        {R"(,"name":"A","visibility":"mine")", "visibility\":[\"must be"}}) {
    const Answer answer = commit(coded(begin + fields + file), permit("same"));
    EXPECT_EQ(answer.status, 422) << fields;
    EXPECT_TRUE(answer.has(says)) << answer.body;
  }
  EXPECT_EQ(
      commit(coded(begin + R"(,"name":"A","file_name":"f","offset":0,"length":0})"), permit("same"))
          .status,
      422)
      << "an empty file";
  EXPECT_TRUE(keys("catalog:media:" + id()).empty());
}

TEST_F(UploadHalves, OperationsU50TwoSecondHalvesMakeOneMedia) {
  const std::string form = kept(film());
  const std::string grant(32, 'a');
  for (const std::string& key : {std::string(), std::string("one")}) {
    const Ask half = second(form, permit("same", 1001, grant)).with("Idempotency-Key", key);
    const Answer first = site_.ask_pool("grant", half);
    EXPECT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(member_of(first, "hashed_id"), id());
    EXPECT_EQ(site_.ask_pool("grant", half).body, first.body);
  }
  EXPECT_EQ(keys("catalog:media:" + id()).size(), 1u);
  EXPECT_EQ(files(), 1u) << "it is not deleted for being repeated";
}

TEST_F(UploadHalves, OperationsU51SvcIngestDeletesTheFileOfASecondHalfThatIsRefused) {
  const std::string form = kept(field("project_id", "prj2studio") + film());
  EXPECT_TRUE(std::filesystem::exists(site_.upload_folder() + "/" + id()));
  EXPECT_EQ(commit(form, permit("same")).status, 422);
  EXPECT_EQ(files(), 0u);
  EXPECT_TRUE(keys("catalog:media:" + id()).empty());
  // From a form of the pages, too.
  const std::string again = kept(field("project_id", "prj2studio") + film());
  const Ask page = second(again, permit("same"), false).with("UPLOAD_ANSWER", "html");
  EXPECT_EQ(site_.ask_pool("web", page).status, 422);
  EXPECT_EQ(files(), 0u);
}

// The store may have taken the upload: svc-ingest knows, and deletes the file otherwise.
TEST_F(UploadHalves, OauthS2TheFileStaysIfTheStoreIsFull) {
  const std::string form = kept(film());
  stores().command({"CONFIG", "SET", "maxmemory", "1"});
  const Answer answer = commit(form, permit("same"));
  const Answer page =
      site_.ask_pool("web", second(form, permit("same"), false).with("UPLOAD_ANSWER", "html"));
  stores().command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_EQ(page.status, 503);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(files(), 1u);
}

// --- uploads by a form ---

// The token is judged first.
TEST_F(Api, OauthS1AMediaThatCannotBeReadIsAnOutage) {
  stores().command({"SET", "catalog:media:l4unchf1lm", "{"});
  const std::string path = "/v1/medias/l4unchf1lm?access_token=";
  EXPECT_EQ(ask(path + "abc").status, 401);
  EXPECT_EQ(ask(path + token_of("stats:read")).status, 403);
  const Answer answer = ask(path + token_of("media:read"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
}

}  // namespace
}  // namespace svc::rules::api
