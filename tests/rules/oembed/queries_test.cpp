// oembed.md, Requests: queries of paths that read none.
#include <gtest/gtest.h>

#include <string>

#include "rules/rules.h"

namespace svc::rules {
namespace {

using QueriesOnTheWire = Rules;

TEST_F(QueriesOnTheWire, OembedE4AnIgnoredQueryHasNoEffect) {
  for (const std::string target :
       {"/embed/medias/l4unchf1lm.m3u8", "/embed/medias/l4unchf1lm.json",
        "/embed/playlists/pl4yl1st01.json", "/providers.json", "/robots.txt",
        "/embed/iframe/l4unchf1lm", "/embed/playlists/pl4yl1st01", "/medias/l4unchf1lm"}) {
    const Answer plain = ask(target);
    for (const std::string& query :
         {std::string("%00%ff%"), std::string(7000, '&'),
          std::string("url=x&callback=alert(1)&format=xml&autoPlay=%22%3E%3Cscript%3E")}) {
      const Answer answer = ask(target + "?" + query);
      EXPECT_EQ(answer.status, 200) << target;
      EXPECT_EQ(answer.body, plain.body) << target;
      EXPECT_EQ(answer.header("ETag"), plain.header("ETag"));
    }
  }
}

}  // namespace
}  // namespace svc::rules
