// SecondFactor: a one-time code after the password. oauth-F1.
//
// A user who has one logs in in two steps. After the password there is no session yet: the form for
// the code has the user sealed, bound to the browser. So no place that reads a session needs to
// know of the step between.
#pragma once

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
#include "loop/task.h"
#include "media/contact.h"
#include "oauth/stores.h"

namespace svc::login {

// The second factor of a user, as it is stored.
struct StoredFactor {
  std::string sealed;              // the secret; base::KeyRing::seal
  std::int64_t created = 0;        // seconds since 1970
  std::int64_t recovery_left = 0;  // codes that were not used
  std::int64_t passkeys = 0;       // login/passkeys.h; written there
};

// Implemented in stores/. All throw base::Unavailable.
class Factors {
 public:
  virtual ~Factors() = default;
  virtual loop::Task<std::optional<StoredFactor>> find(media::ContactId contact) = 0;
  // Stores a factor, and the macs of its recovery codes, instead of any before.
  virtual loop::Task<> write(media::ContactId contact, const StoredFactor& factor,
                             const std::vector<std::string>& codes) = 0;
  // Replaces the recovery codes. Returns false if the contact has no factor.
  virtual loop::Task<bool> write_codes(media::ContactId contact,
                                       const std::vector<std::string>& codes) = 0;
  // Marks a step of time as used. Returns false if this step or a later one was used before, or
  // the contact has another factor.
  virtual loop::Task<bool> spend_step(media::ContactId contact, std::string_view sealed,
                                      std::int64_t step) = 0;
  // Removes a recovery code with one of these macs. Returns false if there is none.
  virtual loop::Task<bool> spend_code(media::ContactId contact,
                                      const std::vector<std::string>& macs) = 0;
  // Returns false if there was none.
  virtual loop::Task<bool> remove(media::ContactId contact) = 0;

  // Which of these accounts require one.
  virtual loop::Task<std::vector<media::AccountId>> requiring(
      const std::vector<media::AccountId>& accounts) = 0;

  // Counts an attempt. Returns the seconds to wait if there were too many in a minute, from all
  // addresses together.
  virtual loop::Task<std::optional<std::int64_t>> begin_attempt(media::ContactId contact) = 0;
  // Forgets the attempts.
  virtual loop::Task<> succeeded(media::ContactId contact) = 0;
};

// Returns the sealed secret of a contact under the first key: the same text if it is sealed with
// that one. Returns nullopt if no key opens it.
std::optional<std::string> renew_factor(const base::KeyRing& keys, media::ContactId contact,
                                        const std::string& sealed, base::Entropy& entropy);

// Wrong codes of a user in kFactorSeconds. One more attempt is not looked at.
inline constexpr std::int64_t kMostWrongCodes = 5;
inline constexpr std::int64_t kFactorSeconds = 60;

struct FactorRefusal {
  enum class Why { Wrong, HeldUp } why;
  std::int64_t retry_after = 0;  // s, for HeldUp
};

class SecondFactor {
 public:
  // All references outlive it. Arguments outlive the tasks.
  SecondFactor(Factors& factors, const base::KeyRing& keys, base::Entropy& entropy,
               oauth::Audit& audit, const base::WallClock& clock)
      : factors_(factors), keys_(keys), entropy_(entropy), audit_(audit), clock_(clock) {}

  loop::Task<std::optional<StoredFactor>> of(media::ContactId contact) {
    return factors_.find(contact);
  }

  // Returns those of these accounts that require a second factor, unless the contact has one.
  loop::Task<std::vector<media::AccountId>> closed_to(
      media::ContactId contact, const std::vector<media::AccountId>& accounts);

  // Checks a code of the authenticator or a recovery code, and spends it. Returns nullopt if it is
  // right, or if the contact has no second factor any more.
  loop::Task<std::optional<FactorRefusal>> check(media::ContactId contact, std::string_view code,
                                                 std::string_view address);

  // Enrolment in two steps. The first returns a secret that is not stored yet, sealed for that
  // contact. The second stores it if the code is one of it, and returns the recovery codes; nullopt
  // otherwise.
  std::string begin_enrolment(media::ContactId contact);
  std::optional<std::string> secret_of_enrolment(media::ContactId contact,
                                                 std::string_view sealed) const;
  loop::Task<std::optional<std::vector<std::string>>> enrol(media::ContactId contact,
                                                            std::string_view sealed,
                                                            std::string_view code,
                                                            std::string_view address);
  // Returns the codes; nullopt if the contact has no second factor.
  loop::Task<std::optional<std::vector<std::string>>> renew_recovery_codes(
      media::ContactId contact, std::string_view address);
  loop::Task<> remove(media::ContactId contact, std::string_view address);

  // The form's field between the two steps of a login: the user whose password was right, for this
  // browser. Returns nullopt after kStepSeconds, in another browser, or if it was changed.
  std::string seal_step(const Visitor& visitor, const media::Contact& contact) const;
  struct Step {
    media::ContactId contact;
    std::string password;  // its password_tag()
  };
  std::optional<Step> open_step(const Visitor& visitor, std::string_view sealed) const;
  static constexpr std::int64_t kStepSeconds = 600;

 private:
  std::vector<std::string> macs_of(media::ContactId contact, std::string_view code) const;
  std::vector<std::string> first_macs_of(media::ContactId contact,
                                         const std::vector<std::string>& codes) const;
  loop::Task<> record(oauth::EventName what, media::ContactId contact, std::string_view address,
                      std::string_view detail = {});

  Factors& factors_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
};

}  // namespace svc::login
