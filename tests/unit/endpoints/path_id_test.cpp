#include "endpoints/path_id.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::endpoints {
namespace {

TEST(PathId, IsTheTextBetweenPrefixAndSuffix) {
  struct Case {
    std::string_view path;
    std::string_view id;  // empty if the path has none
  };
  for (const Case& c : {
           Case{"/embed/medias/l4unchf1lm.m3u8", "l4unchf1lm"},
           Case{"/embed/medias/.m3u8", ""},
           Case{"/embed/medias/l4unchf1lm", ""},
           Case{"/embed/medias/a/b.m3u8", ""},
           Case{"/embed/other/l4unchf1lm.m3u8", ""},
           Case{"/embed/medias/", ""},
           Case{"", ""},
       }) {
    const auto id = id_between("/embed/medias/", c.path, ".m3u8");
    EXPECT_EQ(id ? id->value() : "", c.id) << c.path;
  }
  EXPECT_FALSE(id_between("/a/", "/a/", "/a/")) << "prefix and suffix do not overlap";
  EXPECT_EQ(id_between("/v1/medias/", "/v1/medias/l4unchf1lm", "").value().value(), "l4unchf1lm");
}

}  // namespace
}  // namespace svc::endpoints
