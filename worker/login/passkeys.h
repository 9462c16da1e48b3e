// Passkeys: a passkey instead of the code of a second factor. oauth-F6.
//
// A user who has a second factor adds them. They end with it. A challenge is sealed: it names its
// browser, user and time, so nothing is stored until it comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "login/session.h"
#include "login/web_authn.h"
#include "loop/task.h"
#include "media/contact.h"
#include "oauth/stores.h"

namespace svc::login {

struct Passkey {
  std::string id;  // base64url
  std::string name;
  std::string public_key;  // a COSE_Key
  std::vector<std::string> transports;
  std::int64_t created = 0;  // seconds since 1970
  std::int64_t used = 0;     // the same; 0: never
};

// Implemented in stores/. All throw base::Unavailable. `turn` names the request, which may reach
// the store twice.
class PasskeyStore {
 public:
  virtual ~PasskeyStore() = default;
  // In the order of their creation.
  virtual loop::Task<std::vector<Passkey>> of(media::ContactId contact) = 0;
  // Exists: the user has this passkey already. TooMany: kMostPasskeys. NoFactor: the user has no
  // second factor (any more).
  enum class Added : std::uint8_t { Yes, Exists, TooMany, NoFactor };
  virtual loop::Task<Added> add(media::ContactId contact, const Passkey& passkey,
                                std::uint32_t count) = 0;
  // Returns false if the user does not have it.
  virtual loop::Task<bool> remove(media::ContactId contact, std::string_view id) = 0;
  // Stores the counter of a use. Gone: the user does not have it. Behind: one of both counters is
  // not 0, and this one is not higher than the last; but the counter of a synced passkey may fall
  // to 0, as when another program takes it over.
  enum class Used : std::uint8_t { Yes, Gone, Behind };
  virtual loop::Task<Used> use(media::ContactId contact, std::string_view id,
                               const Assertion& assertion, std::int64_t now,
                               std::string_view turn) = 0;
  // Marks a challenge as used, for kChallengeSeconds. Returns false if it was used before.
  virtual loop::Task<bool> spend(std::string_view challenge_digest, std::string_view turn) = 0;
};

inline constexpr std::size_t kMostPasskeys = 10;
inline constexpr std::size_t kMostPasskeyName = 60;  // characters
inline constexpr std::int64_t kChallengeSeconds = 600;

class Passkeys {
 public:
  // References outlive it. Arguments outlive the tasks.
  Passkeys(PasskeyStore& store, const base::KeyRing& keys, base::Entropy& entropy,
           oauth::Audit& audit, const base::WallClock& clock, std::string_view app_url,
           std::string service_name)
      : store_(store),
        keys_(keys),
        entropy_(entropy),
        audit_(audit),
        clock_(clock),
        party_(relying_party(app_url)),
        service_name_(std::move(service_name)) {}

  // Whether browsers know this service by a name. If not, the functions below refuse all passkeys.
  bool is_possible() const { return party_.has_value(); }

  loop::Task<std::vector<Passkey>> of(media::ContactId contact) { return store_.of(contact); }

  // PublicKeyCredentialCreationOptionsJSON and PublicKeyCredentialRequestOptionsJSON. `present`:
  // the passkeys of the user. Only if is_possible().
  std::string creation_options(const Visitor& visitor, const media::Contact& contact,
                               const std::vector<Passkey>& present) const;
  std::string request_options(const Visitor& visitor, const media::Contact& contact,
                              const std::vector<Passkey>& present) const;

  // Adds the passkey of a RegistrationResponseJSON.
  enum class Added : std::uint8_t { Yes, Exists, TooMany, NoFactor, Refused };
  loop::Task<Added> add(const Visitor& visitor, const media::Contact& contact,
                        std::string_view name, std::string_view json, std::string_view address);
  // Does nothing if the user does not have it.
  loop::Task<> remove(media::ContactId contact, std::string_view id, std::string_view address);

  // Returns whether an AuthenticationResponseJSON is of a passkey of this user, for a challenge of
  // this browser that was not used. Records the login, or why not.
  loop::Task<bool> check(const Visitor& visitor, const media::Contact& contact,
                         std::string_view json, std::string_view address);

 private:
  std::string challenge(const Visitor& visitor, media::ContactId contact,
                        std::string_view purpose) const;
  // Returns "" if it is one of challenge(), in time, and was not used before.
  loop::Task<CredentialRefusal> spend(const Visitor& visitor, media::ContactId contact,
                                      std::string_view purpose, const std::string& challenge,
                                      std::string_view turn);
  loop::Task<CredentialRefusal> why_refused(const Visitor& visitor, media::ContactId contact,
                                            std::string_view json);
  std::string new_turn() const;
  loop::Task<> record(oauth::EventName what, media::ContactId contact, std::string_view address,
                      std::string_view detail);

  PasskeyStore& store_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
  const std::optional<RelyingParty> party_;
  const std::string service_name_;
};

}  // namespace svc::login
