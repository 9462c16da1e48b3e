#include "http/router.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/unavailable.h"
#include "fakes/headers.h"

namespace svc::http {
namespace {

using fakes::header;

class Page : public Endpoint {
 public:
  explicit Page(std::string body) : body_(std::move(body)) {}

  void prepare(const Request&) override {
    ++prepared;
    if (away) throw base::Unavailable("prepare");
  }
  Response answer(const Request&) override {
    if (away) throw base::Unavailable("answer");
    Response response;
    response.body = body_;
    return response;
  }
  void add_common_headers(Response& response) const override { response.with("X-Common", "yes"); }

  int prepared = 0;
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

TEST(Router, FindsAnEndpointByItsWholePath) {
  Page one("one");
  Page two("two");
  Router router;
  router.add("/a", one);
  router.add("/a/", one);
  router.add("/a.b", two);
  EXPECT_EQ(router.find("/a"), &one);
  EXPECT_EQ(router.find("/a/"), &one);
  EXPECT_EQ(router.answer(request("/a.b")).body, "two");
  for (const std::string_view path : {"", "/", "/A", "/ab", "/a/b", "a", "/a.", "/axb", "/a?x"}) {
    EXPECT_EQ(router.find(path), nullptr) << path;
  }
}

TEST(Router, FindsAnEndpointByTheLongestFolderAboveThePath) {
  Page all("all");
  Page deep("deep");
  Page exact("exact");
  Router router;
  router.add("/a/b/c", exact);
  router.add_below("/a/", all);
  router.add_below("/a/b/", deep);
  struct Case {
    std::string_view path;
    Endpoint* endpoint;
  };
  for (const Case& c : {
           Case{"/a/x", &all},
           Case{"/a/x/y", &all},
           Case{"/a/b", &all},
           Case{"/a/b/x", &deep},
           Case{"/a/b/c", &exact},
           Case{"/a/b/c/", &deep},
           Case{"/a/b/", &deep},
           Case{"/a//", &all},
           Case{"/a/", &all},
           Case{"/a", nullptr},
           Case{"/ab", nullptr},
           Case{"/", nullptr},
           Case{"", nullptr},
       }) {
    EXPECT_EQ(router.find(c.path), c.endpoint) << c.path;
  }
}

TEST(Router, TakesAnExactPathBelowAFolderThatCameBefore) {
  Page all("all");
  Page exact("exact");
  Router router;
  router.add_below("/a/", all);
  router.add("/a/b", exact);
  EXPECT_EQ(router.find("/a/b"), &exact);
  EXPECT_EQ(router.find("/a/c"), &all);
}

TEST(Router, Answers404WhereThereIsNoEndpoint) {
  Router router;
  const Response response = router.answer(request("/nothing"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"error":"not found"})");
  router.prepare(request("/nothing"));
}

TEST(Router, GivesEveryAnswerItsEndpointsHeaders) {
  Page page("body");
  Router router;
  router.add("/page", page);
  EXPECT_EQ(header(router.answer(request("/page")), "X-Common"), "yes");
}

TEST(Router, Answers503WhereTheStoreIsAway) {
  Page page("body");
  page.away = true;
  Router router;
  router.add("/page", page);
  const Response response = router.answer(request("/page"));
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(header(response, "Retry-After"), "none");
  EXPECT_EQ(header(response, "X-Common"), "yes");
  EXPECT_EQ(response.body.find("answer"), std::string::npos) << "what failed is for the log";
}

TEST(Router, LeavesAnOutageThatPrepareMeetsToTheAnswer) {
  Page page("body");
  page.away = true;
  Router router;
  router.add("/page", page);
  router.prepare(request("/page"));
  EXPECT_EQ(page.prepared, 1);
  page.away = false;
  EXPECT_EQ(router.answer(request("/page")).body, "body");
}

TEST(RouterDeathTest, AbortsOnAPathThatIsGivenTwice) {
  Page page("body");
  Router router;
  router.add("/page", page);
  EXPECT_DEATH(router.add("/page", page), "");
  router.add_below("/folder/", page);
  EXPECT_DEATH(router.add_below("/folder/", page), "");
  EXPECT_DEATH(router.add_below("/no-slash", page), "");
}

// Counts what it answers, and says whether its answers may be shared.
class Counting : public Endpoint {
 public:
  explicit Counting(bool shares) : shares_(shares) {}
  Response answer(const Request&) override {
    Response response;
    response.status = next_status;
    response.body = std::to_string(++answers);
    return response;
  }
  bool shares_answers(const Request&) const override { return shares_; }

  int answers = 0;
  int next_status = 200;

 private:
  const bool shares_;
};

TEST(Router, C3AnswersOnceForAllWhoAskTheSameInARound) {
  Counting endpoint(true);
  Router router;
  router.add("/a", endpoint);
  router.add("/b", endpoint);
  const auto ask = [&](std::string path, std::string query, std::string method = "GET",
                       std::string tag = "") {
    Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.if_none_match = tag;
    return router.answer(request).body;
  };
  EXPECT_EQ(ask("/a", "x"), "1");
  EXPECT_EQ(ask("/a", "x"), "1") << "the same question";
  EXPECT_EQ(ask("/a", "y"), "2") << "another query";
  EXPECT_EQ(ask("/b", "x"), "3") << "another path";
  EXPECT_EQ(ask("/a", "x", "GET", "tag"), "4") << "another If-None-Match";
  EXPECT_EQ(ask("/a", "x", "HEAD"), "5") << "another method";
  EXPECT_EQ(ask("/a", "x"), "1");
  router.end_round();
  EXPECT_EQ(ask("/a", "x"), "6") << "another round";
  endpoint.next_status = 503;
  EXPECT_EQ(ask("/a", "z"), "7");
  EXPECT_EQ(ask("/a", "z"), "8") << "an outage is not shared";
}

TEST(Router, SharesNothingOfAnEndpointThatDoesNotSaySo) {
  Counting endpoint(false);
  Router router;
  router.add("/a", endpoint);
  Request request;
  request.method = "GET";
  request.path = "/a";
  EXPECT_EQ(router.answer(request).body, "1");
  EXPECT_EQ(router.answer(request).body, "2");
}

}  // namespace
}  // namespace svc::http
