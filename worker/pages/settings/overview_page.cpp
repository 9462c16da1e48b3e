#include "pages/settings/overview_page.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/paths.h"
#include "media/account.h"
#include "media/id.h"
#include "oauth/consent.h"
#include "pages/formatting.h"
#include "pages/settings/applications_page.h"
#include "pages/settings/library.h"

namespace svc::pages {

loop::Task<http::Response> OverviewPage::show(const SettingsContext& context) {
  SettingsPage page(parts_, context, "Settings", "settings.tpl");
  std::vector<media::AccountId> ids;
  for (const media::Membership& membership : context.contact.memberships)
    ids.push_back(membership.account);
  const std::vector<media::Account> accounts = co_await parts_.people.find_accounts(ids);
  if (accounts.empty()) page.body().show("NO_ACCOUNT");
  for (const media::Account& account : accounts) {
    const std::string number = std::to_string(account.id.value());
    Values one = page.body().show_with("ACCOUNT");
    one.set("NAME", clipped(account.name, kMaxShownName));
    const auto membership =
        std::ranges::find(context.contact.memberships, account.id, &media::Membership::account);
    if (membership->role == media::Role::Owner) {
      one.show_with("OWNED")
          .set("NAME", clipped(account.name, kMaxShownName))
          .set("CONNECTED", base::paths::kAccountConnected.with(number));
    }
    if (!library_barrier(context.contact, account)) {
      one.show_with("LIBRARY")
          .set("NAME", clipped(account.name, kMaxShownName))
          .set("MEDIA", base::paths::kAccountMedia.with(number))
          .set("STATS", base::paths::kAccountStatsPage.with(number))
          .set("SITES", base::paths::kAccountSites.with(number));
    }
    if (const auto barrier = oauth::barrier_of({membership->role, account.oauth_enabled})) {
      one.show_with("BARRED").set("WHY", why_no_applications(*barrier));
      continue;
    }
    one.show_with("OPEN")
        .set("NAME", clipped(account.name, kMaxShownName))
        .set("PATH", ApplicationsPage::list_of(account.id))
        .set("TOKENS", base::paths::kAccountTokens.with(number));
  }
  co_return page.answer();
}

}  // namespace svc::pages
