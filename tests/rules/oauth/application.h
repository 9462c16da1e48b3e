// WithApplication: a user who is logged in, and the demonstration's application, which asks for
// codes and exchanges them.
#pragma once

#include <string>
#include <string_view>

#include "rules/rules.h"

namespace svc::rules {

class WithApplication : public Rules {
 protected:
  static constexpr std::int64_t kOlivia = 501;
  static constexpr std::int64_t kAcme = 1001;
  static constexpr const char* kClient = "demo-client-0001";
  static constexpr const char* kSecret = "demo-secret-0001-not-for-production";
  static constexpr const char* kRedirectUri = "http://127.0.0.1:9090/callback";

  explicit WithApplication(std::vector<std::string> settings = {}) : Rules(std::move(settings)) {
    browser_.log_in(kOlivia);
  }

  // In all of these, "-" leaves a field out.
  // /oauth/authorize with these parameters in place of or beside the usual ones.
  static std::string authorize(const Ask::Fields& other = {});
  // The code of a new authorization, as the browser brings it to the application.
  std::string new_code(const Ask::Fields& other = {});
  Answer exchange(const std::string& code, const Ask::Fields& other = {});
  Answer refresh(const std::string& token, const Ask::Fields& other = {});
  // POST with the application's credentials, unless `fields` have others.
  Answer post(const std::string& path, const Ask::Fields& fields);
};

// The value of a parameter in the query of a URL; "" if it has none.
std::string parameter_of(const std::string& url, std::string_view name);

// The text of a member of a JSON object, not unescaped; "" if there is none.
std::string member_of(const Answer& answer, std::string_view name);

}  // namespace svc::rules
