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
  virtual std::optional<Client> find(const ClientId& id) = 0;
  // Those of one account, in no order.
  virtual std::vector<Client> of(media::AccountId account) = 0;
  // False when there is one with that id.
  virtual bool add(const Client& client) = 0;

  // Hands the client to `change` and keeps what that made of it; again, when somebody else wrote
  // meanwhile. The refusal is `change`'s own, or says that there is no such application.
  using Change = std::function<base::Result<Client, std::string>(Client)>;
  virtual base::Result<Client, std::string> change(const ClientId& id, const Change& change) = 0;

  // False when there was none. Its grants are ended before and behind it, by the list of them,
  // which stays: remove_application().
  virtual bool remove(const ClientId& id) = 0;
};

// Who does it, for the audit trail.
struct Actor {
  std::optional<media::ContactId> contact;
  std::string_view address;
  std::string_view detail;
};

// Ends all grants that are in the application's list, with every code and token, and then the
// application itself, in an order in which whoever is interrupted can do it again. A grant is put
// into the list when its code is issued, and again when it is used; where a store lost that, its
// access tokens live for up to a minute, since a bearer request asks for the application no more
// often. Codes and refresh tokens are worth nothing without one.
void remove_application(const Client& client, Applications& applications, Grants& grants,
                        Audit& audit, const Actor& actor);

}  // namespace svc::oauth
