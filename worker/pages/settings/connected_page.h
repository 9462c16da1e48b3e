// ConnectedPage: which applications have access to what, and how to revoke it.
// oauth.md, "Settings", oauth-B3.
//
//   /settings/connected                         Settings: their own grants
//   /settings/connected/<grant>                 confirms, then revokes it
//   /settings/accounts/<id>/connected           owners: the account's grants
//   /settings/accounts/<id>/connected/<grant>   confirms, then revokes it
//
// A list is paginated (?page=2). Each page costs a bounded number of round
// trips.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pages/settings/settings.h"

namespace svc::pages {

class ConnectedPage : public Settings {
 public:
  static constexpr std::int64_t kGrantsPerPage = 50;

  using Settings::Settings;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // The list, and the grant in it, that a path names and that this contact may
  // see.
  struct Place {
    oauth::GrantList of;
    std::string list;                       // path of the list
    std::optional<media::Account> account;  // nullopt: the contact's own list
    std::string_view grant;                 // empty: the whole list
  };
  loop::Task<base::Result<Place, http::Response>> place_of(const SettingsContext& context);
  loop::Task<http::Response> list(const SettingsContext& context, const Place& place);
  loop::Task<std::optional<oauth::Grant>> grant_of(const Place& place);

  // The records that the grants of a page refer to.
  struct Named {
    std::vector<oauth::Client> clients;
    std::vector<media::Account> accounts;  // including the clients' accounts
    std::vector<media::Contact> contacts;
  };
  loop::Task<Named> named_in(const std::vector<oauth::Grant>& grants);
  static void describe(Values& values, const Place& place, const oauth::Grant& grant,
                       const Named& named, std::int64_t now);
};

}  // namespace svc::pages
