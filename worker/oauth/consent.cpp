#include "oauth/consent.h"

namespace svc::oauth {

std::optional<Barrier> barrier_of(media::Role role, const media::Account& account) {
  if (!account.oauth_enabled) return Barrier::OauthDisabled;
  if (role == media::Role::User) return Barrier::OnlyAUser;
  return std::nullopt;
}

bool covers(const Grant& grant, const Client& client, const ScopeSet& scopes) {
  return grant.permission_version == client.permission_version && grant.scopes.covers(scopes);
}

}  // namespace svc::oauth
