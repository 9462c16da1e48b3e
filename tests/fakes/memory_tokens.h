// MemoryTokens: MemoryGrants that can also redeem, refresh and revoke, and
// record these calls.
//
// CountedGuesses, RememberedAudit: the other two stores of the token endpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/memory_oauth.h"

namespace svc::fakes {

class MemoryTokens : public MemoryGrants {
 public:
  std::map<std::string, oauth::Issued> tokens;  // valid tokens, by text
  std::map<std::string, std::string> spent_by;  // request id, by the text of a code
  oauth::Redemption redemption = oauth::Redemption::Redeemed;
  bool refresh_token_alive = true;  // whether refresh() finds the refresh token
  int redeemed = 0;
  std::vector<std::string> revoked;  // texts of tokens

  loop::Task<std::optional<oauth::AuthorizationCode>> find_code(const oauth::Token& code) override;
  loop::Task<oauth::Redemption> redeem(const oauth::Token& code,
                                       const oauth::AuthorizationCode& record,
                                       std::string_view request_id, oauth::Token& access,
                                       const oauth::Token& refresh) override;
  loop::Task<std::optional<oauth::Issued>> find_token(const oauth::Token& token) override;
  loop::Task<bool> refresh(const oauth::Token&, const oauth::Issued& record,
                           const oauth::ScopeSet& scopes, oauth::Token& access) override;
  loop::Task<> revoke_tokens(const oauth::Token& token) override;

 private:
  void check() const;
};

// The counts never expire: no test lasts a minute.
class CountedGuesses : public oauth::SecretGuesses {
 public:
  std::map<std::string, std::int64_t> counts;  // by "client address"

  loop::Task<std::int64_t> guesses(const oauth::ClientId& id, std::string_view address) override;
  loop::Task<std::int64_t> count_guess(const oauth::ClientId& id,
                                       std::string_view address) override;

 private:
  static std::string key(const oauth::ClientId& id, std::string_view address);
};

// Unless a test changes it, every contact is an owner and OAuth is enabled.
class MemoryStandings : public oauth::Standings {
 public:
  oauth::Standing standing{media::Role::Owner, true};
  bool away = false;

  loop::Task<oauth::Standing> find_standing(const oauth::Holder&) override;
};

class RememberedAudit : public oauth::Audit {
 public:
  std::vector<std::string> said;  // "what client detail"

  loop::Task<> record(const oauth::AuditEvent& event) override;
};

}  // namespace svc::fakes
