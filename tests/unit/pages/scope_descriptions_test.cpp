#include "pages/scope_descriptions.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace svc::pages {
namespace {

TEST(ScopeDescriptions, PagesW52DescribeTheWithheldAccess) {
  struct Case {
    std::initializer_list<std::string_view> scopes;
    std::string_view withheld;
  };
  for (const Case& c : {
           Case{{"all:all"}, "See your password."},
           Case{{"all:read"}, "Upload media, change or delete anything, or see your password."},
           Case{{"media:read", "stats:read"},
                "Upload media, change or delete anything, or see your password."},
           Case{{"media:read"}, "Upload media, change or delete anything, or see your password."},
           Case{{"media:upload"}, "Change or delete anything or see your password."},
           Case{{"stats:read"},
                "Upload media, see media, change or delete anything, or see your password."},
           Case{{"all:read", "media:upload"}, "Change or delete anything or see your password."},
       }) {
    oauth::ScopeSet scopes;
    for (const std::string_view name : c.scopes) scopes.add(name);
    EXPECT_EQ(withheld_access(scopes), c.withheld);
  }
}

}  // namespace
}  // namespace svc::pages
