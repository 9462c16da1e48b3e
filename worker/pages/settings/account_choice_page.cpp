#include "pages/settings/account_choice_page.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "media/account.h"
#include "media/id.h"
#include "oauth/consent.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/settings/applications_page.h"
#include "pages/settings/library.h"

namespace svc::pages {

loop::Task<http::Response> AccountChoicePage::show(const SettingsContext& context) {
  const auto path_of = [this](media::AccountId account) {
    return of_ == Of::Media ? base::paths::kAccountMedia.with(std::to_string(account.value()))
                            : ApplicationsPage::list_of(account);
  };
  const std::vector<media::Membership>& memberships = context.contact.memberships;
  if (memberships.size() == 1)
    co_return see_other(path_of(memberships.front().account), context.visitor);
  SettingsPage page(parts_, context, of_ == Of::Media ? "Media" : "Applications",
                    "account_choice.tpl");
  Values& body = page.body();
  body.show(of_ == Of::Media ? "MEDIA" : "APPLICATIONS");
  std::vector<media::AccountId> ids;
  for (const media::Membership& membership : memberships) ids.push_back(membership.account);
  const std::vector<media::Account> accounts = co_await parts_.people.find_accounts(ids);
  body.show(accounts.empty() ? "NO_ACCOUNT" : "HAS_ACCOUNTS");
  for (const media::Account& account : accounts) {
    const auto membership = std::ranges::find(memberships, account.id, &media::Membership::account);
    Values one = body.show_with("ACCOUNT");
    const std::string name = clipped(account.name, kMaxShownName);
    const auto barrier = of_ == Of::Media
                             ? library_barrier(context.contact, account)
                             : oauth::barrier_of({membership->role, account.oauth_enabled});
    if (barrier) {
      const std::string why =
          of_ == Of::Media ? why_no_media(*barrier) : std::string(why_no_applications(*barrier));
      one.show_with("BARRED").set("NAME", name).set("WHY", why);
    } else {
      one.show_with("OPEN").set("NAME", name).set("PATH", path_of(account.id));
    }
  }
  co_return page.answer();
}

}  // namespace svc::pages
