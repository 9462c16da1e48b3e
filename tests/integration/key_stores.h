// key_stores: which store a key belongs to (stores/kinds.h).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "redis/reply.h"
#include "stores/kinds.h"

namespace svc::integration {

// `oauth:code` of `oauth:code:{1}:2`.
inline std::string_view kind_of(std::string_view key) {
  const std::size_t area = key.find(':');
  return area == std::string_view::npos ? key : key.substr(0, key.find(':', area + 1));
}

// Throws if the table lacks its kind.
inline stores::Store store_of(std::string_view key) {
  const std::string_view kind = key.starts_with("audit:") ? "audit:<kind>" : kind_of(key);
  const auto row = std::ranges::find_if(
      stores::kKinds, [&](const stores::Kind& one) { return kind_of(one.key) == kind; });
  if (row == stores::kKinds.end()) throw std::runtime_error(std::string(key) + " has no kind");
  return row->store;
}

// Returns those of the keys, as KEYS replies, that belong to another store.
inline std::vector<std::string> strangers_in(stores::Store store, const redis::Reply& keys) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(keys.at(i).text().value_or(""));
    if (store_of(key) != store) found.push_back(key);
  }
  return found;
}

}  // namespace svc::integration
