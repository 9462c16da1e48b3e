// WithLogins: users who log in with the form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/rules.h"

namespace svc::rules {

class WithLogins : public Rules {
 protected:
  static constexpr const char* kOlivia = "olivia@acme.example";
  static constexpr const char* kManuel = "manuel@acme.example";
  static constexpr const char* kHome = "192.0.2.1";

  using Events = std::vector<std::string>;

  using Rules::Rules;

  // The password of a user of the demonstration.
  static std::string password_of(const std::string& email) {
    return email.substr(0, email.find('@')) + "-demo-password";
  }
  // Sends the login form of a page, with the right password unless another is given.
  Answer log_in(Browser& browser, const std::string& email, const std::string& password = "right",
                const std::string& page = "/login") {
    return browser.submit(
        browser.ask(page), "/login",
        {{"email", email}, {"password", password == "right" ? password_of(email) : password}});
  }
  // Logs in from an address, in a browser of its own. Returns "in", "wrong", or the seconds to
  // wait.
  std::string tried(const std::string& email, const std::string& password,
                    const std::string& address = kHome) {
    site_.address = address;
    Browser browser(site_);
    const Answer answer = log_in(browser, email, password);
    if (answer.status == 303) return "in";
    return answer.status == 403 ? "wrong" : answer.header("Retry-After");
  }
  bool is_logged_in(Browser& browser) { return browser.ask("/login").status == 303; }
};

}  // namespace svc::rules
