#include "oauth/consent.h"

#include <gtest/gtest.h>

namespace svc::oauth {
namespace {

ScopeSet scopes(std::initializer_list<std::string_view> names) {
  ScopeSet set;
  for (const std::string_view name : names) set.add(name);
  return set;
}

TEST(Consent, IsForOwnersAndManagersWhereOauthIsEnabled) {
  media::Account open;
  open.oauth_enabled = true;
  media::Account closed;
  EXPECT_EQ(barrier_of(media::Role::Owner, open), std::nullopt);
  EXPECT_EQ(barrier_of(media::Role::Manager, open), std::nullopt);
  EXPECT_EQ(barrier_of(media::Role::User, open), Barrier::OnlyAUser);
  EXPECT_EQ(barrier_of(media::Role::Owner, closed), Barrier::OauthDisabled);
  EXPECT_EQ(barrier_of(media::Role::User, closed), Barrier::OauthDisabled);
}

TEST(Consent, L6CoversTheSameOrFewerScopesOfTheSamePermissions) {
  Grant grant;
  grant.scopes = scopes({"media:read", "stats:read"});
  grant.permission_version = 3;
  Client client;
  client.permission_version = 3;
  EXPECT_TRUE(covers(grant, client, scopes({"media:read", "stats:read"})));
  EXPECT_TRUE(covers(grant, client, scopes({"media:read"})));
  EXPECT_FALSE(covers(grant, client, scopes({"media:read", "media:upload"})));
  EXPECT_FALSE(covers(grant, client, scopes({"all:all"})));
  client.permission_version = 4;
  EXPECT_FALSE(covers(grant, client, scopes({"media:read"})));
  client.permission_version = 2;
  EXPECT_FALSE(covers(grant, client, scopes({"media:read"})));
}

}  // namespace
}  // namespace svc::oauth
