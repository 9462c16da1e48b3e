#include "text/csp_source.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::text {
namespace {

TEST(CspSource, IsTheOriginOrTheScheme) {
  struct Case {
    std::string_view name, uri, source;
  };
  for (const Case& c : {
           Case{"a host", "https://app.example", "https://app.example"},
           Case{"a path and a query", "https://app.example/cb?x=1;y", "https://app.example"},
           Case{"a port", "https://app.example:8443/cb", "https://app.example:8443"},
           Case{"the default port", "https://app.example:443/cb", "https://app.example"},
           Case{"an empty port", "http://app.example:/cb", "http://app.example"},
           Case{"capitals", "HTTPS://App.Example/CB", "https://app.example"},
           Case{"Punycode", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example"},
           Case{"an IPv4 address", "http://127.0.0.1:9090/cb", "http://127.0.0.1:9090"},
           Case{"an IPv6 address", "http://[::1]:9090/cb", "http:"},
           Case{"an underscore", "https://my_app.example/cb", "https:"},
           Case{"a dot at the end", "https://app.example./cb", "https:"},
           Case{"two dots", "https://app..example/cb", "https:"},
           Case{"an address that browsers change", "http://127.1/cb", "http:"},
           Case{"one number", "http://2130706433/cb", "http:"},
           Case{"octal", "http://0177.0.0.1/cb", "http:"},
           Case{"hexadecimal", "http://0x7f.0.0.0x1/cb", "http:"},
           Case{"a number before other labels", "https://1.0x2.example", "https://1.0x2.example"},
           Case{"the scheme of a native application", "com.Example.app:/cb", "com.example.app:"},
           Case{"the same with an authority", "my-app://cb", "my-app:"},
           Case{"nothing", "", ""},
           Case{"a path", "/films/a.mp4", ""},
           Case{"a word", "'unsafe-inline'", ""},
           Case{"a wildcard", "https://*.example", ""},
           Case{"all", "*", ""},
           Case{"user info", "https://a@b.example", ""},
           Case{"a percent escape", "https://a%2eb.example", ""},
           Case{"a letter outside of ASCII", "https://b\xc3\xbc.example", ""},
           Case{"a semicolon", "https://a;script-src", ""},
           Case{"a comma", "https://a,b", ""},
           Case{"a space", "x:a script-src *", ""},
           Case{"a new line", "https://a\r\nX: y", ""},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(csp_source(c.uri), c.source);
    EXPECT_EQ(csp_origin(c.uri).value_or(""), c.source.ends_with(':') ? "" : c.source);
  }
}

}  // namespace
}  // namespace svc::text
