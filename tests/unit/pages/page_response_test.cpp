#include "pages/page_response.h"

#include <gtest/gtest.h>

#include <string_view>

#include "fakes/headers.h"

namespace svc::pages {
namespace {

TEST(PageResponse, HasOurContentSecurityPolicy) {
  const auto policy = [](std::string_view origin) {
    return fakes::header(page_response(200, "", {}, origin), "Content-Security-Policy");
  };
  EXPECT_EQ(policy(""),
            "default-src 'none'; base-uri 'none'; form-action 'self'; style-src 'self'; "
            "script-src 'self'; img-src data:; frame-ancestors 'none'");
  EXPECT_NE(policy("https://a.example:8443").find("form-action 'self' https://a.example:8443;"),
            std::string::npos);
  EXPECT_NE(policy("http://[::1]:1234").find("form-action 'self' http:;"), std::string::npos);
  EXPECT_NE(policy("https://my_app.example").find("form-action 'self' https:;"), std::string::npos);
  for (const std::string_view hostile : {"https://a;script-src *", "https://a 'unsafe-inline'",
                                         "https://a,b", "'unsafe-inline'", "https://a\r\nX: y"}) {
    EXPECT_EQ(policy(hostile), policy("")) << hostile;
  }
}

}  // namespace
}  // namespace svc::pages
