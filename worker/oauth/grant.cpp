#include "oauth/grant.h"

#include "base/digest.h"
#include "base/hex.h"

namespace svc::oauth {

GrantId GrantId::of(media::ContactId contact, media::AccountId account, const ClientId& client) {
  const std::string three = std::to_string(contact.value()) + ":" +
                            std::to_string(account.value()) + ":" + client.value();
  return {base::to_hex(base::sha256(three)).substr(0, kLength)};
}

}  // namespace svc::oauth
