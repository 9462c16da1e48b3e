#include "pages/csrf.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::pages {
namespace {

TEST(Csrf, OauthL1AcceptsFormsOfOurOwnOriginOnly) {
  struct Case {
    std::string_view origin, app_url;
    bool may;
  };
  for (const Case& c : {
           Case{"", "https://app.example", true},
           Case{"null", "https://app.example", true},
           Case{"https://app.example", "https://app.example", true},
           Case{"https://APP.example", "https://app.example", true},
           Case{"http://127.0.0.1:8080", "http://127.0.0.1:8080", true},
           Case{"https://app.example", "https://app.example/app", true},
           Case{"https://app.example", "https://app.example:8443", false},
           Case{"http://app.example", "https://app.example", false},
           Case{"https://app.example.evil.example", "https://app.example", false},
           Case{"https://evil.example", "https://app.example", false},
           Case{"https://", "https://app.example", false},
           Case{"null, https://app.example", "https://app.example", false},
       }) {
    EXPECT_EQ(is_allowed_origin(c.origin, c.app_url), c.may) << c.origin << " at " << c.app_url;
  }
}

}  // namespace
}  // namespace svc::pages
