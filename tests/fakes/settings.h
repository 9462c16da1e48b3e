// SettingsTest: the fixture of the settings pages: contacts, sessions, grants
// and applications in memory, and one browser that keeps its cookie.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/key_ring.h"
#include "fakes/examples.h"
#include "fakes/fixed_entropy.h"
#include "fakes/headers.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"
#include "fakes/memory_oauth.h"
#include "fakes/tasks.h"
#include "http/endpoint.h"
#include "login/form_limit.h"
#include "login/password_login.h"
#include "login/visitors.h"
#include "pages/login_prompt.h"
#include "pages/page_response.h"
#include "pages/settings/settings.h"
#include "text/uri.h"

namespace svc::fakes {

// Records the return path and the problem of the last ask().
class RememberingPrompt : public pages::LoginPrompt {
 public:
  std::string return_path, problem;

  http::Response ask(const http::Request&, const login::Visitor& visitor,
                     const login::ReturnPath& to, std::string_view why) override;
};

// Throttles only if the test sets `seconds`.
class SettableFormLimit : public login::FormLimit {
 public:
  std::optional<std::int64_t> seconds;

  loop::Task<std::optional<std::int64_t>> wait(media::ContactId) override;
};

// Olivia (501) owns Acme (1001) and Closed (1003), where OAuth is disabled; manages Binary (1002)
// and is a user of Quiet (1004). Manuel (502) manages Acme. Nora (505) is not a member of any
// account. The password of each is "right"; Olivia is logged in.
class SettingsTest : public testing::Test {
 protected:
  SettingsTest();
  ~SettingsTest() override;

  static media::Account account(std::int64_t id, std::string name, bool oauth_enabled);
  static media::Contact contact(std::int64_t id, std::string name,
                                std::vector<media::Membership> memberships);

  // Begins a session of that contact in this browser; returns its secret.
  std::string log_in(std::int64_t id, std::string_view address = "192.0.2.1");
  // Begins a session in another browser; returns its secret.
  std::string begin_session(std::int64_t id, std::string_view address);

  http::Response ask(http::Endpoint& page, std::string_view method, const std::string& target,
                     const std::string& body = "", std::string_view origin = "null");
  http::Response get(http::Endpoint& page, const std::string& target);

  using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

  // Sends the form for `action` of the page `shown`, with these additional
  // fields. If the page has no such form, the token is empty.
  http::Response send(http::Endpoint& page, const http::Response& shown, const std::string& action,
                      const Fields& fields = {});
  static std::string token_in(const std::string& html, const std::string& action);
  // The page that a 303 redirects to.
  http::Response follow(http::Endpoint& page, const http::Response& response);

  static bool has(const http::Response& response, std::string_view text);

  const embed::Site site_ = example_site();
  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  FixedEntropy entropy_;
  ManualWallClock clock_;
  MemorySessions sessions_;
  MemoryPeople people_;
  MemoryAttempts attempts_;
  CountedPasswords passwords_;
  CountedPermits permits_;
  MemoryGrants grants_;
  MemoryApplications applications_;
  SettableFormLimit form_limit_;
  MemoryAudit audit_;
  RememberingPrompt prompt_;
  login::Visitors visitors_{sessions_, keys_, entropy_, true};
  login::PasswordLogin password_login_{people_, attempts_, passwords_, permits_, audit_, clock_};
  const pages::SettingsParts parts_{
      site_,         visitors_, prompt_, password_login_, sessions_, form_limit_, people_,
      applications_, grants_,   audit_,  keys_,           entropy_,  clock_};
  std::string cookie_;
};

}  // namespace svc::fakes
