// oauth.md, Settings; pages.md.
#include <gtest/gtest.h>

#include "rules/rules.h"

namespace svc::rules {
namespace {

class ApplicationPages : public Rules {
 protected:
  static constexpr const char* kNew = "/settings/accounts/1001/new-application";

  ApplicationPages() { browser_.log_in(501); }
};

TEST_F(ApplicationPages, ARegistrationShowsItsPage) {
  const Answer form = browser_.ask(kNew);
  ASSERT_EQ(form.status, 200) << form.body;
  const Answer made = browser_.submit(form, kNew,
                                      {{"name", "Reel Maker"},
                                       {"redirect_uri", "https://reels.example/back"},
                                       {"scope", "media:read"}});
  ASSERT_EQ(made.status, 303) << made.body;
  const Answer page = browser_.follow(made);
  EXPECT_EQ(page.status, 200) << made.header("Location");
  EXPECT_TRUE(page.has("Reel Maker")) << page.body;
}

}  // namespace
}  // namespace svc::rules
