#include "embed/media_url.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/examples.h"

namespace svc::embed {
namespace {

using namespace std::string_view_literals;

const std::string kLongestId(64, 'z');

std::optional<MediaUrl> recognise(std::string_view url) {
  static const embed::MediaUrls kUrls(fakes::example_site());
  return kUrls.recognise(url);
}

TEST(MediaUrls, OembedE5RecognisesEveryForm) {
  struct Case {
    std::string_view name;
    std::string url;
    MediaKind kind;
    std::string_view id, query;
  };
  constexpr MediaKind kMedia = MediaKind::Media;
  constexpr MediaKind kPlaylist = MediaKind::Playlist;
  for (const Case& c : {
           Case{"the iframe page", "https://embed.host.example/embed/iframe/abc123", kMedia,
                "abc123", ""},
           Case{"the playlist page", "https://embed.host.example/embed/playlists/abc123", kPlaylist,
                "abc123", ""},
           Case{"the media page", "https://embed.host.example/medias/abc123", kMedia, "abc123", ""},
           Case{"the short form", "https://embed.host.example/m/abc123", kMedia, "abc123", ""},
           Case{"http for https", "http://embed.host.example/medias/abc123", kMedia, "abc123", ""},
           Case{"the service domain", "https://media.example/medias/abc123", kMedia, "abc123", ""},
           Case{"below it", "https://acme.media.example/medias/abc123", kMedia, "abc123", ""},
           Case{"two labels below it", "https://a.b.media.example/medias/abc123", kMedia, "abc123",
                ""},
           Case{"the short domain", "http://m.test/m/abc123", kMedia, "abc123", ""},
           Case{"below that", "http://acme.m.test/medias/abc123", kMedia, "abc123", ""},
           Case{"a playlist below the short domain", "http://acme.m.test/embed/playlists/abc",
                kPlaylist, "abc", ""},
           Case{"the iframe page below the service domain",
                "http://acme.media.example/embed/iframe/abc", kMedia, "abc", ""},
           Case{"capitals in scheme and host", "HTTPS://ACME.Media.EXAMPLE/medias/aBc", kMedia,
                "aBc", ""},
           Case{"a slash at the end", "https://media.example/medias/abc/", kMedia, "abc", ""},
           Case{"segments behind", "https://media.example/medias/abc/manage", kMedia, "abc", ""},
           Case{"many segments behind", "https://media.example/medias/abc/a/b/../c", kMedia, "abc",
                ""},
           Case{"segments behind an iframe", "https://media.example/embed/iframe/abc/x", kMedia,
                "abc", ""},
           Case{"a query", "https://media.example/medias/abc?embedType=async&width=400", kMedia,
                "abc", "embedType=async&width=400"},
           Case{"a query behind a slash", "https://media.example/medias/abc/?a=1", kMedia, "abc",
                "a=1"},
           Case{"a query stays escaped", "https://media.example/medias/abc?a=%26", kMedia, "abc",
                "a=%26"},
           Case{"an empty query", "https://media.example/medias/abc?", kMedia, "abc", ""},
           Case{"a fragment", "https://media.example/medias/abc#t=5", kMedia, "abc", ""},
           Case{"a query and a fragment", "https://media.example/medias/abc?a=1#t=5", kMedia, "abc",
                "a=1"},
           Case{"the default port of http", "http://media.example:80/medias/abc", kMedia, "abc",
                ""},
           Case{"the default port of https", "https://media.example:443/medias/abc", kMedia, "abc",
                ""},
           Case{"an empty port", "https://media.example:/medias/abc", kMedia, "abc", ""},
           Case{"a port of a configured host", "https://acme.media.example:8443/medias/abc", kMedia,
                "abc", ""},
           Case{"the shortest id", "https://media.example/medias/a", kMedia, "a", ""},
           Case{"the longest id", "https://media.example/medias/" + kLongestId, kMedia, kLongestId,
                ""},
           Case{"zeros in front of the port", "https://media.example:0443/medias/abc", kMedia,
                "abc", ""},
           Case{"somebody's URL behind the id",
                "https://media.example/medias/abc/https://evil.example/", kMedia, "abc", ""},
           Case{"escaped dots behind the id", "https://media.example/medias/abc/%2e%2e/%2e%2e/x",
                kMedia, "abc", ""},
           Case{"bytes that are no UTF-8 behind the id",
                "https://media.example/medias/abc/\xff\xc0\xaf", kMedia, "abc", ""},
           Case{"markup behind the id",
                "https://media.example/medias/abc/\"><script>alert(1)</script>", kMedia, "abc", ""},
           Case{"an @ and a backslash in the fragment",
                "https://media.example/medias/abc#@evil.example/\\", kMedia, "abc", ""},
           Case{"a host that is somebody's query, in our query",
                "https://media.example/medias/abc?u=http://evil.example/", kMedia, "abc",
                "u=http://evil.example/"},
       }) {
    SCOPED_TRACE(c.name);
    const auto url = recognise(c.url);
    if (!url) {
      ADD_FAILURE() << "refused: " << c.url;
      continue;
    }
    EXPECT_EQ(url->kind, c.kind);
    EXPECT_EQ(url->id, c.id);
    EXPECT_EQ(url->query, c.query);
  }
}

TEST(MediaUrls, OembedE5RefusesOtherPathsAndIds) {
  struct Case {
    std::string_view name;
    std::string url;
  };
  for (const Case& c : {
           Case{"no path", "https://media.example"},
           Case{"the root", "https://media.example/"},
           Case{"no id", "https://media.example/medias/"},
           Case{"no id and no slash", "https://media.example/medias"},
           Case{"no id and a query", "https://media.example/medias/?id=abc"},
           Case{"an empty segment for an id", "https://media.example/medias//abc"},
           Case{"another path", "https://media.example/videos/abc"},
           Case{"a prefix of ours", "https://media.example/mediasabc"},
           Case{"capitals in the path", "https://media.example/Medias/abc"},
           Case{"our path behind another", "https://media.example/x/medias/abc"},
           Case{"dots in front", "https://media.example/../medias/abc"},
           Case{"two slashes in front", "https://media.example//medias/abc"},
           Case{"an id that is too long", "https://media.example/medias/" + kLongestId + "z"},
           Case{"an id with a dash", "https://media.example/medias/abc-def"},
           Case{"an id with an underscore", "https://media.example/medias/abc_def"},
           Case{"an id with a dot", "https://media.example/medias/abc.m3u8"},
           Case{"an id with a semicolon", "https://media.example/medias/abc;x=1"},
           Case{"an id in another alphabet", "https://media.example/medias/äbc"},
           Case{"an escaped id", "https://media.example/medias/%61bc"},
           Case{"a manifest", "https://embed.host.example/embed/medias/abc.m3u8"},
           Case{"another scheme", "ftp://media.example/medias/abc"},
           Case{"no scheme", "media.example/medias/abc"},
           Case{"a scheme-relative URL", "//media.example/medias/abc"},
           Case{"a path alone", "/medias/abc"},
           Case{"no host", "https://"},
           Case{"no host and a path", "https:///medias/abc"},
           Case{"a file", "file:///medias/abc"},
           Case{"a path behind the host without a slash", "https://media.examplemedias/abc"},
           Case{"our path in our query", "https://media.example?/medias/abc"},
           Case{"our path in our fragment", "https://media.example/#/medias/abc"},
           Case{"nothing", ""},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(recognise(c.url)) << c.url;
  }
}

TEST(MediaUrls, OembedE6RefusesLookAlikes) {
  struct Case {
    std::string_view name;
    std::string url;
  };
  for (const Case& c : {
           Case{"our domain behind another name", "https://evilmedia.example/medias/abc"},
           Case{"the short domain behind another name", "https://evilm.test/medias/abc"},
           Case{"the embed host behind another name", "https://evilembed.host.example/medias/abc"},
           Case{"below the embed host", "https://evil.embed.host.example/medias/abc"},
           Case{"beside the embed host", "https://host.example/medias/abc"},
           Case{"our domain in front of another", "https://media.example.evil.example/medias/abc"},
           Case{"our domain in front, with a dash",
                "https://media.example-evil.example/medias/abc"},
           Case{"a dash for the dot", "https://acme-media.example/medias/abc"},
           Case{"the top label alone", "https://example/medias/abc"},
           Case{"a host of ours that carries no media", "https://app.home.example/medias/abc"},
           Case{"a dot at the end of the host", "https://media.example./medias/abc"},
           Case{"a dot at its beginning", "https://.media.example/medias/abc"},
           Case{"two dots", "https://acme..media.example/medias/abc"},
           Case{"nothing but dots in front", "https://..media.example/medias/abc"},
           Case{"a user", "https://media.example@evil.example/medias/abc"},
           Case{"a user on our host", "https://user@media.example/medias/abc"},
           Case{"a user and a password on our host", "https://u:p@media.example/medias/abc"},
           Case{"an empty user", "https://@media.example/medias/abc"},
           Case{"a backslash before the path", "https://evil.example\\.media.example/medias/abc"},
           Case{"a backslash for slashes", "https:\\\\media.example\\medias\\abc"},
           Case{"a backslash behind the host", "https://media.example\\@evil.example/medias/abc"},
           Case{"a backslash in the path", "https://media.example/medias\\abc"},
           Case{"another port", "https://media.example:8080/medias/abc"},
           Case{"the default port of the other scheme", "https://media.example:80/medias/abc"},
           Case{"a port that is not one", "https://media.example:443x/medias/abc"},
           Case{"letters for a port", "https://media.example:port/medias/abc"},
           Case{"a port above 65535", "https://media.example:99999/medias/abc"},
           Case{"a port of 2^16 more", "https://media.example:65979/medias/abc"},
           Case{"a port of 2^32 more", "https://media.example:4294967739/medias/abc"},
           Case{"a port with a sign", "https://media.example:+443/medias/abc"},
           Case{"a negative port", "https://media.example:-443/medias/abc"},
           Case{"a hexadecimal port", "https://media.example:0x1bb/medias/abc"},
           Case{"a port in other digits", "https://media.example:４４３/medias/abc"},
           Case{"a port and a space", "https://media.example:443 /medias/abc"},
           Case{"two ports", "https://media.example:443:443/medias/abc"},
           Case{"a port and a host", "https://media.example:443.evil.example/medias/abc"},
           Case{"a port and a user", "https://media.example:443@evil.example/medias/abc"},
           Case{"a user in brackets", "https://[media.example]@evil.example/medias/abc"},
           Case{"port zero", "https://media.example:0/medias/abc"},
           Case{"a tab in the host", "https://media\t.example/medias/abc"},
           Case{"a tab in the scheme", "ht\ttps://media.example/medias/abc"},
           Case{"a space in the scheme", "https ://media.example/medias/abc"},
           Case{"a space in the host", "https://acme .media.example/medias/abc"},
           Case{"a line feed in the host", "https://acme\n.media.example/medias/abc"},
           Case{"a control byte in front", "\x01https://media.example/medias/abc"},
           Case{"a control byte in the query", "https://media.example/medias/abc?a=\x1b[2J"},
           Case{"CR and LF in the fragment",
                "https://media.example/medias/abc#\r\nSet-Cookie: x=1"},
           Case{"a line feed behind the id", "https://media.example/medias/abc\n"},
           Case{"a line feed in front", "\nhttps://media.example/medias/abc"},
           Case{"a NUL in the path", std::string("https://media.example/medias/abc\0", 33)},
           Case{"a NUL in the host",
                std::string("https://evil.example\0.media.example/medias/abc", 46)},
           Case{"a NUL in front", std::string("\0https://media.example/medias/abc", 33)},
           Case{"a DEL in the query", "https://media.example/medias/abc?x=\x7f"},
           Case{"a space in front", " https://media.example/medias/abc"},
           Case{"a space behind the id", "https://media.example/medias/abc def"},
           Case{"our URL in somebody's query",
                "https://evil.example/?u=https://media.example/medias/abc"},
           Case{"our path in somebody's query", "https://evil.example?/medias/abc"},
           Case{"our host in somebody's fragment",
                "https://evil.example/#media.example/medias/abc"},
           Case{"our host in somebody's path", "https://evil.example/media.example/medias/abc"},
           Case{"a hash before our host", "https://evil.example#.media.example/medias/abc"},
           Case{"a question mark before our host",
                "https://evil.example?.media.example/medias/abc"},
           Case{"%2f in the id", "https://media.example/medias/abc%2f..%2fadmin"},
           Case{"%2F before the id", "https://media.example/medias%2Fabc"},
           Case{"%00 in the id", "https://media.example/medias/abc%00"},
           Case{"an escaped host", "https://media%2eexample/medias/abc"},
           Case{"an @ behind an escape", "https://media.example%40evil.example/medias/abc"},
           Case{"a Cyrillic letter", "https://mеdia.example/medias/abc"},
           Case{"a Cyrillic letter in punycode", "https://xn--mdia-4le.example/medias/abc"},
           Case{"a long s", "https://mediaſ.example/medias/abc"},
           Case{"an accent", "https://ácme.media.example/medias/abc"},
           Case{"full-width letters", "https://ｍedia.example/medias/abc"},
           Case{"a full-width dot", "https://media。example/medias/abc"},
           Case{"a full-width slash", "https://evil.example／.media.example/medias/abc"},
           Case{"a soft hyphen", "https://me\u00addia.example/medias/abc"},
           Case{"a zero-width joiner", "https://media\u200d.example/medias/abc"},
           Case{"from right to left", "https://media.example\u202e/medias/abc"},
           Case{"an overlong slash", "https://media.example\xc0\xafmedias/abc"},
           Case{"bytes that are no UTF-8 in the id", "https://media.example/medias/ab\xff\xfe"},
           Case{"half an escape in the host", "https://media%4.example/medias/abc"},
           Case{"half an escape in the id", "https://media.example/medias/ab%4"},
           Case{"a comma", "https://media.example,evil.example/medias/abc"},
           Case{"a semicolon", "https://media.example;evil.example/medias/abc"},
           Case{"a host too long for DNS",
                "https://" + std::string(260, 'a') + ".media.example/medias/abc"},
           Case{"a slash less", "https:/media.example/medias/abc"},
           Case{"no slashes", "https:media.example/medias/abc"},
           Case{"a slash and a backslash", "https:/\\media.example/medias/abc"},
           Case{"two schemes", "https://https://media.example/medias/abc"},
           Case{"a scheme in front", "view-source:https://media.example/medias/abc"},
           Case{"a longer scheme", "httpss://media.example/medias/abc"},
           Case{"our name as an address", "https://[media.example]/medias/abc"},
           Case{"a bracket that does not end", "https://[::1/medias/abc"},
           Case{"an address", "https://127.0.0.1/medias/abc"},
           Case{"an IPv6 address", "https://[::1]/medias/abc"},
           Case{"a script", "javascript://media.example/medias/abc"},
           Case{"data", "data://media.example/medias/abc"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(recognise(c.url)) << c.url;
  }
}

TEST(MediaUrls, OembedE7IgnoresTheTailAfterAnAmpersand) {
  struct Case {
    std::string_view name, url;
  };
  for (const Case& c : {
           Case{"right behind the id", "http://media.example/medias/abc&embedType=async"},
           Case{"several", "http://media.example/medias/abc&embedType=async&width=400"},
           Case{"nothing behind it", "http://media.example/medias/abc&"},
           Case{"a slash in the tail", "http://media.example/medias/abc&url=/x/y"},
           Case{"the entity of careless HTML", "http://media.example/medias/abc&amp;width=400"},
           Case{"a question mark in the tail", "http://media.example/medias/abc&a=1?width=400"},
           Case{"on a playlist", "http://media.example/embed/playlists/abc&width=400"},
       }) {
    SCOPED_TRACE(c.name);
    const auto url = recognise(c.url);
    if (!url) {
      ADD_FAILURE() << "refused: " << c.url;
      continue;
    }
    EXPECT_EQ(url->id, "abc");
    EXPECT_EQ(url->query, "") << "the tail is ignored";
  }
}

TEST(MediaUrlsOfOneHost, OembedE5RecogniseTheHostsOfADevelopmentMachine) {
  Site site;
  site.app_url = site.base_url = site.oembed_url = site.embed_host = "http://127.0.0.1:8080";
  site.service_domain = "svc.localhost";
  site.short_domain = "svc.test";
  const embed::MediaUrls urls(site);
  EXPECT_TRUE(urls.recognise("http://127.0.0.1:8080/medias/abc"));
  EXPECT_TRUE(urls.recognise("http://acme.svc.localhost:8080/medias/abc"));
  EXPECT_TRUE(urls.recognise("https://acme.svc.localhost/medias/abc"));
  EXPECT_FALSE(urls.recognise("http://127.0.0.1:8081/medias/abc"));
  EXPECT_FALSE(urls.recognise("http://localhost:8080/medias/abc"));
  EXPECT_FALSE(urls.recognise("http://1.127.0.0.1:8080/medias/abc"));
}

}  // namespace
}  // namespace svc::embed
