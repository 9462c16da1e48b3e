#include "oauth/consent.h"

#include <gtest/gtest.h>

#include "fakes/oauth_examples.h"

namespace svc::oauth {
namespace {

using fakes::scopes;

TEST(Consent, IsForOwnersAndManagersWhereOauthIsEnabled) {
  EXPECT_EQ(barrier_of({media::Role::Owner, true}), std::nullopt);
  EXPECT_EQ(barrier_of({media::Role::Manager, true}), std::nullopt);
  EXPECT_EQ(barrier_of({media::Role::User, true}), Barrier::OnlyAUser);
  EXPECT_EQ(barrier_of({std::nullopt, true}), Barrier::OnlyAUser) << "oauth-B3: no member any more";
  EXPECT_EQ(barrier_of({media::Role::Owner, false}), Barrier::OauthDisabled);
  EXPECT_EQ(barrier_of({media::Role::User, false}), Barrier::OauthDisabled);
  EXPECT_EQ(barrier_of({}), Barrier::OauthDisabled) << "nothing is known of either";
  EXPECT_EQ(barrier_of({media::Role::Owner, true, true}), Barrier::ContactDisabled);
}

TEST(Consent, OauthB3AStandingIsTheRoleInThatAccount) {
  media::Contact contact;
  contact.memberships = {{{1}, media::Role::User}, {{2}, media::Role::Owner}};
  media::Account account;
  account.id = {2};
  account.oauth_enabled = true;
  EXPECT_EQ(standing_of(contact, account).role, media::Role::Owner);
  account.id = {1};
  EXPECT_EQ(standing_of(contact, account).role, media::Role::User);
  account.id = {3};
  EXPECT_EQ(standing_of(contact, account).role, std::nullopt);
  EXPECT_FALSE(standing_of(contact, account).disabled);
  contact.disabled = true;
  EXPECT_TRUE(standing_of(contact, account).disabled);
}

TEST(Consent, OauthL6CoversTheSameOrFewerScopesOfTheSamePermissions) {
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
