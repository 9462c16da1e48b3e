// Sessions in Redis: one hash per session, found by the HMAC of its secret, and
// one sorted set of sessions per contact. The set may contain ended sessions;
// only the hash decides whether a session exists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "login/session.h"
#include "redis/store.h"

namespace svc::stores {

struct SessionLifetimes {
  std::int64_t idle = 86'400;        // s
  std::int64_t longest = 1'209'600;  // s
};

class Sessions : public login::Sessions {
 public:
  // All references must outlive it.
  Sessions(redis::Store& store, const base::KeyRing& keys, base::Entropy& entropy,
           const base::WallClock& clock, SessionLifetimes lifetimes);

  loop::Task<std::optional<login::Session>> find(std::string_view secret) override;
  loop::Task<std::string> begin(media::ContactId contact, std::string_view address,
                                std::string_view password, std::string_view browser) override;
  loop::Task<> password_was_given(const login::Session& session) override;
  loop::Task<> end(const login::Session& session) override;
  loop::Task<std::vector<login::Session>> of(media::ContactId contact) override;
  loop::Task<> end_others(const login::Session& keep) override;
  // Ends all sessions of the contact. Returns their number.
  loop::Task<std::int64_t> end_all(media::ContactId contact);

 private:
  // Returns nullopt if the session has ended. If `seen`, sets last_seen to now,
  // unless it is younger than 60 s or a tenth of the idle time.
  loop::Task<std::optional<login::Session>> look(std::string mac, bool seen);
  // Ends all sessions in the contact's set, except `except`. Returns the number
  // that ended.
  loop::Task<std::int64_t> end_listed(media::ContactId contact, std::string_view except);

  redis::Store& store_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
  const SessionLifetimes lifetimes_;
};

}  // namespace svc::stores
