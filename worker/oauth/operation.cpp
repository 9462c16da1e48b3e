#include "oauth/operation.h"

#include <cstdlib>

namespace svc::oauth {

ScopeSet Operation::any_of() const {
  const auto parsed = ScopeSet::parse(scopes);
  if (!parsed) std::abort();
  return *parsed;
}

bool Operation::is_open_to(const ScopeSet& granted) const { return any_of().meets(granted); }

}  // namespace svc::oauth
