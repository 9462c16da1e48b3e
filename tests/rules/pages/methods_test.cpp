// oembed.md, Requests: methods and queries that change nothing.
#include <gtest/gtest.h>

#include <string>

#include "rules/rules.h"

namespace svc::rules {
namespace {

using MethodsOnTheWire = Rules;

struct PublicPath {
  std::string target;
  bool is_page = false;
  int status = 200;
};
const PublicPath kPublicPaths[] = {
    {"/oembed?url=http://svc.localhost/m/l4unchf1lm"},
    {"/oembed.xml?url=http://svc.localhost/m/l4unchf1lm"},
    {"/embed/medias/l4unchf1lm.m3u8"},
    {"/embed/medias/l4unchf1lm.json"},
    {"/embed/playlists/pl4yl1st01.json"},
    {"/providers.json"},
    {"/robots.txt"},
    {"/embed/iframe/l4unchf1lm", true},
    {"/embed/playlists/pl4yl1st01", true},
    {"/medias/l4unchf1lm", true},
    {"/embed-codes", true},
    {"/embed-codes?url=l4unchf1lm&embedType=async", true},
    {"/oembed?url=x", false, 404},
    {"/embed/medias/unkn0wn.m3u8", false, 404},
    {"/embed/playlists/pl4yempty0.json", false, 501},
    {"/embed/iframe/unkn0wn", true, 404},
    {"/medias/aud10only1", true, 501},
    {"/medias/", true, 404},
};

TEST_F(MethodsOnTheWire, OembedE2OthersThanGetAndHeadAreRefused) {
  for (const PublicPath& path : kPublicPaths) {
    SCOPED_TRACE(path.target);
    EXPECT_EQ(ask(path.target).status, path.status);
    for (const char* method : {"POST ", "DELETE ", "PROPFIND "}) {
      const Answer answer = ask(method + path.target);
      EXPECT_EQ(answer.status, 405) << method;
      EXPECT_EQ(answer.header("Allow"), path.is_page ? "GET, HEAD" : "GET, HEAD, OPTIONS");
      EXPECT_EQ(answer.type.starts_with("text/html"), path.is_page) << answer.type;
    }
    const Answer options = ask(Ask("OPTIONS " + path.target)
                                   .with("Origin", "https://x.example")
                                   .with("Access-Control-Request-Method", "GET"));
    EXPECT_EQ(options.status, path.is_page ? 405 : 204);
    EXPECT_EQ(options.header("Access-Control-Allow-Origin"), path.is_page ? "none" : "*");
    if (!path.is_page) {
      EXPECT_EQ(options.body, "");
    }
  }
}

TEST_F(MethodsOnTheWire, OembedE4AnIgnoredQueryHasNoEffect) {
  for (const PublicPath& path : kPublicPaths) {
    if (path.status != 200 || path.target.starts_with("/oembed") ||
        path.target.starts_with("/embed-codes"))
      continue;
    const Answer plain = ask(path.target);
    for (const std::string& query :
         {std::string("%00%ff%"), std::string(7000, '&'),
          std::string("url=x&callback=alert(1)&format=xml&autoPlay=%22%3E%3Cscript%3E")}) {
      const Answer answer = ask(path.target + "?" + query);
      EXPECT_EQ(answer.status, 200) << path.target;
      EXPECT_EQ(answer.body, plain.body) << path.target;
      EXPECT_EQ(answer.header("ETag"), plain.header("ETag"));
    }
  }
}

}  // namespace
}  // namespace svc::rules
