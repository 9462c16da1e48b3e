// Limits: what operators set for applications and tokens. Headers declare it only, unless they have
// one: who includes it compiles again with each new setting.
#pragma once

#include <cstdint>

#include "oauth/document_client.h"

namespace svc::oauth {

// Lifetimes are in seconds; refresh_idle = 0: unlimited. A public application has lifetimes of its
// own.
struct Limits {
  std::int64_t code = 60;
  std::int64_t access = 21'600;
  std::int64_t refresh_idle = 60 * 86'400;
  std::int64_t public_refresh_idle = 30 * 86'400;
  std::int64_t public_refresh_lifetime = 90 * 86'400;  // from the exchange
  std::int64_t live_access_tokens = 100;               // number per grant
  std::int64_t applications_per_account = 200;
  std::int64_t tokens_per_account = 200;
  DocumentRules documents{};
};

}  // namespace svc::oauth
