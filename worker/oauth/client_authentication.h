// ClientAuthentication: which registered client sends this request. RFC 6749 §2.3.1.
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
  // Wrong secrets of one client from one address (base::address_group) within a minute, after which
  // it has to wait.
  static constexpr std::int64_t kMaxGuesses = 20;

  ClientAuthentication(Clients& clients, SecretGuesses& guesses, const base::KeyRing& keys)
      : clients_(clients), guesses_(guesses), keys_(keys) {}

  // Throws base::Unavailable. The request outlives the task.
  loop::Task<base::Result<Client, GrantError>> run(const TokenRequest& request,
                                                   std::string_view address);

 private:
  Clients& clients_;
  SecretGuesses& guesses_;
  const base::KeyRing& keys_;
};

}  // namespace svc::oauth
