#include "media/allowed_domains.h"

#include <gtest/gtest.h>

namespace svc::media {
namespace {

std::string canonical(std::string_view text) {
  const auto name = canonical_domain(text);
  return name ? *name : "refused: " + name.error().substr(0, 19);
}

TEST(AllowedDomains, AreStoredAsBrowsersNameThem) {
  for (const auto& [text, stored] :
       {std::pair("Site.Example", "site.example"),
        {"*.site.example", "*.site.example"},
        {" site.example ", "site.example"},
        {"bücher.example", "xn--bcher-kva.example"},
        {"localhost", "localhost"},
        {"localhost:5173", "localhost:5173"},
        {"localhost:80", "localhost"},
        {"*.localhost:8080", "*.localhost:8080"},
        {"a.localhost", "a.localhost"},
        {"127.0.0.1", "127.0.0.1"},
        {"http://127.0.0.1:3000", "127.0.0.1:3000"},
        {"https://localhost", "localhost"},
        {"HTTP://localhost:*", "localhost:*"},
        {"127.0.0.1:*", "127.0.0.1:*"},
        {"https://tauri.localhost", "tauri.localhost"},
        {"Capacitor://LocalHost", "capacitor://localhost"},
        {"ionic://localhost:8080", "ionic://localhost:8080"},
        {"tauri://localhost", "tauri://localhost"},
        {"app://-", "app://-"},
        {"com.example.app://host.example", "com.example.app://host.example"}})
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
                           "data:",
                           "127.0.0.2",
                           "*.127.0.0.1",
                           "site.example:*",
                           "http://site.example",
                           "https://192.168.0.1:3000",
                           "http://[::1]:3000",
                           "http://localhost/path",
                           "capacitor:",
                           "capacitor://",
                           "capacitor:localhost",
                           "capacitor://localhost/",
                           "capacitor://localhost:*",
                           "capacitor://*.localhost",
                           "capacitor://*",
                           "capacitor://user@localhost",
                           "capacitor://local_host",
                           "capacitor://[::1]",
                           "capacitor://localhost; script-src *",
                           "capacitor://localhost'",
                           "1app://localhost",
                           "a+b://localhost",
                           "a23456789012345678901234567890b://localhost",
                           "://localhost",
                           "wss://localhost",
                           "ftp://site.example",
                           "file://",
                           "file://localhost",
                           "about:blank"})
    EXPECT_EQ(canonical(text), "refused: must be a host name") << text;
}

TEST(AllowedDomains, RefuseByNameWhatHasNoOrigin) {
  for (const char* text : {"file://", "data:text/html,a", "null", "about:srcdoc", "FILE:///a"})
    EXPECT_NE(canonical_domain(text).error().find("have no origin"), std::string::npos) << text;
  EXPECT_NE(canonical_domain("http://[::1]:80").error().find("IPv6"), std::string::npos);
}

TEST(AllowedDomains, CoverOriginsOfApplications) {
  const AllowedDomains domains{"capacitor://localhost", "ionic://localhost:8080", "127.0.0.1:3000",
                               "localhost:*"};
  for (const char* origin :
       {"capacitor://localhost", "CAPACITOR://localhost", "ionic://localhost:8080",
        "http://127.0.0.1:3000", "https://127.0.0.1:3000", "http://localhost",
        "https://localhost:8443"})
    EXPECT_TRUE(covers(domains, origin)) << origin;
  for (const char* origin :
       {"capacitor://localhost:80", "capacitor://evil", "ionic://localhost", "tauri://localhost",
        "http://127.0.0.1", "http://127.0.0.1:3001", "http://127.0.0.2:3000", "file://", "null",
        "http://capacitor", "http://a.localhost", "capacitor://localhost/", "capacitor:/localhost"})
    EXPECT_FALSE(covers(domains, origin)) << origin;
  EXPECT_EQ(frame_sources(domains),
            "capacitor://localhost ionic://localhost:8080 http://127.0.0.1:3000 "
            "http://localhost:*");
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
