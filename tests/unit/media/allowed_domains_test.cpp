#include "media/allowed_domains.h"

#include <gtest/gtest.h>

namespace svc::media {
namespace {

std::string canonical(std::string_view text) {
  const auto name = canonical_domain(text);
  return name ? *name : "refused: " + name.error().substr(0, 19);
}

TEST(AllowedDomains, AreStoredAsBrowsersNameThem) {
  for (const auto& [text, stored] : {std::pair("Site.Example", "site.example"),
                                     {"*.site.example", "*.site.example"},
                                     {" site.example ", "site.example"},
                                     {"bücher.example", "xn--bcher-kva.example"},
                                     {"localhost", "localhost"},
                                     {"localhost:5173", "localhost:5173"},
                                     {"localhost:80", "localhost"},
                                     {"*.localhost:8080", "*.localhost:8080"},
                                     {"a.localhost", "a.localhost"}})
    EXPECT_EQ(canonical(text), stored) << text;
}

TEST(AllowedDomains, RefuseWhatIsNoNameOfASite) {
  for (const char* text : {"",
                           "*",
                           "*.",
                           "example",
                           "*.example",
                           "site.example:8443",
                           "https://site.example",
                           "site.example/",
                           "site.example/path",
                           "192.0.2.1",
                           "[::1]",
                           "a..b",
                           ".site.example",
                           "site.example.",
                           "*.*.example",
                           "a.*.example",
                           "my_site.example",
                           "user@site.example",
                           "site.example;script-src",
                           "site.example site2.example",
                           "'self'",
                           "localhost:0",
                           "localhost:65536",
                           "localhost:",
                           "0x7f.1",
                           "null",
                           "data:"})
    EXPECT_EQ(canonical(text), "refused: must be a host name") << text;
}

TEST(AllowedDomains, CoverAsInAPolicy) {
  const AllowedDomains domains{"site.example", "*.shop.example", "localhost:5173"};
  for (const char* origin : {"https://site.example", "http://site.example", "https://SITE.example",
                             "https://site.example:443", "https://a.shop.example",
                             "https://a.b.shop.example", "http://localhost:5173"})
    EXPECT_TRUE(covers(domains, origin)) << origin;
  for (const char* origin :
       {"https://www.site.example", "https://site.example:8443", "https://shop.example",
        "https://ashop.example", "https://site.example.evil.example", "https://evilsite.example",
        "http://localhost", "http://localhost:5174", "null", "", "file://", "site.example",
        "https://site.example@evil.example", "ftp://site.example", "https://*.shop.example"})
    EXPECT_FALSE(covers(domains, origin)) << origin;
  EXPECT_EQ(frame_sources(domains),
            "http://site.example http://*.shop.example http://localhost:5173");
}

}  // namespace
}  // namespace svc::media
