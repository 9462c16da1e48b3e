// ApplicationsPage: Account → Settings → OAuth Applications. oauth.md §5.
//
//   /settings/accounts/<account>/applications                     the list
//   /settings/accounts/<account>/new-application                  a form
//   /settings/accounts/<account>/applications/<client_id>         one, with its credentials
//     …/edit                                                      the same form
//     …/secret          shows the secrets                         asks for the password
//     …/new-secret      a second one                              POST only
//     …/retire-secret   ends the older one                        asks first
//     …/delete          ends everything                           asks first
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pages/settings.h"

namespace svc::pages {

class ApplicationsPage : public Settings {
 public:
  static constexpr std::string_view kFolder = "/settings/accounts/";
  // So long after the password was given it is not asked for again.
  static constexpr std::int64_t kPasswordLasts = 600;  // s
  static constexpr std::size_t kMostOfAnAccount = 200;

  using Settings::Settings;

 protected:
  loop::Task<http::Response> show(const SettingsTurn& turn) override;
  loop::Task<http::Response> take(const SettingsTurn& turn, const text::Form& form) override;

 private:
  // What a path names, as far as this person may see it.
  struct Place {
    media::Account account;
    std::string list;    // path of the list
    std::string action;  // "", new, edit, …
    std::optional<oauth::Client> client;
    std::string path;  // of the application
  };
  loop::Task<base::Result<Place, http::Response>> place_of(const SettingsTurn& turn);

  loop::Task<http::Response> list(const SettingsTurn& turn, const Place& place);

  struct View {
    int status = 200;
    bool shows_secrets = false;
    bool was_overtaken = false;  // the secrets changed since the page was shown
  };
  loop::Task<http::Response> view(const SettingsTurn& turn, const Place& place, const View& view);

  // What the form shows, and why it is shown again.
  struct Entered {
    int status = 200;
    oauth::ApplicationSettings settings;
    oauth::SettingsProblems problems;
    std::string number;  // of a new application: its client_id to be
    std::string edition;
    std::string problem;  // about all of it
    bool was_overtaken = false;
  };
  http::Response form(const SettingsTurn& turn, const Place& place, const Entered& entered);
  loop::Task<http::Response> create(const SettingsTurn& turn, const Place& place,
                                    const text::Form& form);
  loop::Task<http::Response> edit(const SettingsTurn& turn, const Place& place,
                                  const text::Form& form);

  http::Response ask_password(const SettingsTurn& turn, const Place& place, int status,
                              const std::string& problem);
  loop::Task<http::Response> show_secrets(const SettingsTurn& turn, const Place& place,
                                          const text::Form& form);
  loop::Task<http::Response> new_secret(const SettingsTurn& turn, const Place& place,
                                        const text::Form& form);
  loop::Task<http::Response> ask_retire(const SettingsTurn& turn, const Place& place);
  loop::Task<http::Response> retire(const SettingsTurn& turn, const Place& place,
                                    const text::Form& form);
  loop::Task<http::Response> ask_delete(const SettingsTurn& turn, const Place& place);
  loop::Task<http::Response> remove(const SettingsTurn& turn, const Place& place);

  // False if somebody was faster, or the application is gone. The event is written down first.
  loop::Task<bool> change_secrets(const SettingsTurn& turn, const Place& place,
                                  oauth::EventName what, const oauth::Applications::Change& change);
  loop::Task<> record(const SettingsTurn& turn, const oauth::Client& client, oauth::EventName what,
                      std::string_view detail = "");
};

}  // namespace svc::pages
