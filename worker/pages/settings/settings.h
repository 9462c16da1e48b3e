// settings: the common parts of the settings pages: the login check, the frame,
// form tokens, and the message that a change was made.
//
// Every form is a POST to the path that its token is valid for, which contains
// the account, the application and the action. A successful change redirects
// with 303 to a page that confirms it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "login/form_limit.h"
#include "login/password_login.h"
#include "login/second_factor.h"
#include "login/session.h"
#include "login/visitors.h"
#include "loop/task.h"
#include "media/contact.h"
#include "media/people.h"
#include "oauth/consent.h"
#include "oauth/stores.h"
#include "pages/login_prompt.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/template.h"
#include "text/form.h"
#include "text/words.h"

namespace svc::pages {

// The purpose of the token of the form that posts to that path.
std::string form_purpose(std::string_view path);

// For the login page after a form that was sent without a session.
inline constexpr std::string_view kNotSaved = text::translatable(
    "You have been logged out, so nothing was saved. Log in, then fill in the form again.");

// The status of a page with a form that was refused, or that another user's change has overtaken.
inline constexpr int kNotSavedStatus = 422;
inline constexpr int kOvertakenStatus = 409;

// What settings pages depend on. All of it must outlive them.
struct SettingsParts {
  const embed::Site& site;
  login::Visitors& visitors;
  LoginPrompt& login;
  login::PasswordLogin& password_login;
  login::Sessions& sessions;
  login::FormLimit& form_limit;
  login::SecondFactor& second_factor;
  media::People& people;
  oauth::Applications& applications;
  oauth::Grants& grants;
  oauth::Audit& audit;
  const base::KeyRing& keys;
  base::Entropy& entropy;
  const base::WallClock& clock;
};

// A request of a logged-in contact, and what its page needs to know.
struct SettingsContext {
  const http::Request& request;
  login::Visitor visitor;  // with a session
  media::Contact contact;
  std::int64_t now;  // seconds since 1970
};

class SettingsPage {
 public:
  // The window's title is "title · product".
  SettingsPage(const SettingsParts& parts, const SettingsContext& context, std::string_view title,
               std::string_view body_template);

  Values& body() { return body_; }
  // Sets ACTION and TOKEN of the form that posts to that path.
  void set_form(Values& values, std::string_view path) const;
  // If the query parameter `done` has a valid mac for this contact, shows the
  // section DONE_<WORD> and returns the word; otherwise returns "".
  std::string show_done();
  // Loads that script of the assets, which may send requests to this service.
  SettingsPage& with_script(std::string_view path, Requests requests = Requests::OwnOrigin);
  // Pictures and players of this installation may be on the page.
  SettingsPage& with_pictures();
  SettingsPage& with_players();
  // Without scripts, the browser loads the page again after that many seconds.
  SettingsPage& refresh_after(int seconds);
  http::Response answer(int status = 200) const;

 private:
  const SettingsParts& parts_;
  const SettingsContext& turn_;
  PageFrame frame_;
  Values& body_;
  Requests requests_ = Requests::No;
  Foreign foreign_;
};

// Whether a form that needs the password may be taken.
struct PasswordCheck {
  int status = 200;
  std::string problem;           // empty: it may
  std::int64_t retry_after = 0;  // s; 0: no limit is reached
};

class Settings : public http::Endpoint {
 public:
  explicit Settings(const SettingsParts& parts) : parts_(parts) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 protected:
  // Turn and form outlive the tasks.
  virtual loop::Task<http::Response> show(const SettingsContext& context) = 0;
  // Called only if the form's token is valid.
  virtual loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form);

  // For this long after the password was given, it is not requested again.
  static constexpr std::int64_t kPasswordLasts = 600;  // s
  static bool needs_password(const SettingsContext& context);
  // Checks the field `password`, unless the password was given a moment ago.
  loop::Task<PasswordCheck> check_password(const SettingsContext& context, const text::Form& form);

  // Whether the page is of an account that requires a second factor, and the contact has none.
  loop::Task<bool> lacks_factor(const SettingsContext& context);

  // The account that the path names, and this contact's role in it. The refusal is a 404: accounts
  // of others look as if they did not exist.
  struct OfAccount {
    media::Account account;
    media::Role role;
  };
  loop::Task<base::Result<OfAccount, http::Response>> account_of(const SettingsContext& context);

  // Redirects with 303 to `path`, which then shows the section DONE_<WORD>.
  http::Response done(const SettingsContext& context, std::string path,
                      std::string_view word) const;
  // 404: a `what` does not exist, or this contact may not see it.
  http::Response nothing_here(const SettingsContext& context, std::string_view what) const;
  http::Response nothing_here(const SettingsContext& context, std::string_view what,
                              std::string_view link, std::string_view link_name) const;
  http::Response only_by_form(const SettingsContext& context) const;
  // 429.
  http::Response too_many_forms(const SettingsContext& context, std::int64_t retry_after) const;

  const SettingsParts parts_;
};

// The text for contacts who may not manage the applications of an account.
std::string_view why_no_applications(oauth::Barrier barrier);

}  // namespace svc::pages
