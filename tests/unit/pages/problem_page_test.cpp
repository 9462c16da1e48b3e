#include "pages/problem_page.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::pages {
namespace {

TEST(ProblemPage, ShowsTheProblemEscapedAndTheRequestId) {
  http::Request request;
  request.host = "app.home.example";
  request.request_id = "0123456789abcdef";
  Problem problem;
  problem.title = "A <title>";
  problem.text = "What <happened>.";
  problem.next = "What to <do>.";
  problem.detail = "redirect_uri: the port differs";
  const http::Response response = problem_page(problem, request, {});
  EXPECT_EQ(response.status, 400);
  for (const std::string_view part :
       {"<title>A &lt;title&gt; · app.home.example</title>", "<h1>A &lt;title&gt;</h1>",
        "What &lt;happened&gt;.", "What to &lt;do&gt;.", "redirect_uri: the port differs",
        "0123456789abcdef"}) {
    EXPECT_NE(response.body.find(part), std::string::npos) << part;
  }
  problem.detail = "";
  EXPECT_EQ(problem_page(problem, request, {}).body.find("developers"), std::string::npos);
}

}  // namespace
}  // namespace svc::pages
