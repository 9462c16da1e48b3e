// settings: the common parts of the settings pages: the login check, the frame,
// form tokens, and the message that a change was made.
//
// Every form is a POST to the path that its token is valid for, which contains
// the account, the application and the action. A successful change redirects
// with 303 to a page that confirms it. A form that is refused is shown again
// (pages/settings/form.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "base/unreadable.h"
#include "base/unwritable.h"
#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "library/library_parts.h"
#include "login/form_limit.h"
#include "login/passkeys.h"
#include "login/password_login.h"
#include "login/second_factor.h"
#include "login/session.h"
#include "login/visitors.h"
#include "loop/heavy_work.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/contact.h"
#include "media/people.h"
#include "media/upload_limits.h"
#include "oauth/account_token_service.h"
#include "oauth/application_service.h"
#include "oauth/consent.h"
#include "oauth/stores.h"
#include "pages/formatting.h"
#include "pages/languages.h"
#include "pages/login_prompt.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/settings/form.h"
#include "pages/settings/pages.h"
#include "pages/template.h"
#include "text/form.h"
#include "text/words.h"

namespace svc::pages {

// The purpose of the token of the form that posts to that path.
std::string form_purpose(std::string_view path);

// For the login page after a form that was sent without a session.
inline constexpr std::string_view kNotSaved = text::translatable(
    "You have been logged out, so nothing was saved. Log in, then fill in the form again.");

// The reason for the script of uploads.
inline constexpr std::string_view kLacksFactor =
    "This account requires a second factor, and you have none.";

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
  login::Passkeys& passkeys;
  oauth::ApplicationService& application_service;
  oauth::AccountTokenService& token_service;
  library::LibraryParts& library;
  loop::HeavyWork& heavy;
  loop::Loop& loop;
  const Languages& languages;
  const media::UploadLimits upload_limits;
};

// A request of a logged-in contact, and what its page needs to know.
struct SettingsContext {
  const http::Request& request;
  login::Visitor visitor;  // with a session
  media::Contact contact;
  std::int64_t now;                  // seconds since 1970
  const text::Form* sent = nullptr;  // the form of a POST, whose token is valid; nullptr: a GET

  // Returns the rest of the request's path after `path`, with which it begins, and a slash.
  std::string_view after(std::string_view path) const {
    return request.path.substr(std::min(path.size() + 1, request.path.size()));
  }
};

// A request for a page of an account that the contact is in.
struct InAccount : SettingsContext {
  media::Account account;
  media::Role role;    // the contact's
  std::string number;  // the account's

  std::string account_name() const { return clipped(account.name, kMaxShownName); }
};

// The response to a request whose page is not shown, and its reason for a script.
struct Refused {
  http::Response page;
  std::string reason{};
};
inline base::Refusal<Refused> instead(http::Response page, std::string reason = "") {
  return {Refused{std::move(page), std::move(reason)}};
}

class SettingsPage {
 public:
  // The window's title is "title · product".
  SettingsPage(const SettingsParts& parts, const SettingsContext& context, std::string_view title,
               std::string_view body_template);
  // A page with a form that posts to the path of the request: sets ACTION, TOKEN, the problems, the
  // status, and what show_done() shows. If it is refused, the title is another, or begins with "Not
  // saved: ".
  SettingsPage(const SettingsParts& parts, const SettingsContext& context, const Entered& entered,
               std::string_view title, std::string_view body_template,
               std::string_view refused_title = "");

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
  http::Response answer() const { return answer(status_); }
  http::Response answer(int status) const;

 private:
  const SettingsParts& parts_;
  const SettingsContext& turn_;
  PageFrame frame_;
  Values& body_;
  Requests requests_ = Requests::No;
  Foreign foreign_;
  int status_ = 200;
  std::int64_t retry_after_ = 0;  // s; 0: no limit is reached
};

// A page of an account, for a contact who may not see it.
struct Barred {
  std::string_view title;
  std::string_view does;     // its owners and managers
  std::string_view lacks;    // what is impossible
  bool needs_oauth = false;  // otherwise uploads
};
inline constexpr Barred kApplicationsBarred{"Applications", "see and change its applications",
                                            "Applications cannot be registered", true};
inline constexpr Barred kTokensBarred{"Account tokens", "see and make its tokens",
                                      "Tokens cannot be made", true};
inline constexpr Barred kMediaBarred{"Media", "see, upload and change its media",
                                     "Media cannot be uploaded"};
inline constexpr Barred kProjectsBarred{"Projects", "see and change its projects",
                                        "Projects cannot be changed"};
inline constexpr Barred kSitesBarred{"Sites", "choose where its films may be shown",
                                     "Sites cannot be chosen"};
inline constexpr Barred kStatsBarred{"Statistics", "see its statistics",
                                     "Statistics cannot be seen"};
// Some sentences.
std::string why_barred(const Barred& page, oauth::Barrier barrier);

// Refuses a form whose password was not accepted: 403, or 429 after too many wrong ones.
void refuse_password(Entered& entered, std::string_view field, const login::LoginRefusal& refusal);

class Settings : public http::Endpoint {
 public:
  explicit Settings(const SettingsParts& parts) : parts_(parts) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 protected:
  // The context outlives the task.
  virtual loop::Task<http::Response> respond(const SettingsContext& context) = 0;

  // For this long after the password was given, it is not requested again.
  static constexpr std::int64_t kPasswordLasts = 600;  // s
  static bool needs_password(const SettingsContext& context);
  // Checks the field `password`, unless the password was given a moment ago. Returns false if the
  // form is refused.
  loop::Task<bool> check_password(const SettingsContext& context, Entered& entered);
  // Shows the field, if it is needed: PASSWORD with EMAIL.
  static void show_password(const SettingsContext& context, Values& form);

  // Returns the account that the path names. Accounts of others look as if they did not exist, and
  // an account that requires a second factor is closed to a contact without it.
  loop::Task<base::Result<InAccount, Refused>> account_of(const SettingsContext& context);

  // The page makes the id of what its form creates, so a form that is sent twice creates it once.
  // The field `proof` shows that the id is one of the page.
  std::string proof_of(const SettingsContext& context, std::string_view id) const;
  bool is_proven(const SettingsContext& context, std::string_view id) const;

  // 403: the contact may not see the page.
  base::Refusal<Refused> barred(const InAccount& in, const Barred& page,
                                oauth::Barrier barrier) const;
  // Redirects with 303 to `path`, which then shows the section DONE_<WORD>.
  http::Response done(const SettingsContext& context, std::string path,
                      std::string_view word) const;
  // 404: a `what` does not exist, or this contact may not see it.
  http::Response nothing_here(const SettingsContext& context, std::string_view what) const;
  http::Response nothing_here(const SettingsContext& context, std::string_view what,
                              std::string_view link, std::string_view link_name) const;
  http::Response only_by_form(const SettingsContext& context) const;
  // 303 to a page of ours.
  static http::Response go_to(const SettingsContext& context, std::string path) {
    return see_other(std::move(path), context.visitor);
  }
  // 429.
  http::Response too_many_forms(const SettingsContext& context, std::int64_t retry_after) const;

  const SettingsParts parts_;
};

// Reads a record that a path names. If it cannot be read, and is to be deleted, returns only the
// id, the account and the id as the name, provided that `asking` yields that it is the account's.
template <class Record, class Id>
loop::Task<std::optional<Record>> read_or_name(loop::Task<std::optional<Record>> reading,
                                               loop::Task<bool> asking, media::AccountId account,
                                               Id id, bool is_deleted) {
  try {
    co_return co_await reading;
  } catch (const base::Unreadable&) {
    if (!is_deleted) throw;
  }
  const bool is_here = co_await asking;
  if (!is_here) co_return std::nullopt;
  Record record;
  record.id = id;
  record.account = account;
  record.name = id.value();
  co_return record;
}

// A page of a `Turn`: a SettingsContext with what its path names, which find() reads.
template <class Base, class Turn>
class PagesOf : public Base {
 protected:
  using Base::Base;

  virtual loop::Task<base::Result<Turn, Refused>> find(const SettingsContext& context) = 0;
  // Turn outlives the task.
  virtual loop::Task<http::Response> page(const Turn& turn) = 0;
  virtual http::Response refuse(const SettingsContext&, const Refused& refused) const {
    return refused.page;
  }

  // A form: shows the saved values, or applies the sent values. If they are refused, also by the
  // gate of records, shows them again; if the record has changed since, with the new record.
  template <class Page>
  loop::Task<http::Response> form(const Turn& turn,
                                  loop::Task<http::Response> (Page::*show)(const Turn&,
                                                                           const Entered&),
                                  loop::Task<Applied> (Page::*apply)(const Turn&, Entered&)) {
    Page& page = static_cast<Page&>(*this);
    Entered entered;
    if (turn.sent != nullptr) {
      entered = Entered(*turn.sent);
      try {
        const Applied applied = co_await (page.*apply)(turn, entered);
        if (applied) co_return *applied;
      } catch (const base::Unwritable& refused) {
        refuse_unwritable(entered, refused);
      }
      if (entered.is_overtaken()) {
        const base::Result<Turn, Refused> now = co_await find(turn);
        if (!now) co_return refuse(turn, now.error());
        co_return co_await (page.*show)(*now, entered);
      }
    }
    co_return co_await (page.*show)(turn, entered);
  }

  // For page(): a response that waits for nothing.
  static loop::Task<http::Response> at_once(http::Response response) { co_return response; }

 private:
  loop::Task<http::Response> respond(const SettingsContext& context) final {
    const base::Result<Turn, Refused> turn = co_await find(context);
    if (!turn) co_return refuse(context, turn.error());
    http::Response response = co_await page(*turn);
    if constexpr (requires { turn->media.id; }) response.about = turn->media.id.value();
    co_return response;
  }
};

// A page of the contact alone.
class OwnPages : public PagesOf<Settings, SettingsContext> {
 protected:
  using PagesOf::PagesOf;
  loop::Task<base::Result<SettingsContext, Refused>> find(const SettingsContext& context) override;
};

}  // namespace svc::pages
