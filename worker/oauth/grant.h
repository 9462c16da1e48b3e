// Grant: the access to one account that one contact allowed one client. Every code
// and token belongs to a grant and ends with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "media/id.h"
#include "oauth/client.h"
#include "oauth/resource.h"
#include "oauth/scope_set.h"

namespace svc::oauth {

// 32 hex digits: the first half of the SHA-256 of contact, account and client.
// So the same three always have the same grant id, and no index is needed. Not
// secret.
struct GrantId : base::Id<GrantId, std::string> {
  static constexpr std::size_t kLength = 32;
  static GrantId of(media::ContactId contact, media::AccountId account, const ClientId& client);
};

struct Grant {
  GrantId id;
  media::ContactId contact;
  media::AccountId account;
  ClientId client;
  ScopeSet scopes;                  // as the contact allowed
  std::int64_t permission_version;  // the client's at that time
  // A random name that changes when an ended grant begins again: codes of the
  // former grant are not valid for the new one.
  std::string consent;
  std::int64_t created;    // seconds since 1970
  std::int64_t last_used;  // the same
  Resources resources{};   // as the contact allowed
  // Its record has another type: only the id is known, and whose list it is in. It opens nothing,
  // and can be ended.
  bool is_unreadable = false;
};

}  // namespace svc::oauth
