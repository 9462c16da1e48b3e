#include "pages/scope_descriptions.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace svc::pages {
namespace {

TEST(ScopeDescriptions, NameEveryScope) {
  for (const std::string_view scope : oauth::ScopeSet::kNames) {
    EXPECT_FALSE(describe_scope(scope).title.empty()) << scope;
    EXPECT_FALSE(describe_scope(scope).text.empty()) << scope;
  }
  EXPECT_EQ(describe_scope("media:upload").title, "Upload media");
  EXPECT_EQ(describe_scope("media:upload").text, "Upload files, and see a single media by its id");
}

TEST(ScopeDescriptions, DescribeTheWithheldAccess) {
  struct Case {
    std::initializer_list<std::string_view> scopes;
    std::string_view withheld;
  };
  for (const Case& c : {
           Case{{"all:all"}, "See your password."},
           Case{{"all:read"}, "Upload media, change or delete anything, or see your password."},
           Case{{"media:read", "stats:read"},
                "Upload media, change or delete anything, or see your password."},
           Case{{"media:read"},
                "See statistics, upload media, change or delete anything, or see your password."},
           Case{{"media:upload"},
                "Browse your media, see statistics, change or delete anything, or see your "
                "password."},
           Case{{"all:read", "media:upload"}, "Change or delete anything or see your password."},
       }) {
    oauth::ScopeSet scopes;
    for (const std::string_view name : c.scopes) scopes.add(name);
    EXPECT_EQ(withheld_access(scopes), c.withheld);
  }
}

}  // namespace
}  // namespace svc::pages
