#include "oauth/scope_set.h"

namespace svc::oauth {

std::string ScopeSet::list_of_names() {
  std::string list;
  for (const std::string_view name : kNames) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

ScopeSet ScopeSet::any() {
  ScopeSet all;
  for (const std::string_view name : kNames) all.add(name);
  return all;
}

bool ScopeSet::add(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) {
      bits_ = static_cast<std::uint8_t>(bits_ | (1u << i));
      return true;
    }
  }
  return false;
}

std::optional<ScopeSet> ScopeSet::parse(std::string_view text) {
  ScopeSet set;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view name = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!name.empty() && !set.add(name)) return std::nullopt;
  }
  return set;
}

std::string ScopeSet::to_text() const {
  std::string text;
  for (const std::string_view name : names()) {
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

std::vector<std::string_view> ScopeSet::names() const {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((bits_ >> i & 1u) != 0) out.push_back(kNames[i]);
  }
  return out;
}

}  // namespace svc::oauth
