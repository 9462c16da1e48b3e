// api.md: the document that describes the data API (api-N9). Site compares every response with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/routes.h"
#include "base/api_paths.h"
#include "embed/player_options.h"
#include "oauth/scope_set.h"
#include "rules/api/api.h"
#include "rules/described.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::rules::openapi {
namespace {

constexpr std::string_view kDocument = base::paths::kOpenApi.pattern;
constexpr const char* kSrt = "1\n00:00:01,000 --> 00:00:02,500\nHello\n";

using Operation = Described::Operation;

// "GET, HEAD" → GET
std::set<std::string> methods_of(const app::Route& route) {
  std::set<std::string> methods;
  for (std::string_view left = route.methods; !left.empty();) {
    const std::string_view each = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), each.size() + 2));
    if (each != "HEAD" && each != "OPTIONS") methods.emplace(each);
  }
  return methods;
}

bool is_of_api(const app::Route& route) {
  return route.path.pattern.starts_with(base::paths::kMediaList.folder());
}

using DocumentOnTheWire = Rules;

TEST_F(DocumentOnTheWire, ApiN9IsForEveryPageAndWithoutAToken) {
  const Answer answer = ask(Ask(kDocument).with("Origin", "https://other.example"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "application/json; charset=utf-8");
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(answer.header("Cache-Control"), "public, max-age=3600");
  EXPECT_TRUE(answer.body.starts_with(R"({"openapi":"3.1.0","info":{)"));
  EXPECT_TRUE(answer.has(R"("servers":[{"url":"https://api.svc.example"}])"));
  EXPECT_EQ(ask(Ask(kDocument).with("If-None-Match", answer.header("ETag"))).status, 304);
  const Answer preflight = ask("OPTIONS " + std::string(kDocument));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "*");
}

class OpenApi : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    renew();
  }
  // Creates the media `described01` with captions and a link and without a project, a media that
  // may replace it, an empty project, and a domain.
  void renew() {
    stores().take_files();
    media::Media described = media("described01");
    media::WatchLink& link = described.links.emplace_back();
    link.id = 1'780'000'000'000;
    link.ends = site_.now() + 86'400;
    put(described);
    put(media("replacement1"));
    project_ = member_of(json("POST /v1/projects", R"({"name":"A project"})"), "hashedId");
    json("POST /v1/medias/described01/captions",
         R"({"language":"en","caption_file":)" + quoted(kSrt) + "}");
    json("POST /v1/allowed_domains", R"({"domain":"site.example"})");
  }
  static media::Media queued(const std::string& id) {
    media::Media media = WithApi::media(id);
    media.status = media::Status::Queued;
    return media;
  }
  static std::string quoted(std::string_view text) {
    std::string out;
    text::json::append_string(out, text);
    return out;
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Answer json(const std::string& line, const std::string& body) {
    return ask(with_token(Ask(line).with("Content-Type", "application/json").with_body(body)));
  }
  const Described& document() { return site_.described(); }

  static std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  }
  // A path of records that exist, or of none.
  std::string path_of(const Operation& operation, bool exists = true) const {
    std::string path = replaced(operation.path, "{media}", exists ? "described01" : "absent00001");
    path = replaced(path, "{project}", exists ? project_ : "absent");
    path = replaced(path, "{link}", exists ? "1780000000000" : "7");
    path = replaced(path, "{domain}", exists ? "site.example" : "absent.example");
    return replaced(path, "{language}", "en");
  }
  // The request of the examples, with that token.
  Ask request_of(const Operation& operation, const std::string& token, bool exists = true) const {
    const std::string path = path_of(operation, exists);
    if (!operation.takes_token_in_header && !token.empty())
      return Ask(operation.method + " " + path + "?access_token=" + token)
          .with("Content-Type", "multipart/form-data; boundary=b")
          .with_body(
              "--b\r\nContent-Disposition: form-data; name=\"file\"; "
              "filename=\"a.mp4\"\r\n\r\nx\r\n--b--\r\n");
    Ask ask(operation.method + " " + path);
    if (!token.empty()) ask = ask.with("Authorization", "Bearer " + token);
    if (operation.body.empty()) return ask;
    std::string body;
    for (const Described::Field& field : operation.body) {
      if (field.example.empty()) continue;
      std::string example =
          replaced(field.example, "$media", exists ? "described01" : "absent00001");
      example = replaced(example, "$replacement", "replacement1");
      example = replaced(example, "$project", exists ? project_ : "absent");
      if (example == R"("captions.srt")") example = quoted(kSrt);
      if (example == R"("chapters.vtt")") example = quoted(kSrt);
      body += (body.empty() ? "{" : ",") + quoted(field.name) + ":" + example;
    }
    return ask.with("Content-Type", "application/json").with_body(body + "}");
  }

  std::string token_;
  std::string project_;
};

TEST_F(OpenApi, ApiN9HasEachMethodOfEachPath) {
  std::size_t paths = 0;
  for (const app::Route& route : app::routes()) {
    if (!is_of_api(route)) continue;
    std::set<std::string> described;
    for (const Operation& operation : document().operations()) {
      if (operation.path == route.path.pattern) described.insert(operation.method);
    }
    EXPECT_EQ(described, methods_of(route)) << route.path.pattern;
    ++paths;
  }
  EXPECT_GT(paths, 10u);
  std::set<std::string> ids;
  for (const Operation& operation : document().operations())
    EXPECT_TRUE(ids.insert(operation.id).second) << operation.id;
}

TEST_F(OpenApi, ApiN9SchemasDefineTheValues) {
  EXPECT_EQ(document().vacuous(), std::vector<std::string>());
  const Answer good = ask(with_token("/v1/medias/described01"));
  const std::string_view path = "/v1/medias/described01";
  const auto refused = [&](const std::string& from, const std::string& to) {
    Answer other = good;
    other.body = replaced(good.body, from, to);
    EXPECT_NE(other.body, good.body) << from;
    return !document().why_not("GET", path, other).empty();
  };
  EXPECT_EQ(document().why_not("GET", path, good), "");
  EXPECT_TRUE(refused(R"("name":)", R"("other":)")) << "a field that is not described";
  EXPECT_TRUE(refused(R"("archived":false,)", "")) << "a field is absent";
  EXPECT_TRUE(refused(R"("archived":false)", R"("archived":true)")) << "another constant";
  EXPECT_TRUE(refused(R"("duration":null)", R"("duration":"1")")) << "another type";
  EXPECT_TRUE(refused(R"("status":"ready")", R"("status":"new")")) << "another word";
  EXPECT_TRUE(refused(R"("hashed_id":"described01")", R"("hashed_id":"a-b")")) << "another id";
  EXPECT_TRUE(refused(R"("assets":[)", R"("assets":[{"type":"hls"},)")) << "an asset without a URL";
  Answer other = good;
  other.status = 410;
  EXPECT_NE(document().why_not("GET", path, other), "");
  other = good;
  other.type = "text/html";
  EXPECT_NE(document().why_not("GET", path, other), "");
  other = good;
  other.headers.emplace_back("location", "/");
  EXPECT_NE(document().why_not("GET", path, other), "");
}

// Includes the fields that only some records have, and each kind of nested object.
TEST_F(OpenApi, ApiN9EachFieldOccursInAResponse) {
  std::set<std::string> seen;
  const auto see = [&](const Ask& ask) {
    const Answer answer = this->ask(ask);
    const std::string path = ask.target.substr(0, ask.target.find('?'));
    document().add_fields_in(ask.method, path, answer, seen);
    EXPECT_FALSE(answer.body.empty()) << ask.target;
  };
  media::Media full = media("described02");
  full.project = media::ProjectId::parse(project_);
  full.thumbnail = media::Thumbnail{"/files/x.jpg", media::Dimensions{16, 9}};
  full.duration = 1.5;
  full.storyboard = "/files/x.vtt";
  full.captions = {{"/files/de.vtt", "de", "Deutsch", true}};
  full.assets = {{media::AssetType::Hls, "/files/x.m3u8", media::Dimensions{16, 9}, 1, 1, "", {}},
                 {media::AssetType::Mp4, "/files/x.mp4", {}, 1, {}, "", {}}};
  put(full);
  media::Media failed = media("described03");
  failed.status = media::Status::Failed;
  failed.failure = "Not a film";
  put(failed);
  std::string options;
  for (const embed::PlayerOption& option : embed::player_options()) {
    if (!option.is_customization()) continue;
    const std::string choice(option.choices.substr(0, option.choices.find(' ')));
    const auto value = [&]() -> std::string {
      switch (option.allowed) {
        case embed::Allowed::Switch: return "true";
        case embed::Allowed::Choice: return quoted(choice);
        case embed::Allowed::Color: return R"("#54bbff")";
        case embed::Allowed::Height: return R"("720p")";
        case embed::Allowed::Time: return R"("1h2m3.5s")";
        case embed::Allowed::Volume: return "0.5";
        default: return R"("https://files.example/a.jpg")";
      }
    };
    options += (options.empty() ? "{" : ",") + quoted(option.name) + ":" + value();
  }
  json("POST /v1/medias/described02/customizations", options + "}");
  see(with_token(Ask("POST /v1/medias/described02/links").with_form({{"expires_in", "60"}})));
  for (const Operation& operation : document().operations()) {
    if (operation.method != "GET" || operation.path == kDocument) continue;
    std::set<std::string> paths;
    for (const char* id : {"described01", "described02", "described03"})
      paths.insert(replaced(path_of(operation), "described01", id));
    for (const std::string& path : paths) see(with_token(path));
  }
  see(with_token("/v1/medias?cursor[enabled]=1"));
  see(with_token(Ask("PUT /v1/medias/move")
                     .with_form({{"hashed_ids[]", "described01"}, {"project_id", project_}})));
  see(with_token("DELETE /v1/projects/" + project_));
  see(with_token(Ask("POST /v1/projects")));
  std::set<std::string> unseen = document().fields();
  for (const std::string& each : seen) unseen.erase(each);
  EXPECT_EQ(unseen, std::set<std::string>());
}

TEST_F(OpenApi, ApiN9NamesTheScopesThatAreEnough) {
  std::map<std::string, std::string> tokens;
  for (const std::string_view scope : oauth::ScopeSet::kNames)
    tokens[std::string(scope)] = token_of(std::string(scope));
  for (const Operation& operation : document().operations()) {
    if (operation.path == kDocument) continue;
    std::set<std::string> enough;
    for (const auto& [scope, token] : tokens) {
      // These records do not exist, so nothing changes.
      const int status = ask(request_of(operation, token, false)).status;
      EXPECT_NE(status, 401) << operation.id;
      if (status != 403) enough.insert(scope);
    }
    EXPECT_EQ(enough, operation.scopes) << operation.id;
  }
}

// Each operation is brought to each of its statuses. Those of nginx and of limits of an account
// have tests of their own.
TEST_F(OpenApi, ApiN9ListsOnlyStatusesThatHappen) {
  const std::string with_uploads = token_of("media:upload");
  const std::string with_stats = token_of("stats:read");
  const std::string long_body = R"({"name":")" + std::string(4 << 20, 'x') + "\"}";
  std::size_t statuses = 0;
  for (const Operation& operation : document().operations()) {
    const auto has = [&](const char* name) {
      return std::ranges::find(operation.headers, name, &Described::Field::name) !=
             operation.headers.end();
    };
    const auto reach = [&](int status) {
      const Ask good = request_of(operation, operation.path == kDocument ? "" : token_);
      switch (status) {
        case 304: return ask(good.with("If-None-Match", "*"));
        case 400: {
          Ask twice = request_of(operation, token_).with("Authorization", "Bearer " + token_ + "1");
          if (operation.takes_token_in_header) twice.target += "?access_token=" + token_;
          if (operation.path == kDocument) return ask(std::string(kDocument) + "?page=1");
          return ask(twice);
        }
        case 401: return ask(request_of(operation, ""));
        case 403:
          return ask(request_of(
              operation, operation.scopes.contains("stats:read") ? with_uploads : with_stats));
        case 404: return ask(request_of(operation, token_, false));
        case 405: return ask(Ask("POST " + operation.path));
        case 409:
          // A project with media; existing captions; a media that is not ready; otherwise two
          // simultaneous requests.
          if (operation.path.ends_with("/swap")) put(queued("described01"));
          json("PUT /v1/medias/move",
               R"({"hashed_ids":["described01"],"project_id":")" + project_ + "\"}");
          if (!has("Idempotency-Key")) return ask(good);
          // Threads read the two forms of an upload: they may end one after the other.
          for (const char* key : {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}) {
            for (const Answer& each : site_.ask_at_once(good.with("Idempotency-Key", key), 2)) {
              if (each.status == 409) return each;
            }
          }
          return Answer();
        case 412: return ask(good.with("If-Match", "\"another\""));
        case 413: return ask(good.with_body(long_body));
        case 415: return ask(good.with("Content-Type", "text/plain").with_body("x"));
        case 422:
          return ask(operation.takes_token_in_header
                         ? good.with_body("{" + quoted(operation.body[0].name) + ":[[]]}")
                         : good.with_body("--b--\r\n"));
        case 201: ask(with_token("DELETE /v1/medias/described01/captions/en")); return ask(good);
        default: return ask(good);
      }
    };
    for (const int status : operation.statuses) {
      if (status >= 500 || (status == 413 && !operation.takes_token_in_header)) continue;
      renew();
      EXPECT_EQ(reach(status).status, status) << operation.id;
      ++statuses;
    }
  }
  EXPECT_GT(statuses, 120u);
}

// If no record has the value, the list is empty or the value is refused.
TEST_F(OpenApi, ApiN9NamesTheParametersThatAreRead) {
  std::size_t parameters = 0;
  for (const Operation& operation : document().operations()) {
    for (const Described::Field& field : operation.query) {
      if (operation.method != "GET") continue;
      const Answer answer = ask(with_token(path_of(operation) + "?" +
                                           text::percent_encode(field.name) + "=none+of+them"));
      EXPECT_TRUE(answer.status == 400 ? answer.has(field.name) : answer.body == "[]")
          << operation.id << " " << field.name << answer.body;
      ++parameters;
    }
  }
  EXPECT_GT(parameters, 20u);
}

TEST_F(OpenApi, ApiN13AGetRefusesEachOtherParameterByItsName) {
  const std::string long_name(200, 'n');
  std::size_t requests = 0;
  for (const Operation& operation : document().operations()) {
    if (operation.method != "GET") continue;
    std::string listed;
    for (const Described::Field& field : operation.query)
      listed.append(listed.empty() ? "" : ", ").append(field.name);
    if (listed.empty()) listed = "none";
    for (const std::string& name :
         {std::string("status"), std::string("q"), std::string("timezone"), std::string("format"),
          std::string("start_date"), std::string("Page"), std::string("page%5B%5D"),
          std::string("_"), long_name}) {
      if (std::ranges::find(operation.query, name, &Described::Field::name) !=
          operation.query.end())
        continue;
      for (const std::string method : {"GET ", "HEAD "}) {
        for (const std::string suffix : {"", ".json"}) {
          if (operation.path == kDocument && !suffix.empty()) continue;
          SCOPED_TRACE(method + operation.path + suffix + "?" + name);
          const Answer answer =
              ask(with_token(method + path_of(operation) + suffix + "?" + name + "=1"));
          EXPECT_EQ(answer.status, 400);
          ++requests;
          EXPECT_EQ(answer.header("Cache-Control"), "no-store");
          EXPECT_EQ(answer.header("ETag"), "none");
          if (method == "HEAD ") continue;
          EXPECT_TRUE(answer.has(R"("error":"invalid_request")")) << answer.body;
          EXPECT_TRUE(answer.has(name == "page%5B%5D" ? "page[]" : name.substr(0, 61)))
              << answer.body;
          EXPECT_FALSE(answer.has(long_name.substr(0, 65))) << answer.body;
          EXPECT_TRUE(answer.has("which reads " + listed + "\"")) << answer.body;
        }
      }
    }
    if (operation.path == kDocument) continue;
    EXPECT_EQ(ask(path_of(operation) + "?status=1").status, 401) << operation.path;
    EXPECT_EQ(
        ask(path_of(operation) + "?access_token=" + token_ + "&bearer_token=" + token_).status, 200)
        << operation.path;
  }
  EXPECT_GT(requests, 400u);
  EXPECT_EQ(ask(with_token("/v1/medias/absent00001?status=1")).status, 404);
}

TEST_F(OpenApi, ApiN9OffersOneWayForATokenPerOperation) {
  std::set<std::string> in_query;
  for (const Operation& operation : document().operations()) {
    EXPECT_LE(operation.schemes.size(), 1u) << operation.id;
    const bool has = std::ranges::find(operation.query, "access_token", &Described::Field::name) !=
                     operation.query.end();
    EXPECT_FALSE(has && !operation.schemes.empty()) << operation.id;
    if (has) in_query.insert(operation.id);
  }
  EXPECT_EQ(in_query, std::set<std::string>{"uploadMedia"});
  const Answer answer = ask(kDocument);
  EXPECT_FALSE(answer.has("apiKey"));
  // A client that fills each place that it knows.
  EXPECT_EQ(ask(with_token("/v1/medias?access_token=" + token_)).status, 200);
  const Operation& upload =
      *std::ranges::find(document().operations(), "uploadMedia", &Operation::id);
  EXPECT_EQ(ask(with_token(request_of(upload, token_))).status, 201);
}

// Wrong values are refused, so the fields are read by these names.
TEST_F(OpenApi, ApiN9NamesTheFieldsThatAreRead) {
  std::size_t fields = 0;
  for (const Operation& operation : document().operations()) {
    if (!operation.takes_token_in_header) continue;
    for (const Described::Field& field : operation.body) {
      SCOPED_TRACE(operation.id + " " + field.name);
      const Answer answer =
          json(operation.method + " " + path_of(operation), "{" + quoted(field.name) + ":[[]]}");
      EXPECT_EQ(answer.status, 422);
      EXPECT_TRUE(answer.has(R"("errors":{)") && answer.has(quoted(field.name) + ":["))
          << answer.body;
      ++fields;
    }
    for (const Described::Field& field : operation.body) {
      if (!field.is_required) continue;
      const Answer answer = json(operation.method + " " + path_of(operation), "{}");
      EXPECT_TRUE(answer.status == 422 && answer.has(quoted(field.name) + ":["))
          << operation.id << " " << answer.body;
    }
  }
  EXPECT_GT(fields, 50u);
}

}  // namespace
}  // namespace svc::rules::openapi
