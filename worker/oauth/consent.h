// consent: who may authorize, and whether a contact has to be asked again.
#pragma once

#include <optional>

#include "media/account.h"
#include "media/contact.h"
#include "oauth/client.h"
#include "oauth/grant.h"
#include "oauth/scope_set.h"

namespace svc::oauth {

// Why a contact may not authorize applications for an account.
enum class Barrier { OnlyAUser, OauthDisabled };

// Nothing when they may: owners and managers, where OAuth is enabled.
std::optional<Barrier> barrier_of(media::Role role, const media::Account& account);

// Whether the contact has allowed this already: these scopes or more, and the application's
// permissions have not changed since.
bool covers(const Grant& grant, const Client& client, const ScopeSet& scopes);

}  // namespace svc::oauth
