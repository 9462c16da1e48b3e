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

  loop::Task<std::optional<oauth::AuthorizationCode>> find_code(const oauth::Token& code) override {
    check();
    co_return co_await MemoryGrants::find_code(code);
  }
  loop::Task<oauth::Redemption> redeem(const oauth::Token& code,
                                       const oauth::AuthorizationCode& record,
                                       std::string_view request_id, oauth::Token& access,
                                       const oauth::Token& refresh) override {
    check();
    if (redemption == oauth::Redemption::Redeemed) {
      ++redeemed;
      spent_by[code.text] = request_id;
      tokens[access.text] = record.issued;
      tokens[refresh.text] = record.issued;
    }
    co_return redemption;
  }
  loop::Task<std::optional<oauth::Issued>> find_token(const oauth::Token& token) override {
    check();
    const auto found = tokens.find(token.text);
    if (found == tokens.end()) co_return std::nullopt;
    co_return found->second;
  }
  loop::Task<bool> refresh(const oauth::Token&, const oauth::Issued& record,
                           const oauth::ScopeSet& scopes, oauth::Token& access) override {
    check();
    if (!refresh_token_alive) co_return false;
    oauth::Issued issued = record;
    issued.scopes = scopes;
    tokens[access.text] = issued;
    co_return true;
  }
  loop::Task<> revoke_tokens(const oauth::Token& token) override {
    check();
    revoked.push_back(token.text);
    tokens.erase(token.text);
    co_return;
  }

 private:
  void check() const {
    if (away) throw base::Unavailable("the grants are away");
  }
};

// The counts never expire: no test lasts a minute.
class CountedGuesses : public oauth::SecretGuesses {
 public:
  std::map<std::string, std::int64_t> counts;  // by "client address"

  loop::Task<std::int64_t> guesses(const oauth::ClientId& id, std::string_view address) override {
    co_return counts[key(id, address)];
  }
  loop::Task<std::int64_t> count_guess(const oauth::ClientId& id,
                                       std::string_view address) override {
    co_return ++counts[key(id, address)];
  }

 private:
  static std::string key(const oauth::ClientId& id, std::string_view address) {
    return id.text + " " + std::string(address);
  }
};

// Unless a test changes it, every contact is an owner and OAuth is enabled.
class MemoryStandings : public oauth::Standings {
 public:
  oauth::Standing standing{media::Role::Owner, true};
  bool away = false;

  loop::Task<oauth::Standing> find_standing(const oauth::Holder&) override {
    if (away) throw base::Unavailable("the catalog is away");
    co_return standing;
  }
};

class RememberedAudit : public oauth::Audit {
 public:
  std::vector<std::string> said;  // "what client detail"

  loop::Task<> record(const oauth::AuditEvent& event) override {
    said.push_back(std::string(event.what) + " " + std::string(event.client) + " " +
                   std::string(event.detail));
    co_return;
  }
};

}  // namespace svc::fakes
