#include "oauth/scope_set.h"

namespace svc::oauth {

bool ScopeSet::add(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) {
      bits_ = static_cast<std::uint8_t>(bits_ | (1u << i));
      return true;
    }
  }
  return false;
}

std::vector<std::string_view> ScopeSet::names() const {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((bits_ >> i & 1u) != 0) out.push_back(kNames[i]);
  }
  return out;
}

}  // namespace svc::oauth
