#include "login/browser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::login {
namespace {

TEST(Browser, NamesBrowserAndSystemOfAUserAgent) {
  struct Case {
    std::string_view name, user_agent;
  };
  for (const Case& c : {
           Case{"Firefox on Linux",
                "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"},
           Case{"Firefox on macOS",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 "
                "Firefox/140.0"},
           Case{"Firefox on iOS",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) FxiOS/125.0 Mobile/15E148 Safari/605.1.15"},
           Case{"Chrome on Windows",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/126.0.0.0 Safari/537.36"},
           Case{"Chrome on Android",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/126.0.0.0 Mobile Safari/537.36"},
           Case{"Chrome on ChromeOS",
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/126.0.0.0 Safari/537.36"},
           Case{"Edge on Windows",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0"},
           Case{"Opera on Linux",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/125.0.0.0 Safari/537.36 OPR/111.0.0.0"},
           Case{"Samsung Internet on Android",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
                "SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36"},
           Case{"Safari on macOS",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) Version/17.5 Safari/605.1.15"},
           Case{"Safari on iPadOS",
                "Mozilla/5.0 (iPad; CPU OS 16_5 like Mac OS X) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) Version/16.5 Mobile/15E148 Safari/604.1"},
           Case{"curl on an unknown system", "curl/7.88.1"},
           Case{"Unknown browser on Linux", "w3m/0.5.3 (Linux)"},
           Case{"Unknown browser", ""},
           Case{"Unknown browser", "a header that names nothing"},
       }) {
    EXPECT_EQ(browser_of(c.user_agent), c.name) << c.user_agent;
  }
}

TEST(Browser, RepeatsNothingThatTheClientSent) {
  const std::string hostile = "<script>alert(1)</script>\r\n\x1b[2J" + std::string(10'000, 'x');
  EXPECT_EQ(browser_of(hostile), "Unknown browser");
  EXPECT_EQ(browser_of(hostile + "Firefox/1 (Linux)"), "Firefox on Linux");
}

}  // namespace
}  // namespace svc::login
