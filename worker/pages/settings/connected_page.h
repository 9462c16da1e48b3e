// ConnectedPage: what applications have access to, and how to end it. oauth.md §5, B3.
//
//   /settings/connected                          My Settings: of this person, for any account
//   /settings/connected/<grant>                  ends it, asks first
//   /settings/accounts/<id>/connected            the same for an account, for its owners: of all
//   /settings/accounts/<id>/connected/<grant>    people
//
// A list is shown page by page (?page=2), each for a bounded number of round trips.
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
  static constexpr std::string_view kPath = "/settings/connected";
  static constexpr std::string_view kFolder = "/settings/connected/";
  static constexpr std::string_view kAccounts = "/settings/accounts/";
  static constexpr std::int64_t kGrantsPerPage = 50;

  using Settings::Settings;

  // Whether a path below kAccounts is one of this page's.
  static bool is_for(std::string_view path);

 protected:
  loop::Task<http::Response> show(const SettingsTurn& turn) override;
  loop::Task<http::Response> take(const SettingsTurn& turn, const text::Form& form) override;

 private:
  // Whose list a path names, and which grant of it, as far as this person may see it.
  struct Place {
    oauth::GrantList of;
    std::string list;                       // its path
    std::optional<media::Account> account;  // nothing: the list is this person's own
    std::string_view grant;                 // empty: the list itself
  };
  loop::Task<base::Result<Place, http::Response>> place_of(const SettingsTurn& turn);
  loop::Task<http::Response> list(const SettingsTurn& turn, const Place& place);
  loop::Task<std::optional<oauth::Grant>> grant_of(const Place& place);

  // What the grants of a page name, asked for together.
  struct Named {
    std::vector<oauth::Client> clients;
    std::vector<media::Account> accounts;  // those of the clients too
    std::vector<media::Contact> contacts;
  };
  loop::Task<Named> named_in(const std::vector<oauth::Grant>& grants);
  static void describe(Values& values, const Place& place, const oauth::Grant& grant,
                       const Named& named, std::int64_t now);
};

}  // namespace svc::pages
