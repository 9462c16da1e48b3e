#include "oauth/resource.h"

#include <gtest/gtest.h>

namespace svc::oauth {
namespace {

TEST(Resource, IsAServerOrAProgramOnThisMachine) {
  for (const char* uri :
       {"https://mcp.example", "https://mcp.example/", "https://mcp.example:8443/mcp?tenant=1",
        "http://127.0.0.1:3000/mcp", "http://[::1]/", "http://localhost:1"})
    EXPECT_EQ(why_not_resource(uri), std::nullopt) << uri;
  const std::string longest = "https://mcp.example/" + std::string(kMaxResource - 20, 'a');
  EXPECT_EQ(why_not_resource(longest), std::nullopt);
  for (const auto& [uri, why] : {std::pair<std::string, std::string>{longest + "a", "512 bytes"},
                                 {"http://mcp.example", "must begin with https://"},
                                 {"http://127.0.0.2", "must begin with https://"},
                                 {"https://mcp.example/#x", "fragment"},
                                 {"https://mcp.example/#", "fragment"},
                                 {"https://user@mcp.example/", "absolute URI"},
                                 {"https://mcp.example/a b", "absolute URI"},
                                 {"https://mcp.example/\n", "absolute URI"},
                                 {"urn:mcp", "absolute URI"},
                                 {"com.example.app:/mcp", "absolute URI"},
                                 {"", "absolute URI"}})
    EXPECT_NE(why_not_resource(uri).value_or("allowed").find(why), std::string::npos) << uri;
}

TEST(Resource, IsTheSameWithTheSlashOfLibraries) {
  EXPECT_EQ(comparable("https://mcp.example/"), "https://mcp.example");
  EXPECT_EQ(comparable("https://mcp.example"), "https://mcp.example");
  for (const char* other : {"https://mcp.example/mcp/", "https://mcp.example//",
                            "https://mcp.example/?", "https://mcp.example/?x=/", "none"})
    EXPECT_EQ(comparable(other), other);
}

TEST(Access, IsALineOfWords) {
  const ScopeSet scopes = *ScopeSet::parse("media:read stats:read");
  for (const Access& access : {Access(scopes), Access(scopes, {"https://a.example"}),
                               Access(scopes, {"http://[::1]:1/x?y=://", "https://b.example"}),
                               Access(ScopeSet()), Access(ScopeSet(), {"https://a.example"})}) {
    const auto read = Access::parse(access.to_text());
    ASSERT_TRUE(read) << access.to_text();
    EXPECT_EQ(read->scopes, access.scopes) << access.to_text();
    EXPECT_EQ(read->resources, access.resources) << access.to_text();
  }
  EXPECT_EQ(Access(scopes).to_text(), "media:read stats:read") << "as before there were resources";
  EXPECT_FALSE(Access::parse("media:read unknown"));
  EXPECT_FALSE(Access::parse("unknown https://a.example"));
}

TEST(OwnResources, AreNotNamedIfOnlyTheDataApiIsMeant) {
  const OwnResources own("https://api.example", "https://api.example/v1");
  EXPECT_EQ(own.find("https://api.example/"), "https://api.example");
  EXPECT_EQ(own.find("https://api.example/v1"), "https://api.example/v1");
  for (const char* other : {"https://api.example/v1/", "https://api.example/v2", "", "/v1"})
    EXPECT_EQ(own.find(other), std::nullopt) << other;
  EXPECT_EQ(own.unnamed({"https://api.example/v1", "https://api.example/v1"}), Resources{});
  EXPECT_EQ(own.unnamed({"https://b.example", "https://api.example/v1"}),
            (Resources{"https://api.example/v1", "https://b.example"}));
  EXPECT_EQ(own.named({}), Resources{"https://api.example/v1"});
  EXPECT_TRUE(own.may_use_api({}));
  EXPECT_TRUE(own.may_use_api({"https://api.example", "https://b.example"}));
  EXPECT_FALSE(own.may_use_api({"https://b.example"}));
}

TEST(OwnResources, NeverWidenWhatWasGranted) {
  const OwnResources own("https://api.example", "https://api.example/v1");
  const Resources two{"https://api.example/v1", "https://b.example/"};
  EXPECT_EQ(own.narrowed(two, {}), two);
  EXPECT_EQ(own.narrowed(two, {"https://b.example"}), Resources{"https://b.example/"})
      << "as it was registered";
  EXPECT_EQ(own.narrowed(two, {"https://api.example/v1"}), Resources{});
  EXPECT_EQ(own.narrowed({}, {"https://api.example/v1"}), Resources{});
  EXPECT_EQ(own.narrowed({}, {"https://api.example"}), std::nullopt);
  EXPECT_EQ(own.narrowed(two, {"https://b.example", "https://c.example"}), std::nullopt);
}

TEST(Resources, AreJoinedOnlyByName) {
  EXPECT_EQ(joined({"a", "c"}, {"b", "c"}), (Resources{"a", "b", "c"}));
  EXPECT_EQ(joined({}, {"b"}), Resources{"b"});
  EXPECT_EQ(joined({"a"}, {}), Resources{});
}

}  // namespace
}  // namespace svc::oauth
