#include "oauth/applications.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/json.h"
#include "text/json_record.h"

namespace svc::oauth {
namespace {

ApplicationSettings right() {
  ApplicationSettings settings;
  settings.name = "Reel Maker";
  settings.description = "Makes reels.\nOf clips.";
  settings.redirect_uris = {"https://reels.example/back"};
  settings.scopes.add("media:read");
  return settings;
}

Client client() {
  Client one = with_settings({}, right());
  one.id = {"app-1"};
  one.account = {1001};
  one.created = "2026-03-03T09:05:00Z";
  one.permission_version = 3;
  one.secrets = {{"sealed", "mac-1"}};
  return one;
}

// A former release registered such records. If reading refused them, their records would be
// corrupt.
TEST(Applications, AreCheckedWhenRegisteredNotWhenRead) {
  struct Case {
    std::string setting, value, refusal;
  };
  for (const Case& c : {
           Case{"redirect_uri", "https://app.example/cb?Code=1", "a parameter called "},
           Case{"redirect_uri", "https://app.example/cb?Scope=x", "a parameter called "},
           Case{"redirect_uri", "https://app.example/cb?x=1&access[token=1", "a parameter called "},
           Case{"redirect_uri", "https://app.example/cb?state=1", "a parameter called "},
           Case{"name", std::string(101, 'n'), "more than 100 characters"},
           Case{"name", "a\u202eb", "control characters"},
           Case{"description", std::string(2001, 'd'), "more than 2000 characters"},
       }) {
    SCOPED_TRACE(c.setting + " " + c.value);
    Client stored = client();
    (c.setting == "name"          ? stored.name
     : c.setting == "description" ? stored.description
                                  : stored.redirect_uris.front()) = c.value;
    const std::string text = to_record(stored);
    text::json::Document document;
    text::JsonRecord record(*document.parse(text));
    const auto read = client_from_record(record);
    ASSERT_TRUE(read) << read.error();
    text::JsonRecord again(*document.parse(text));
    const auto registered = client_to_register(again);
    ASSERT_FALSE(registered);
    EXPECT_TRUE(registered.error().starts_with(c.setting + " must not have " + c.refusal))
        << registered.error();
  }
}

}  // namespace
}  // namespace svc::oauth
