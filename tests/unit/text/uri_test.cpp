#include "text/uri.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace svc::text {
namespace {

TEST(PercentEncode, LeavesOnlyUnreservedCharacters) {
  struct Case {
    std::string_view name, text, encoded;
  };
  for (const Case& c : {
           Case{"nothing", "", ""},
           Case{"RFC 3986 §2.3", "AZaz09-._~", "AZaz09-._~"},
           Case{"a space is never a plus", "a b+c", "a%20b%2Bc"},
           Case{"what would end an attribute", "\"'<>&", "%22%27%3C%3E%26"},
           Case{"what would end a word", "a=b;c d", "a%3Db%3Bc%20d"},
           Case{"UTF-8 byte by byte", "é陈", "%C3%A9%E9%99%88"},
           Case{"any byte", std::string_view("\0\n\xff", 3), "%00%0A%FF"},
           Case{"a percent sign", "100%", "100%25"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(percent_encode(c.text), c.encoded);
  }
}

TEST(UriParts, AreSplitAtTheDelimitersAlone) {
  struct Case {
    std::string_view name, text, scheme, authority, host, port, path;
    std::optional<std::string_view> query;
  };
  constexpr auto kNone = std::nullopt;
  for (const Case& c : {
           Case{"all of it", "s://u@h:1/p?q", "s", "u@h:1", "u@h", ":1", "/p", "q"},
           Case{"a host alone", "s://h", "s", "h", "h", "", "", kNone},
           Case{"nothing", "s://", "s", "", "", "", "", kNone},
           Case{"a path alone", "s:///p/q", "s", "", "", "", "/p/q", kNone},
           Case{"an empty query", "s://h?", "s", "h", "h", "", "", ""},
           Case{"a query has what it likes", "s://h?a/b?c:d", "s", "h", "h", "", "", "a/b?c:d"},
           Case{"an empty port", "s://h:/", "s", "h:", "h", ":", "/", kNone},
           Case{"an IPv6 address", "s://[::1]:2/", "s", "[::1]:2", "[::1]", ":2", "/", kNone},
           Case{"a bracket that is not closed", "s://[::1", "s", "[::1", "[::1", "", "", kNone},
           Case{"a fragment is cut off", "s://h/p?q#f?/", "s", "h", "h", "", "/p", "q"},
           Case{"nothing is checked", "://\\ :x", "", "\\ :x", "\\ ", ":x", "", kNone},
       }) {
    SCOPED_TRACE(c.name);
    const auto parts = split_uri(c.text);
    if (!parts) {
      ADD_FAILURE() << "no parts";
      continue;
    }
    EXPECT_EQ(parts->scheme, c.scheme);
    EXPECT_EQ(parts->authority, c.authority);
    EXPECT_EQ(parts->host, c.host);
    EXPECT_EQ(parts->port, c.port);
    EXPECT_EQ(parts->path, c.path);
    EXPECT_EQ(parts->query, c.query);
  }
  for (const std::string_view text : {"", "h", "/p", "mailto:a@b", "s:/p"})
    EXPECT_FALSE(split_uri(text)) << text;
}

TEST(UriParts, APortIsAColonAndOneTo65535) {
  EXPECT_EQ(parse_port(":1"), 1);
  EXPECT_EQ(parse_port(":65535"), 65535);
  EXPECT_EQ(parse_port(":0080"), 80);
  for (const std::string_view text : {"", ":", "1", ":0", ":65536", ":-1", ":+1", ":1x", ": 1"})
    EXPECT_FALSE(parse_port(text)) << text;
}

TEST(HttpUri, ParsesAbsoluteUris) {
  struct Case {
    std::string_view name, text;
    bool secure;
    std::string_view host;
    int port;
    std::string_view path, query;
  };
  for (const Case& c : {
           Case{"http", "http://h.example/a", false, "h.example", 80, "/a", ""},
           Case{"https", "https://h.example/a", true, "h.example", 443, "/a", ""},
           Case{"a scheme in capitals", "HTTPS://h/a", true, "h", 443, "/a", ""},
           Case{"the host's case stays", "http://H.Example/", false, "H.Example", 80, "/", ""},
           Case{"no path", "http://h", false, "h", 80, "", ""},
           Case{"a query without a path", "http://h?a=1", false, "h", 80, "", "a=1"},
           Case{"a port", "http://h:8080/a", false, "h", 8080, "/a", ""},
           Case{"the highest port", "http://h:65535/", false, "h", 65535, "/", ""},
           Case{"an empty port is the default", "https://h:/a", true, "h", 443, "/a", ""},
           Case{"leading zeros of a port", "http://h:0080/", false, "h", 80, "/", ""},
           Case{"an IPv4 address", "http://127.0.0.1:1/", false, "127.0.0.1", 1, "/", ""},
           Case{"an IPv6 address", "http://[::1]:81/a", false, "::1", 81, "/a", ""},
           Case{"a fragment is cut off", "http://h/a?b=1#c?d", false, "h", 80, "/a", "b=1"},
           Case{"a fragment right behind the host", "http://h#/@", false, "h", 80, "", ""},
           Case{"a query keeps its escapes", "http://h/?u=%41+b", false, "h", 80, "/", "u=%41+b"},
           Case{"a second question mark", "http://h/?a?b", false, "h", 80, "/", "a?b"},
           Case{"an @ in the path", "http://h/@me", false, "h", 80, "/@me", ""},
           Case{"an @ in the query", "http://h/?m=a@b", false, "h", 80, "/", "m=a@b"},
           Case{"a backslash in the query", "http://h/?a=\\", false, "h", 80, "/", "a=\\"},
           Case{"an underscore in a host", "http://a_b.h/", false, "a_b.h", 80, "/", ""},
       }) {
    SCOPED_TRACE(c.name);
    const auto uri = parse_http_uri(c.text);
    if (!uri) {
      ADD_FAILURE() << "refused: " << c.text;
      continue;
    }
    EXPECT_EQ(uri->secure, c.secure);
    EXPECT_EQ(uri->host, c.host);
    EXPECT_EQ(uri->port, c.port);
    EXPECT_EQ(uri->path, c.path);
    EXPECT_EQ(uri->query, c.query);
  }
}

TEST(HttpUri, RefusesAllOtherUris) {
  struct Case {
    std::string_view name, text;
  };
  for (const Case& c : {
           Case{"nothing", ""},
           Case{"a path", "/medias/abc"},
           Case{"no scheme", "h.example/a"},
           Case{"a scheme-relative URI", "//h.example/a"},
           Case{"another scheme", "ftp://h/a"},
           Case{"a script", "javascript://h/%0aalert(1)"},
           Case{"one slash", "http:/h/a"},
           Case{"no host", "http:///a"},
           Case{"no host and a port", "http://:80/a"},
           Case{"a space in front", " http://h/"},
           Case{"a space in the host", "http://h h/"},
           Case{"a space in the path", "http://h/a b"},
           Case{"a user", "http://user@h/"},
           Case{"a user and a password", "http://user:pass@h/"},
           Case{"a user and no path", "http://user@h"},
           Case{"a backslash for a slash", "http://h\\a"},
           Case{"a backslash behind the scheme", "http:\\\\h/a"},
           Case{"a backslash in the path", "http://h/a\\b"},
           Case{"a tab", "http://h/\ta"},
           Case{"a line feed", "http://h/a\n"},
           Case{"a NUL", std::string_view("http://h/\0", 10)},
           Case{"a DEL in the query", "http://h/?a=\x7f"},
           Case{"an escaped host", "http://%68/"},
           Case{"a host in another alphabet", "http://hö.example/"},
           Case{"port zero", "http://h:0/"},
           Case{"a port that is too high", "http://h:65536/"},
           Case{"a port that is far too high", "http://h:99999999999999999999/"},
           Case{"a negative port", "http://h:-80/"},
           Case{"a port with a sign", "http://h:+80/"},
           Case{"a port that is no number", "http://h:80a/"},
           Case{"two ports", "http://h:80:80/"},
           Case{"a bracket that is not closed", "http://[::1/"},
           Case{"empty brackets", "http://[]/"},
           Case{"something behind the bracket", "http://[::1]x/"},
           Case{"a name in brackets", "http://[h]/"},
           Case{"a zone", "http://[fe80::1%25eth0]/"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(parse_http_uri(c.text)) << c.text;
  }
}

TEST(HttpUri, RefusesHostsThatAreTooLongForDns) {
  EXPECT_TRUE(parse_http_uri("http://" + std::string(253, 'a') + "/"));
  EXPECT_FALSE(parse_http_uri("http://" + std::string(254, 'a') + "/"));
}

TEST(HostHeader, IsInLowerCaseWithBracketsAndWithoutThePort) {
  EXPECT_EQ(host_header("https://App.Example:8443/path"), "app.example");
  EXPECT_EQ(host_header("http://[2001:DB8::1]:8080"), "[2001:db8::1]");
  EXPECT_EQ(host_header("http://h"), "h");
  EXPECT_EQ(host_header("unix:///run/s"), "");
  EXPECT_EQ(host_header("app.example"), "");
}

TEST(HttpUriOrPath, IsSafeInAManifestOrAnAttribute) {
  struct Case {
    std::string_view name, text;
    bool right;
  };
  for (const Case& c : {
           Case{"an absolute URI", "https://h/a/b.m3u8?x=1&y=%20", true},
           Case{"a path", "/a/b.m3u8", true},
           Case{"the root", "/", true},
           Case{"two slashes would name a host", "//h/a", false},
           Case{"a relative path", "a/b", false},
           Case{"nothing", "", false},
           Case{"another scheme", "data:text/html,x", false},
           Case{"a quote", "/a\"b", false},
           Case{"an angle bracket", "/a<b", false},
           Case{"a space", "/a b", false},
           Case{"a line feed", "/a\n#EXT", false},
           Case{"a backslash", "/a\\b", false},
           Case{"another alphabet", "/é", false},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_http_uri_or_path(c.text), c.right);
  }
}

}  // namespace
}  // namespace svc::text
