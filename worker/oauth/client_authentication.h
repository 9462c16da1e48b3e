// ClientAuthentication: authenticates the registered client that sent a
// request, RFC 6749 §2.3.1, or identifies a public one, which has no secret.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/key_ring.h"
#include "base/result.h"
#include "loop/task.h"
#include "oauth/stores.h"
#include "oauth/token_request.h"

namespace svc::oauth {

class ClientAuthentication {
 public:
  // Maximum of wrong secrets for one client from one address group
  // (base::address_group) per minute. Further attempts are refused, even with
  // the right secret.
  static constexpr std::int64_t kMaxGuesses = 20;

  ClientAuthentication(Clients& clients, SecretGuesses& guesses, const base::KeyRing& keys,
                       const DocumentRules& documents)
      : clients_(clients), guesses_(guesses), keys_(keys), documents_(documents) {}

  // Throws base::Unavailable. The request outlives the task.
  loop::Task<base::Result<Client, GrantError>> run(const TokenRequest& request,
                                                   std::string_view address);

 private:
  Clients& clients_;
  SecretGuesses& guesses_;
  const base::KeyRing& keys_;
  const DocumentRules& documents_;
};

}  // namespace svc::oauth
