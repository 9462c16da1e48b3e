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
#include "oauth/stores.h"

namespace svc::oauth {

inline constexpr std::size_t kMostLiveSecrets = 2;

ClientId new_client_id(base::Entropy& entropy);         // 32 hex digits
std::string new_client_secret(base::Entropy& entropy);  // 256 bits in hex: no decoding changes it

// Reads a record that is to be stored for the first time, or again, and checks
// its settings as problems_of() does.
base::Result<Client, std::string> client_to_register(text::JsonRecord& record);

// Settles the settings. If the scopes change, so does the permission version (oauth-S3): tokens
// stay valid, and users must consent again.
Client with_settings(Client client, const ApplicationSettings& settings);

Client with_operator_settings(Client client, const OperatorSettings& settings);
// Returns nullopt if an application of this type may have these; otherwise the error, with the name
// of the setting.
std::optional<std::string> why_not(const OperatorSettings& settings, ClientType type);

// Return nullopt if there are two live secrets already, or if an older secret that can be retired
// does not exist.
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
