// applications: the rules for an application's record, as functions of a
// Client, and the end of the grants of removed applications. ApplicationService
// applies them.
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

// The settings that users can change.
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

// The error of each setting, to be printed after its name: "must not be empty".
// Empty: the setting is valid.
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
// The problems, each after the name of its setting: "name must not be empty; …".
std::string to_text(const SettingsProblems& problems);

// Reads a record that is to be stored for the first time, or again, and checks
// its settings as problems_of() does.
base::Result<Client, std::string> client_to_register(text::JsonRecord& record);

// If the scopes change, so does the permission version (oauth-S3): tokens
// stay valid, and users must consent again.
Client with_settings(Client client, const ApplicationSettings& settings);

// Return nullopt if there are two live secrets already, or if there is no older
// secret to retire.
std::optional<Client> with_new_secret(Client client, const ClientSecret& secret);
std::optional<Client> with_newest_secret_only(Client client);

// Identify the current state of the settings or of the secrets. A caller passes
// the state that it saw, so that the second of two simultaneous changes is
// refused. Not secret.
std::string settings_edition(const Client& client);
std::string secrets_edition(const Client& client);

// A step blocks the store for all its clients: 500 grants took 145 ms, mostly
// for its disk.
inline constexpr std::int64_t kGrantsPerStep = 100;

// Ends grants of removed applications, in one step of limited size. Returns
// true if the caller should call it again immediately. A removed application
// stays listed as ending until its grants have ended, and for at least a
// minute, for codes that were being issued when it was removed. A restored
// application stays listed only until its grants have ended.
loop::Task<bool> clean_up_removed(Applications& applications, Grants& grants, std::int64_t now);

// Ends all listed grants of an application without a record, before its id is
// used again. The number of steps is not limited, so only svcctl calls it.
loop::Task<> finish_removal(const ClientId& id, Applications& applications, Grants& grants);

}  // namespace svc::oauth
