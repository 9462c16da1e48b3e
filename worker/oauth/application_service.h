// ApplicationService: registers, edits and deletes applications, and manages
// their secrets. It contains all their rules, limits and audit events, for the
// settings pages and svcctl. `svcctl import` writes the records of another
// installation: it checks their settings by the same rules, client_to_register(),
// and does not count the applications of an account.
//
// Each event is recorded before its change: if it cannot be recorded, nothing
// changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/id.h"
#include "oauth/applications.h"
#include "oauth/audit_event.h"
#include "oauth/client.h"
#include "oauth/stores.h"

namespace svc::oauth {

// The author of a change, for the audit trail. The texts outlive the task.
struct Actor {
  std::optional<media::ContactId> contact{};
  std::string_view address{};
  std::string_view detail{};
};

struct NewApplication {
  ClientId id;
  media::Account account;
  ApplicationSettings settings;
  OperatorSettings operated{};
};

// An application, and its newest secret in clear text. Empty: it is public.
struct WithSecret {
  Client client;
  std::string secret;
};

// The remains of an application: a record, readable or not, or only grants that
// are ending.
struct Remains {
  ClientId id;
  std::optional<Client> client;
  bool has_record = false;
};

class ApplicationService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions
  // throw base::Unavailable.
  ApplicationService(Applications& applications, Grants& grants, Audit& audit, const Limits& limits,
                     const base::KeyRing& keys, base::Entropy& entropy,
                     const base::WallClock& clock)
      : applications_(applications),
        grants_(grants),
        audit_(audit),
        limits_(limits),
        keys_(keys),
        entropy_(entropy),
        clock_(clock) {}

  const Limits& limits() const { return limits_; }
  // The number of applications that an account may have.
  std::int64_t most_per_account() const;

  // Registers an application with an id from new_client_id(). Refuses with
  // IdTaken, InvalidSettings, OauthDisabled, TooManyApplications or ResourceTaken.
  loop::Task<base::Result<WithSecret, ApplicationRefusal>> create(const NewApplication& application,
                                                                  const Actor& actor);
  // The same with an id that the caller chose. First ends all grants of a
  // former application with that id, because consent to the former application
  // does not apply to the new one.
  loop::Task<base::Result<WithSecret, ApplicationRefusal>> create_with_chosen_id(
      const NewApplication& application, GrantSearch& search, const Actor& actor);

  // Both change the application that the caller read as `seen`. `edition` is
  // the settings_edition() or secrets_edition() that the user saw. They refuse
  // with NotFound or Overtaken. edit() also refuses with InvalidSettings. If the settings are
  // already stored, it succeeds and changes nothing. edit() never changes the type.
  loop::Task<base::Result<Client, ApplicationRefusal>> edit(const Client& seen,
                                                            const ApplicationSettings& asked,
                                                            std::string_view edition,
                                                            const Actor& actor);
  // Changes what operators decide. Refuses with NotFound, InvalidSettings or ResourceTaken.
  using Operate = std::function<OperatorSettings(OperatorSettings)>;
  loop::Task<base::Result<Client, ApplicationRefusal>> operate(const Client& seen,
                                                               const Operate& operate,
                                                               const Actor& actor);
  // Also refuses with TwoLiveSecrets, or NoSecret.
  loop::Task<base::Result<WithSecret, ApplicationRefusal>> rotate_secret(const Client& seen,
                                                                         std::string_view edition,
                                                                         const Actor& actor);
  // Also refuses with OneLiveSecret, or NoSecret.
  loop::Task<base::Result<Client, ApplicationRefusal>> retire_old_secret(const Client& seen,
                                                                         std::string_view edition,
                                                                         const Actor& actor);

  // Returns the live secrets, the newest first, with nullopt for each that the
  // keys cannot open. Records that they were shown, unless none can be opened.
  loop::Task<std::vector<std::optional<std::string>>> show_secrets(const Client& client,
                                                                   const Actor& actor);

  // Deletes the application, with immediate effect, and the first
  // kGrantsPerStep of its grants. clean_up_removed() ends the others, in any
  // worker.
  loop::Task<> remove(const Client& client, const Actor& actor);

  // Returns nullopt if nothing remains of an application with that id.
  loop::Task<std::optional<Remains>> find_remains(const ClientId& id);
  // Deletes the record and ends every grant. Can be repeated after an
  // interruption.
  loop::Task<> remove_completely(const Remains& remains, GrantSearch& search, const Actor& actor);

 private:
  loop::Task<std::optional<ApplicationRefusal>> why_not(const NewApplication& application);
  WithSecret make(const NewApplication& application, std::int64_t permission_version);
  loop::Task<base::Result<WithSecret, ApplicationRefusal>> add(const WithSecret& created);
  loop::Task<base::Result<Client, ApplicationRefusal>> change_secrets(
      const Client& seen, EventName what, const Applications::Change& change, const Actor& actor);
  loop::Task<> end_all_grants(const ClientId& id, GrantSearch& search);
  ClientSecret seal(const ClientId& id, const std::string& secret);
  loop::Task<> record(EventName what, const ClientId& id, std::optional<media::AccountId> account,
                      std::string_view detail, const Actor& actor);

  Applications& applications_;
  Grants& grants_;
  Audit& audit_;
  const Limits& limits_;
  const base::KeyRing& keys_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
};

}  // namespace svc::oauth
