// applications: the rules for an application's record, as functions over a Client, and how the
// grants of a removed application end. ApplicationService applies them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "loop/task.h"
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

inline constexpr std::size_t kMaxApplicationName = 100;  // characters
inline constexpr std::size_t kMaxApplicationDescription = 2000;

// What is wrong with each setting and what is allowed, to be read after the setting's name: "must
// not be empty". Empty: nothing is wrong.
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

// Returns nothing if two secrets are live already; if there is no older one to retire.
std::optional<Client> with_new_secret(Client client, const ClientSecret& secret);
std::optional<Client> with_newest_secret_only(Client client);

// Name the current state of the settings, or of the secrets. A caller that changes them names the
// state it saw, so that of two simultaneous changes the second is refused. Not secret.
std::string settings_edition(const Client& client);
std::string secrets_edition(const Client& client);

// The store serves no other client during a step: 500 grants took 145 ms, mostly for its disk.
inline constexpr std::int64_t kGrantsPerStep = 100;

// Ends grants of removed applications, in one bounded step. Returns true if there may be more to
// end immediately. An application is listed as ending for a minute at least, for codes
// that were being issued when it was removed. If it was restored, only until its grants have ended.
loop::Task<bool> clean_up_removed(Applications& applications, Grants& grants, std::int64_t now);

// Ends all listed grants of an application without a record, before its id is used again. Takes an
// unbounded number of steps, so only svcctl calls it.
loop::Task<> finish_removal(const ClientId& id, Applications& applications, Grants& grants);

}  // namespace svc::oauth
