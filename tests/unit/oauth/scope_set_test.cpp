#include "oauth/scope_set.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace svc::oauth {
namespace {

ScopeSet set_of(std::initializer_list<std::string_view> names) {
  ScopeSet set;
  for (const std::string_view name : names) EXPECT_TRUE(set.add(name)) << name;
  return set;
}

TEST(ScopeSet, AcceptsOnlyFiveScopes) {
  for (const std::string_view name :
       {"all:all", "all:read", "media:read", "stats:read", "media:upload"}) {
    ScopeSet set;
    EXPECT_TRUE(set.add(name));
    EXPECT_EQ(set.names(), std::vector<std::string_view>{name});
  }
  for (const std::string_view name :
       {"", "all", "all:", "All:All", "media:write", "media:read ", "media:read stats:read"}) {
    ScopeSet set;
    EXPECT_FALSE(set.add(name)) << name;
    EXPECT_TRUE(set.empty());
  }
}

TEST(ScopeSet, IsUnorderedWithoutDuplicates) {
  const ScopeSet one = set_of({"media:read", "all:read", "media:read"});
  EXPECT_EQ(one, set_of({"all:read", "media:read"}));
  EXPECT_EQ(one.names(), (std::vector<std::string_view>{"all:read", "media:read"}));
}

TEST(ScopeSet, CoversItsSubsets) {
  struct Case {
    std::string_view name;
    ScopeSet granted, requested;
    bool covers;
  };
  for (const Case& c : {
           Case{"the same", set_of({"media:read", "stats:read"}),
                set_of({"stats:read", "media:read"}), true},
           Case{"fewer", set_of({"media:read", "stats:read"}), set_of({"media:read"}), true},
           Case{"none", set_of({"media:read"}), set_of({}), true},
           Case{"none of none", set_of({}), set_of({}), true},
           Case{"one more", set_of({"media:read"}), set_of({"media:read", "media:upload"}), false},
           Case{"another", set_of({"media:read"}), set_of({"stats:read"}), false},
           Case{"one of none", set_of({}), set_of({"media:read"}), false},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.granted.covers(c.requested), c.covers);
  }
}

}  // namespace
}  // namespace svc::oauth
