#include "oauth/consent.h"

namespace svc::oauth {

Standing standing_of(const media::Contact& contact, const media::Account& account) {
  Standing standing{std::nullopt, account.oauth_enabled, contact.disabled};
  for (const media::Membership& membership : contact.memberships) {
    if (membership.account == account.id) standing.role = membership.role;
  }
  return standing;
}

std::optional<Barrier> barrier_of(const Standing& standing) {
  if (!standing.oauth_enabled) return Barrier::OauthDisabled;
  if (standing.disabled) return Barrier::ContactDisabled;
  if (!standing.role || *standing.role == media::Role::User) return Barrier::OnlyAUser;
  return std::nullopt;
}

bool covers(const Grant& grant, const Client& client, const ScopeSet& scopes) {
  return grant.permission_version == client.permission_version && grant.scopes.covers(scopes);
}

}  // namespace svc::oauth
