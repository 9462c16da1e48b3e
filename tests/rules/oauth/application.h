// WithApplication: a user who is logged in, and the demonstration's application, which asks for
// codes and exchanges them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.h"

namespace svc::rules {

inline constexpr const char* kTokenPath = "/oauth/token";
inline constexpr const char* kRevokePath = "/oauth/revoke";
inline constexpr const char* kIntrospectPath = "/oauth/introspect";

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
  // Returns /oauth/authorize with the usual parameters; those of `other` are added or replaced.
  static std::string authorize(const Ask::Fields& other = {});
  // The code of a new authorization, as the browser brings it to the application.
  std::string new_code(const Ask::Fields& other = {});
  Answer exchange(const std::string& code, const Ask::Fields& other = {});
  Answer refresh(const std::string& token, const Ask::Fields& other = {});
  struct Tokens {
    std::string access, refresh;
  };
  // Exchanges a new code. Throws if the response lacks tokens.
  Tokens new_tokens(const Ask::Fields& authorize = {}, const Ask::Fields& exchange = {});
  static Tokens tokens_of(const Answer& answer);
  Answer introspect(const std::string& token) { return post(kIntrospectPath, {{"token", token}}); }
  Answer revoke(const std::string& token) { return post(kRevokePath, {{"token", token}}); }
  // Whether the API accepts the access token.
  bool lives(const std::string& access) {
    return ask(Ask("/v1/account").with("Authorization", "Bearer " + access)).status == 200;
  }
  // POST with the application's credentials, unless `fields` have others.
  Answer post(const std::string& path, const Ask::Fields& fields);

  // Imports the application every-scope-0001 of account 1001, with this secret, and further JSON
  // members, if any: `"require_pkce": true`.
  static constexpr const char* kOther = "every-scope-0001";
  static constexpr const char* kOtherSecret = "every-secret-0001";
  static constexpr const char* kOtherUri = "https://client.example/cb";
  static constexpr const char* kEveryScope =
      R"("all:all", "all:read", "media:read", "stats:read", "media:upload")";
  void import_other(const std::string& members = "", const std::string& uri = kOtherUri,
                    const std::string& scopes = kEveryScope);
  // The parameters of that application at each endpoint.
  static inline const Ask::Fields kOtherAsks{{"client_id", kOther}, {"redirect_uri", kOtherUri}};
  static inline const Ask::Fields kOtherExchanges{
      {"client_id", kOther}, {"client_secret", kOtherSecret}, {"redirect_uri", kOtherUri}};
  // Imports Olivia or Acme as in the catalog, but with this.
  void import_olivia(const std::string& memberships);
  void import_acme(bool oauth_enabled);

  // How many events of that kind the audit trail has.
  std::size_t events(std::string_view what);
  // The keys of the state Redis with that pattern.
  std::vector<std::string> keys(const std::string& pattern);
};

// "200", or with its error: "400 invalid_grant".
std::string outcome(const Answer& answer);

// The value of a parameter in the query of a URL; "" if it has none.
std::string parameter_of(const std::string& url, std::string_view name);

// Returns the text of a member of a JSON object, not unescaped, or "" if the member is missing.
std::string member_of(const Answer& answer, std::string_view name);

}  // namespace svc::rules
