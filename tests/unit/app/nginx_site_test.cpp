#include "app/nginx_site.h"

#include <gtest/gtest.h>

namespace svc::app {
namespace {

TEST(NginxSite, WarnsOfUrlsThatASiteWithTlsDoesNotServe) {
  struct Case {
    std::string_view app_url;
    std::string_view embed_host;
    std::vector<std::string_view> settings;
  };
  for (const Case& c : {
           Case{"https://app.example", "https://embed.example:443", {}},
           Case{"http://app.example", "http://app.example", {"app-url is http://app.example,"}},
           Case{"https://app.example", "https://embed.example:8443", {"embed-host is https://e"}},
           Case{"http://app.example:443", "http://a.example", {"app-url is ", "embed-host is "}},
       }) {
    SCOPED_TRACE(c.app_url);
    embed::Site site;
    site.app_url = site.base_url = site.oembed_url = c.app_url;
    site.embed_host = c.embed_host;
    const auto warnings = warnings_of_site(site, {.tls = true});
    ASSERT_EQ(warnings.size(), c.settings.size());
    for (std::size_t i = 0; i < warnings.size(); ++i)
      EXPECT_TRUE(warnings[i].starts_with(c.settings[i])) << warnings[i];
    EXPECT_TRUE(warnings_of_site(site, {.tls = false}).empty());
  }
}

TEST(NginxSite, KnowsTheFormOfHttp2ByTheVersionOfNginx) {
  for (const auto& [version, has_directive] :
       {std::pair("nginx version: nginx/1.22.1\n", false),
        std::pair("nginx version: nginx/1.25.0\n", false),
        std::pair("nginx version: nginx/1.25.1", true),
        std::pair("nginx version: nginx/1.26.3 (Debian)\n", true),
        std::pair("nginx version: openresty/1.27.1.1", false),
        std::pair("cannot run nginx/", false)}) {
    EXPECT_EQ(has_http2_directive(version), has_directive) << version;
  }
}

}  // namespace
}  // namespace svc::app
