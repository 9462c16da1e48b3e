// GrantInspection: the state of grants and tokens, ended ones included. It only
// reads, and does not count as use of a token. Only for svcctl: it may scan the
// whole store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/key_ring.h"
#include "oauth/grant.h"
#include "oauth/limits.h"
#include "oauth/stores.h"
#include "oauth/token.h"
#include "redis/store.h"

namespace svc::stores {

// Unknown: not in the store, because it was never issued, expired some time ago
// or ended with its grant.
// Used: a refresh token of a family, not its last.
enum class TokenState { Alive, Expired, Revoked, Replaced, Spent, Used, Unknown };

struct InspectedToken {
  TokenState state = TokenState::Unknown;
  oauth::Issued issued;  // empty when Unknown
};

// A grant, and its number of tokens that are alive.
struct LiveGrant {
  oauth::GrantId id;
  media::ContactId contact;
  media::AccountId account;
  std::int64_t access_tokens = 0;
  std::int64_t refresh_tokens = 0;  // 0 or 1; of a public application, its families
};

class GrantInspection {
 public:
  GrantInspection(redis::Store& store, const base::KeyRing& keys, const oauth::Limits& limits,
                  const base::WallClock& clock)
      : store_(store), keys_(keys), limits_(limits), clock_(clock) {}

  // Called after every batch of keys by those that look through the whole store, with how much of
  // it has been looked through, 0 to 1, and the number of grants found.
  using Progress = std::function<void(double done, std::size_t found)>;
  void report_to(Progress progress) { progress_ = std::move(progress); }

  loop::Task<InspectedToken> inspect(const oauth::Token& token);
  // Scans all grants, because the lists of grants may be incomplete.
  loop::Task<std::vector<LiveGrant>> grants_of(const oauth::ClientId& client);
  loop::Task<std::vector<LiveGrant>> grants_of(media::ContactId contact);
  loop::Task<std::vector<LiveGrant>> grants_of(media::AccountId account);

 private:
  loop::Task<InspectedToken> inspect_family(const oauth::Token& token);
  // Returns the grants whose field `name` is `value`.
  loop::Task<std::vector<LiveGrant>> grants_with(std::string_view name, std::string value);

  redis::Store& store_;
  const base::KeyRing& keys_;
  const oauth::Limits limits_;
  const base::WallClock& clock_;
  Progress progress_;
};

}  // namespace svc::stores
