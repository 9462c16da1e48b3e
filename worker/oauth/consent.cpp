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
  if (standing.acts_for_itself) return std::nullopt;
  if (standing.disabled) return Barrier::ContactDisabled;
  if (!standing.role || *standing.role == media::Role::User) return Barrier::OnlyAUser;
  return std::nullopt;
}

bool covers(const Grant& grant, const Client& client, const Access& asked,
            const OwnResources& own) {
  return grant.permission_version == client.permission_version &&
         grant.scopes.covers(asked.scopes) &&
         own.narrowed(grant.resources, own.named(asked.resources)).has_value();
}

}  // namespace svc::oauth
