// ApplicationsPage: Account → Settings → OAuth Applications. oauth.md, "Settings".
//
//   /settings/accounts/<account>/applications               the list
//   /settings/accounts/<account>/new-application            form for a new one
//   /settings/accounts/<account>/applications/<client_id>   one application
//     …/edit             form for its settings
//     …/secret           shows the secrets; asks for the password
//     …/new-secret       adds a second secret; POST only
//     …/retire-secret    ends the older secret; asks for confirmation
//     …/delete           deletes it and its grants; asks for confirmation
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/account.h"
#include "oauth/application_service.h"
#include "oauth/applications.h"
#include "oauth/client.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class ApplicationsPage : public Settings {
 public:
  // Returns the path of the list.
  static std::string list_of(media::AccountId account);

  // The service outlives the page.
  ApplicationsPage(const SettingsParts& parts, oauth::ApplicationService& service)
      : Settings(parts), service_(service) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // The account and application that a path names and that this contact may
  // see.
  struct Place {
    media::Account account;
    std::string list;    // path of the list
    std::string action;  // "", new, edit, …
    std::optional<oauth::Client> client;
    std::string path;  // the application's
  };
  loop::Task<base::Result<Place, http::Response>> place_of(const SettingsContext& context);

  loop::Task<http::Response> list(const SettingsContext& context, const Place& place);

  struct View {
    int status = 200;
    bool shows_secrets = false;
    bool was_overtaken = false;  // the secrets changed since the page was shown
    std::vector<std::optional<std::string>> secrets{};  // only with shows_secrets
  };
  loop::Task<http::Response> view(const SettingsContext& context, const Place& place,
                                  const View& view);

  // Contents of the form, with the problems if it is shown again.
  struct Entered {
    int status = 200;
    oauth::ApplicationSettings settings;
    oauth::SettingsProblems problems;
    std::string number;  // client_id of a new application
    std::string edition;
    std::string problem;  // a problem of the whole form
    bool was_overtaken = false;
  };
  http::Response form(const SettingsContext& context, const Place& place, const Entered& entered);
  loop::Task<http::Response> create(const SettingsContext& context, const Place& place,
                                    const text::Form& form);
  loop::Task<http::Response> edit(const SettingsContext& context, const Place& place,
                                  const text::Form& form);

  http::Response ask_password(const SettingsContext& context, const Place& place, int status,
                              const std::string& problem);
  loop::Task<http::Response> show_secrets(const SettingsContext& context, const Place& place,
                                          const text::Form& form);
  loop::Task<http::Response> new_secret(const SettingsContext& context, const Place& place,
                                        const text::Form& form);
  loop::Task<http::Response> ask_retire(const SettingsContext& context, const Place& place);
  loop::Task<http::Response> retire(const SettingsContext& context, const Place& place,
                                    const text::Form& form);
  loop::Task<http::Response> ask_delete(const SettingsContext& context, const Place& place);
  loop::Task<http::Response> remove(const SettingsContext& context, const Place& place);

  loop::Task<http::Response> overtaken(const SettingsContext& context, const Place& place);

  oauth::ApplicationService& service_;
};

}  // namespace svc::pages
