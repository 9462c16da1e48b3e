// consent: which contacts may authorize applications and use these
// authorizations, and whether a contact must be asked again.
#pragma once

#include <optional>

#include "media/account.h"
#include "media/contact.h"
#include "oauth/client.h"
#include "oauth/grant.h"
#include "oauth/scope_set.h"

namespace svc::oauth {

// The present relation of a contact to an account.
struct Standing {
  std::optional<media::Role> role;  // nullopt: not a member, or does not exist
  bool oauth_enabled = false;       // the account's; false if it does not exist
  bool disabled = false;            // the contact
  bool acts_for_itself = false;     // an application that was opted in
  bool restricts_sites = false;     // the account's films are for some sites only (oembed-W1)
};
Standing standing_of(const media::Contact& contact, const media::Account& account);

// Why a contact may not authorize applications for an account. OnlyAUser:
// neither owner nor manager. ContactDisabled: by an operator.
enum class Barrier { OnlyAUser, OauthDisabled, ContactDisabled };

// The only rule, at authorization and at every use of a code or token (oauth.md
// oauth-B3): owners and managers who are not disabled may, if OAuth is enabled for the
// account. So may an application that acts for itself. Returns nullopt if they may.
std::optional<Barrier> barrier_of(const Standing& standing);

// Returns true if the contact has already granted this or more, and the
// application's permission version has not changed since.
bool covers(const Grant& grant, const Client& client, const Access& asked, const OwnResources& own);

}  // namespace svc::oauth
