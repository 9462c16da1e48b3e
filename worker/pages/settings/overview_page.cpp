// OverviewPage: `/settings`, with links to all settings pages that the contact
// may see.
// AccountChoicePage: `/settings/media` and `/settings/applications`: leads to those of the user's
// account. A user of several accounts chooses one.
// NotFoundPage: 404, for paths in /settings/ without a page.
#include <algorithm>

#include "base/settings_paths.h"
#include "pages/refusal_page.h"
#include "pages/settings/library.h"

namespace svc::pages {
namespace {

class OverviewPage : public OwnPages {
  using OwnPages::OwnPages;

  loop::Task<http::Response> page(const SettingsContext& context) override {
    return context.sent != nullptr ? at_once(only_by_form(context)) : show(context);
  }

  loop::Task<http::Response> show(const SettingsContext& context) {
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
        one.show_with("BARRED").set("WHY", why_barred(kApplicationsBarred, *barrier));
        continue;
      }
      one.show_with("OPEN")
          .set("NAME", clipped(account.name, kMaxShownName))
          .set("PATH", applications_path(account.id))
          .set("TOKENS", base::paths::kAccountTokens.with(number));
    }
    co_return page.answer();
  }
};

class AccountChoicePage : public OwnPages {
 public:
  AccountChoicePage(const SettingsParts& parts, ChoiceOf of) : OwnPages(parts), of_(of) {}

 private:
  loop::Task<http::Response> page(const SettingsContext& context) override {
    return context.sent != nullptr ? at_once(only_by_form(context)) : show(context);
  }

  loop::Task<http::Response> show(const SettingsContext& context) {
    const auto path_of = [this](media::AccountId account) {
      return of_ == ChoiceOf::Media
                 ? base::paths::kAccountMedia.with(std::to_string(account.value()))
                 : applications_path(account);
    };
    const std::vector<media::Membership>& memberships = context.contact.memberships;
    if (memberships.size() == 1) co_return go_to(context, path_of(memberships.front().account));
    SettingsPage page(parts_, context, of_ == ChoiceOf::Media ? "Media" : "Applications",
                      "account_choice.tpl");
    Values& body = page.body();
    body.show(of_ == ChoiceOf::Media ? "MEDIA" : "APPLICATIONS");
    std::vector<media::AccountId> ids;
    for (const media::Membership& membership : memberships) ids.push_back(membership.account);
    const std::vector<media::Account> accounts = co_await parts_.people.find_accounts(ids);
    body.show(accounts.empty() ? "NO_ACCOUNT" : "HAS_ACCOUNTS");
    for (const media::Account& account : accounts) {
      const auto membership =
          std::ranges::find(memberships, account.id, &media::Membership::account);
      Values one = body.show_with("ACCOUNT");
      const std::string name = clipped(account.name, kMaxShownName);
      const auto barrier = of_ == ChoiceOf::Media
                               ? library_barrier(context.contact, account)
                               : oauth::barrier_of({membership->role, account.oauth_enabled});
      if (barrier) {
        const std::string why =
            why_barred(of_ == ChoiceOf::Media ? kMediaBarred : kApplicationsBarred, *barrier);
        one.show_with("BARRED").set("NAME", name).set("WHY", why);
      } else {
        one.show_with("OPEN").set("NAME", name).set("PATH", path_of(account.id));
      }
    }
    co_return page.answer();
  }

  const ChoiceOf of_;
};

class NotFoundPage : public http::Endpoint {
 public:
  explicit NotFoundPage(const SettingsParts& parts) : site_(parts.site) {}
  loop::Task<http::Response> answer(const http::Request& request) override {
    co_return page_not_found(site_, request);
  }

 private:
  const embed::Site& site_;
};

}  // namespace

OwnedPage overview_page(const SettingsParts& parts) {
  return std::make_unique<OverviewPage>(parts);
}
OwnedPage account_choice_page(const SettingsParts& parts, ChoiceOf of) {
  return std::make_unique<AccountChoicePage>(parts, of);
}
OwnedPage not_found_page(const SettingsParts& parts) {
  return std::make_unique<NotFoundPage>(parts);
}

}  // namespace svc::pages
