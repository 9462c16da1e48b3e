// owned_kinds: the kinds of keys that end with a media, a contact or an account, which the form of
// such a key names: it ends in `:<media>` or `:<contact>`, or has `<account>` (kinds.h).
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
  const std::string_view area = kind.key.substr(0, kind.key.find_first_of("{<") - 1);
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
