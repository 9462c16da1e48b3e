// applications: what may be done to an application's record, the same wherever it is done: on the
// settings pages and by svcctl.
//
// The rules are functions over a Client; Applications keeps what they made of it, with nobody in
// between.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/entropy.h"
#include "base/result.h"
#include "loop/task.h"
#include "media/id.h"
#include "oauth/client.h"
#include "oauth/scope_set.h"
#include "oauth/stores.h"

namespace svc::oauth {

inline constexpr std::size_t kMostLiveSecrets = 2;

ClientId new_client_id(base::Entropy& entropy);         // 32 hex digits
std::string new_client_secret(base::Entropy& entropy);  // 256 bits in hex: no decoding changes it

// What people set of an application.
struct ApplicationSettings {
  std::string name;
  std::string description;
  std::string redirect_uri;
  ScopeSet scopes;
  ScopeFormat scope_format = ScopeFormat::Array;
  bool require_pkce = false;
  bool exact_redirect = false;
  bool refuse_query_credentials = false;

  static ApplicationSettings of(const Client& client);
  bool operator==(const ApplicationSettings&) const = default;
};

inline constexpr std::size_t kMaxApplicationName = 100;  // characters, as people enter them
inline constexpr std::size_t kMaxApplicationDescription = 2000;

// A sentence for each that cannot be as it is; empty: it can.
struct SettingsProblems {
  std::string name;
  std::string description;
  std::string redirect_uri;
  std::string scopes;

  bool any() const {
    return !(name.empty() && description.empty() && redirect_uri.empty() && scopes.empty());
  }
};
SettingsProblems problems_of(const ApplicationSettings& settings);

// Other scopes are another permission version, oauth.md S3: tokens stay, people are asked again.
Client with_settings(Client client, const ApplicationSettings& settings);

// Nothing when two are live already; when there is no older one to retire.
std::optional<Client> with_new_secret(Client client, const ClientSecret& secret);
std::optional<Client> with_newest_secret_only(Client client);

// Names of what the settings, or the secrets, are now: whoever changes them says which they saw, so
// that of two people at once the second is told. Not secret.
std::string settings_edition(const Client& client);
std::string secrets_edition(const Client& client);

// Implemented in redis/. All throw base::Unavailable when the store cannot say.
class Applications {
 public:
  virtual ~Applications() = default;

  // As it is at this moment.
  virtual loop::Task<std::optional<Client>> find(const ClientId& id) = 0;
  // Those of them that exist and can be read, in one round trip.
  virtual loop::Task<std::vector<Client>> find_all(const std::vector<ClientId>& ids) = 0;
  // Those of one account that can be read, in no order.
  virtual loop::Task<std::vector<Client>> of(media::AccountId account) = 0;
  // False when there is one with that id.
  virtual loop::Task<bool> add(const Client& client) = 0;

  // Hands the client to `change` and keeps what that made of it; again, when somebody else wrote
  // meanwhile. The refusal is `change`'s own, or says that there is no such application.
  using Change = std::function<base::Result<Client, std::string>(Client)>;
  virtual loop::Task<base::Result<Client, std::string>> change(const ClientId& id,
                                                               const Change& change) = 0;

  // Takes the record away, and notes first that the application is ending: from then on neither its
  // client nor any of its access tokens is worth anything. Returns false if there was none.
  virtual loop::Task<bool> remove(const ClientId& id, std::int64_t now) = 0;

  // Those that are ending. Makes sure that their records are gone, also where whoever removed one
  // was interrupted. Leaves the record of an application that was restored since.
  struct Ending {
    ClientId id;
    std::int64_t since;     // seconds since 1970
    bool restored = false;  // only the grants of the former application end
  };
  virtual loop::Task<std::vector<Ending>> ending() = 0;
  // It has ended: nothing is left of it.
  virtual loop::Task<> has_ended(const ClientId& id) = 0;
};

// Who does it, for the audit trail.
struct Actor {
  std::optional<media::ContactId> contact;
  std::string_view address;
  std::string_view detail;
};

// Removes the application, at once, and the first of its grants. The rest is cleaned up by
// clean_up_removed(), in whichever worker comes to it.
loop::Task<> remove_application(const Client& client, Applications& applications, Grants& grants,
                                Audit& audit, const Actor& actor, std::int64_t now);

// One bounded step of ending the grants of applications that were removed. Returns true if there
// may be more to do at once. An application is listed as ending for a minute at least, for codes
// that were being issued when it was removed. If it was restored, only until its grants have ended.
loop::Task<bool> clean_up_removed(Applications& applications, Grants& grants, std::int64_t now);

// Ends all grants of an application without a record, however many, before its id is used again.
// For svcctl: takes as long as it takes.
loop::Task<> finish_removal(const ClientId& id, Applications& applications, Grants& grants);

}  // namespace svc::oauth
