#include "pages/scope_words.h"

#include <gtest/gtest.h>

namespace svc::pages {
namespace {

TEST(ScopeWords, NameEveryScope) {
  for (const std::string_view scope : oauth::ScopeSet::kNames) {
    EXPECT_FALSE(words_of(scope).title.empty()) << scope;
    EXPECT_FALSE(words_of(scope).text.empty()) << scope;
  }
  EXPECT_EQ(words_of("media:upload").title, "Upload media");
  EXPECT_EQ(words_of("media:upload").text, "Upload files, and see a single media by its id");
}

TEST(ScopeWords, SayWhatStaysClosed) {
  struct Case {
    std::initializer_list<std::string_view> scopes;
    std::string_view closed;
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
    EXPECT_EQ(what_stays_closed(scopes), c.closed);
  }
}

}  // namespace
}  // namespace svc::pages
