// TokensPage: Account → Settings → Account tokens. oauth-C2.
//
//   /settings/accounts/<account>/tokens            the list, and the form for a new one
//   /settings/accounts/<account>/tokens/<id>/end   ends one; POST only
//   /settings/accounts/<account>/tokens/end        ends the one that was pasted; POST only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/account.h"
#include "oauth/account_token_service.h"
#include "pages/settings/settings.h"
#include "text/form.h"

namespace svc::pages {

class TokensPage : public Settings {
 public:
  // The service outlives the page.
  TokensPage(const SettingsParts& parts, oauth::AccountTokenService& service)
      : Settings(parts), service_(service) {}

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct Place {
    media::Account account;
    std::string list;          // path of the list
    std::string_view subject;  // "", or the rest of the path: "end", "<id>/end"
  };
  loop::Task<base::Result<Place, http::Response>> place_of(const SettingsContext& context);

  // Contents of the form and its problems, if it is shown again, and the token that it made.
  struct Entered {
    int status = 200;
    std::string name;
    oauth::ScopeSet scopes;
    std::string expires = "90";
    std::string name_problem, scopes_problem, expires_problem, password_problem;
    std::string problem;        // of the whole form
    std::string paste_problem;  // of the other form
    std::string token;
    std::string token_name;
    std::int64_t retry_after = 0;  // s; 0: no limit is reached

    bool is_refused() const {
      return !name_problem.empty() || !scopes_problem.empty() || !expires_problem.empty() ||
             !password_problem.empty();
    }
  };
  loop::Task<http::Response> page(const SettingsContext& context, const Place& place,
                                  const Entered& entered);
  loop::Task<http::Response> create(const SettingsContext& context, const Place& place,
                                    const text::Form& form);
  loop::Task<> check_password(const SettingsContext& context, const text::Form& form,
                              Entered& entered);
  loop::Task<http::Response> end(const SettingsContext& context, const Place& place);
  loop::Task<http::Response> end_pasted(const SettingsContext& context, const Place& place,
                                        const text::Form& form);

  oauth::AccountTokenService& service_;
};

}  // namespace svc::pages
