// owned_kinds: the kinds of keys that end with a media or a contact. The form of such a key ends in
// `:<media>` or `:<contact>` (kinds.h).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "stores/function_table.h"
#include "stores/kinds.h"

namespace svc::stores {

constexpr bool is_of(const Kind& kind, std::string_view owner) {
  return kind.store == Store::Catalog && kind.key.ends_with(owner);
}

// Whether a function may delete such keys.
constexpr bool may_delete(std::string_view function, const Kind& kind) {
  const std::string_view area = kind.key.substr(0, kind.key.rfind(':'));
  return std::ranges::any_of(functions::kFunctions, [&](const functions::Row& row) {
    if (row.name != function) return false;
    const std::size_t begin = row.keys.find(area);
    if (begin == std::string_view::npos) return false;
    const std::string_view rest = row.keys.substr(begin);
    return rest.substr(0, rest.find(';')).find(" del") != std::string_view::npos;
  });
}

inline std::string key_of(const Kind& kind, std::string_view owner) {
  return std::string(kind.key.substr(0, kind.key.find('<'))).append(owner);
}

}  // namespace svc::stores
