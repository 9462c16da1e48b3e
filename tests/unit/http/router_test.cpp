#include "http/router.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "fakes/headers.h"
#include "fakes/tasks.h"

namespace svc::http {
namespace {

using fakes::header;
using fakes::now;

class Page : public Endpoint {
 public:
  explicit Page(std::string body) : body_(std::move(body)) {}

  loop::Task<Response> answer(const Request&) override {
    if (away) throw base::Unavailable("answer");
    Response response;
    response.body = body_;
    co_return response;
  }
  void add_common_headers(Response& response) const override { response.with("X-Common", "yes"); }

  bool away = false;

 private:
  std::string body_;
};

Request request(std::string_view path) {
  Request request;
  request.method = "GET";
  request.path = path;
  return request;
}

// Added in an order in which the first match would be wrong.
TEST(Router, FindsThePatternWithMostLiteralCharacters) {
  Page page("body");
  Router router;
  for (const char* pattern : {"/a/*", "/a/{x}.json", "/a/b/*", "/a/b/c", "/s/*", "/s/{id}/new",
                              "/s/{id}/**", "/s/{id}/media/**"})
    router.add(pattern, page);
  struct Case {
    std::string_view path, pattern;
  };
  for (const Case& c : {
           Case{"/a/x", "/a/*"},
           Case{"/a/", "/a/*"},
           Case{"/a//", "/a/*"},
           Case{"/a/x/y.json", "/a/{x}.json"},
           Case{"/a/x.json", "/a/{x}.json"},
           Case{"/a/.json", "/a/*"},
           Case{"/a/b.json.json", "/a/{x}.json"},
           Case{"/a/b", "/a/*"},
           Case{"/a/b/", "/a/b/*"},
           Case{"/a/b/c", "/a/b/c"},
           Case{"/a/b/c/", "/a/b/*"},
           Case{"/s/1", "/s/{id}/**"},
           Case{"/s/1/", "/s/{id}/**"},
           Case{"/s/1/new", "/s/{id}/new"},
           Case{"/s/1/newer", "/s/{id}/**"},
           Case{"/s/1/media", "/s/{id}/media/**"},
           Case{"/s/1/media/x/y", "/s/{id}/media/**"},
           Case{"/s/1/medias", "/s/{id}/**"},
           Case{"/s//media", "/s/*"},
           Case{"/s/", "/s/*"},
           Case{"/s/a://b/new", "/s/{id}/new"},
           Case{"/s/a:/b/new", "/s/{id}/new"},
           Case{"/s/a:/b/new/c", "/s/{id}/**"},
           Case{"/s/a:", "/s/{id}/**"},
           Case{"/a", "none"},
           Case{"/ab", "none"},
           Case{"/s", "none"},
           Case{"/", "none"},
           Case{"", "none"},
       }) {
    std::vector<std::string> routes = router.routes();
    routes.emplace_back("none");
    EXPECT_EQ(routes.at(router.route_of(c.path)), c.pattern) << c.path;
    EXPECT_EQ(router.find(c.path), c.pattern == "none" ? nullptr : &page) << c.path;
  }
}

TEST(Router, GivesTheEndpointThePartsOfItsPath) {
  class Parts : public Page {
   public:
    using Page::Page;
    loop::Task<Response> answer(const Request& request) override {
      Response response;
      for (const std::string_view part :
           {request.part("account"), request.part("media"), request.part("language"),
            request.part("domain"), request.rest()})
        response.body.append("<").append(part).append(">");
      co_return response;
    }
  };
  Parts page("");
  Router router;
  for (const char* pattern : {"/a/*", "/a/{media}.json", "/s/{account}/media/{media}/**",
                              "/d/{domain}", "/exact", "/f/{media}/in/{language}.vtt"})
    router.add(pattern, page);
  router.add(Rule{.pattern = "/api/{media}", .methods = "GET", .errors = ErrorForm::Api}, page);
  for (const auto& [path, parts] : {
           std::pair("/a/x/y", "<><><><><x/y>"),
           {"/a/", "<><><><><>"},
           {"/a/x.json", "<><x><><><>"},
           {"/a/x/y.json", "<><x/y><><><>"},
           {"/s/1/media/x", "<1><x><><><>"},
           {"/s/1/media/x/", "<1><x><><></>"},
           {"/s/1/media/x/y/z", "<1><x><><></y/z>"},
           {"/d/a:/b", "<><><><a:/b><>"},
           {"/exact", "<><><><><>"},
           {"/f/x/in/de.vtt", "<><x><de><><>"},
           {"/f/x/in/de.srt.vtt", "<><x><de.srt><><>"},
           {"/api/x", "<><x><><><>"},
           {"/api/x.json", "<><x><><><>"},
       }) {
    const Request of_path = request(path);
    EXPECT_EQ(now(router.answer(of_path)).body, parts) << path;
    EXPECT_EQ(of_path.part("media"), "") << "the endpoint gets its own request";
  }
}

TEST(Router, Answers404ForUnknownPaths) {
  const Router router;
  const Request nothing = request("/nothing");
  const Response response = now(router.answer(nothing));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"error":"not found"})");
  EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
}

TEST(Router, RefusesUnknownPathsOfTheDataApiInItsForm) {
  Page page("body");
  Router router;
  router.add(Rule{.pattern = "/api/a/{id}", .methods = "GET", .errors = ErrorForm::Api}, page);
  router.add("/page", page);
  for (const auto& [path, is_api] : {std::pair("/api/b", true),
                                     {"/api", true},
                                     {"/apis/a", false},
                                     {"/page/api", false},
                                     {"/", false}}) {
    SCOPED_TRACE(path);
    const Request nothing = request(path);
    EXPECT_EQ(now(router.answer(nothing)).body,
              is_api ? R"({"error":"not_found","error_description":"not found"})"
                     : R"({"error":"not found"})");
    EXPECT_EQ(router.unavailable(nothing).body,
              is_api ? R"({"error":"temporarily_unavailable",)"
                       R"("error_description":"temporarily unavailable"})"
                     : R"({"error":"temporarily unavailable"})");
  }
}

TEST(Router, ReturnsThe503OfAnEndpointOrOfItsRoute) {
  class OfItsOwn : public Page {
   public:
    using Page::Page;
    std::optional<Response> unavailable(const Request& request) const override {
      if (request.query.empty()) return std::nullopt;
      return json_error(503, request.query);
    }
  };
  OfItsOwn page("body");
  page.away = true;
  Router router;
  router.add("/page", page);
  Request asked = request("/page");
  const Response usual = now(router.answer(asked));
  EXPECT_EQ(usual.status, 503);
  EXPECT_EQ(header(usual, "X-Common"), "yes");
  EXPECT_EQ(usual.body.find("answer"), std::string::npos) << "what failed is for the log";
  asked.query = "q";
  EXPECT_EQ(now(router.answer(asked)).body, R"({"error":"q"})");
  EXPECT_EQ(header(router.unavailable(asked), "X-Common"), "yes");
  EXPECT_EQ(router.unavailable(request("/nothing")).status, 503);
}

TEST(RouterDeathTest, AbortsOnDuplicateAndInvalidPaths) {
  Page page("body");
  Router router;
  router.add("/page", page);
  EXPECT_DEATH(router.add("/page", page), "");
}

TEST(Router, ApiN14DeprecatedPartsSaySinceWhenAndUntilWhen) {
  using Of = Deprecation::Of;
  static constexpr std::array kRows{
      Deprecation{Of::Operation, "/v1/films/{film}", "GET", "", "2026-11-28", "2027-06-01", "New."},
      Deprecation{Of::Parameter, "/v1/films", "GET", "sort", "2026-11-28", "", "New."},
      Deprecation{Of::Field, "/v1/project", "GET", "Project.id", "2026-11-28", "", "New."}};
  Page page("");
  Router router;
  for (const char* pattern : {"/v1/films/{film}", "/v1/films", "/v1/project", "/v1/else"})
    router.add({pattern, "GET, HEAD, PUT", ErrorForm::Api}, page);
  router.announce(kRows, "https://app.example/developers/changelog#deprecated");
  struct Row {
    const char* name;
    const char* method;
    const char* path;
    const char* query;
    bool is_deprecated;
  };
  for (const Row& row : {Row{"the operation", "GET", "/v1/films/1", "", true},
                         {"with .json", "GET", "/v1/films/1.json", "", true},
                         {"its HEAD", "HEAD", "/v1/films/1", "", true},
                         {"another method", "PUT", "/v1/films/1", "", false},
                         {"the parameter", "GET", "/v1/films", "a=1&sort=name", true},
                         {"alone, without a value", "GET", "/v1/films", "sort", true},
                         {"another parameter", "GET", "/v1/films", "sorted=1&a=sort", false},
                         {"a field of the response", "GET", "/v1/project", "", true},
                         {"another path", "GET", "/v1/else", "sort=1", false}}) {
    SCOPED_TRACE(row.name);
    Request asked = request(row.path);
    asked.method = row.method;
    asked.query = row.query;
    for (const bool away : {false, true}) {
      page.away = away;
      const Response answer = now(router.answer(asked));
      EXPECT_EQ(answer.status, away ? 503 : 200);
      EXPECT_EQ(header(answer, "Deprecation"), row.is_deprecated ? "@1795824000" : "none");
      EXPECT_EQ(header(answer, "Link"),
                row.is_deprecated ? "<https://app.example/developers/changelog#deprecated>; "
                                    "rel=\"deprecation\"; type=\"text/html\""
                                  : "none");
    }
  }
  page.away = false;
  EXPECT_EQ(header(now(router.answer(request("/v1/films/1"))), "Sunset"),
            "Tue, 01 Jun 2027 00:00:00 GMT");
  Request sorted = request("/v1/films");
  sorted.query = "sort=name";
  EXPECT_EQ(header(now(router.answer(sorted)), "Sunset"), "none") << "not decided";
}

}  // namespace
}  // namespace svc::http
