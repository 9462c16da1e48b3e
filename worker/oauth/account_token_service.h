// AccountTokenService: makes and ends account tokens. It contains their rules, limits and audit
// events, for the settings pages and svcctl. oauth-C2.
//
// Each event is recorded before its change: if it cannot be recorded, nothing changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/result.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/contact.h"
#include "oauth/account_tokens.h"
#include "oauth/application_service.h"
#include "oauth/consent.h"

namespace svc::oauth {

struct NewAccountToken {
  const media::Account& account;
  const media::Contact& contact;  // for whom the token acts
  std::string name;
  ScopeSet scopes;
  std::int64_t days = 0;  // 0: it never expires
};

// The maximum of characters of a name.
inline constexpr std::size_t kMostTokenName = 100;
// The choices of days until a token expires; 0: never.
inline constexpr std::int64_t kTokenDays[] = {30, 90, 365, 0};
// Returns the choice as forms and svcctl name it: "30", "never".
std::string name_of_days(std::int64_t days);
// Returns nullopt if there is no such choice.
std::optional<std::int64_t> days_named(std::string_view name);

// InvalidName: why_not_name(name, kMostTokenName). Barred: the contact may not, barrier_of().
enum class AccountTokenRefusal { InvalidName, NoScopes, Barred, TooMany };

struct CreatedAccountToken {
  AccountTokenRecord record;
  std::string text;
};

class AccountTokenService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  AccountTokenService(AccountTokens& tokens, Audit& audit, const Limits& limits,
                      base::Entropy& entropy, const base::WallClock& clock)
      : tokens_(tokens), audit_(audit), limits_(limits), entropy_(entropy), clock_(clock) {}

  std::int64_t most_per_account() const;
  AccountTokens& tokens() { return tokens_; }

  loop::Task<base::Result<CreatedAccountToken, AccountTokenRefusal>> create(
      const NewAccountToken& asked, const Actor& actor);
  // Does nothing if it has ended.
  loop::Task<> end(const AccountTokenRecord& record, const Actor& actor);

 private:
  loop::Task<> record_event(EventName what, const AccountTokenRecord& record, const Actor& actor);

  AccountTokens& tokens_;
  Audit& audit_;
  const Limits& limits_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
};

}  // namespace svc::oauth
