// consent: which contacts may authorize, and use what they authorized, and whether a contact has to
// be asked again.
#pragma once

#include <optional>

#include "media/account.h"
#include "media/contact.h"
#include "oauth/client.h"
#include "oauth/grant.h"
#include "oauth/scope_set.h"

namespace svc::oauth {

// What a contact is to an account at this moment.
struct Standing {
  std::optional<media::Role> role;  // nothing: the contact is not a member, or does not exist
  bool oauth_enabled = false;       // for the account; false where it does not exist
  bool disabled = false;            // the contact
};
Standing standing_of(const media::Contact& contact, const media::Account& account);

// Why a contact may not authorize applications for an account. OnlyAUser: neither owner nor
// manager. ContactDisabled: by an operator.
enum class Barrier { OnlyAUser, OauthDisabled, ContactDisabled };

// The one rule, at authorization and at every use of a code or token (oauth.md B3). Returns nothing
// if they may: owners and managers who are not disabled, where OAuth is enabled.
std::optional<Barrier> barrier_of(const Standing& standing);

// Whether the contact has allowed this already: these scopes or more, and the application's
// permissions have not changed since.
bool covers(const Grant& grant, const Client& client, const ScopeSet& scopes);

}  // namespace svc::oauth
