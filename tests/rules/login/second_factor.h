// WithSecondFactor: Olivia sets up a second factor.
#pragma once

#include <string>
#include <vector>

#include "login/one_time_code.h"
#include "rules/settings/settings.h"

namespace svc::rules {

class WithSecondFactor : public WithSettings {
 protected:
  static constexpr const char* kFactor = "/settings/second-factor";
  static constexpr const char* kSetUp = "The second factor is set up.";

  explicit WithSecondFactor(std::vector<std::string> settings = {})
      : WithSettings(std::move(settings)) {}

  static std::string value_of(const Answer& page, const std::string& id) {
    const std::size_t at = page.body.find("id=\"" + id + "\"");
    const std::size_t begin = page.body.find("value=\"", at) + 7;
    return page.body.substr(begin, page.body.find('"', begin) - begin);
  }
  // The bytes of the key on the page.
  static std::string secret_in(const Answer& page) {
    std::string secret;
    unsigned buffer = 0, bits = 0;
    const std::size_t at = page.body.find('>', page.body.find("id=\"key\"")) + 1;
    for (const char c : page.body.substr(at, page.body.find('<', at) - at)) {
      if (c == ' ') continue;
      buffer = buffer << 5U | static_cast<unsigned>(c >= 'A' ? c - 'A' : c - '2' + 26);
      bits += 5;
      if (bits < 8) continue;
      bits -= 8;
      secret += static_cast<char>(buffer >> bits & 255U);
    }
    return secret;
  }
  static std::vector<std::string> codes_in(const Answer& page) {
    std::vector<std::string> codes;
    const std::string mark = "<li><code>";
    for (std::size_t at = page.body.find(mark); at != std::string::npos;
         at = page.body.find(mark, at + 1))
      codes.push_back(page.body.substr(at + mark.size(), 11));
    return codes;
  }
  std::string code(int steps = 0) const {
    return login::one_time_code(secret_, login::one_time_step(site_.now()) + steps);
  }
  // Sets it up for Olivia; then a minute passes, so that the code of the present step is unused.
  Answer set_up() {
    const Answer page = browser_.ask(kFactor);
    secret_ = secret_in(page);
    const Answer added = browser_.submit(page, kFactor, {{"code", code()}});
    EXPECT_TRUE(added.has(kSetUp)) << added.body;
    recovery_ = codes_in(added);
    site_.pass(60);
    return added;
  }
  // The page after the password, in that browser.
  Answer password_given(Browser& browser, const std::string& page = "/login") {
    return log_in(browser, kOlivia, "right", page);
  }
  Answer give(Browser& browser, const Answer& page, const std::string& code) {
    return browser.submit(page, "/login", {{"code", code}});
  }

  std::string secret_;
  std::vector<std::string> recovery_;
};

}  // namespace svc::rules
