#include "oauth/scope_set.h"

#include <algorithm>
#include <iterator>

#include "text/word_list.h"

namespace svc::oauth {

std::string ScopeSet::list_of_names() { return text::joined(kNames); }

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
  for (const std::string_view name : text::words(text)) {
    if (!set.add(name)) return std::nullopt;
  }
  return set;
}

std::optional<ScopeSet> ScopeSet::asked_for(std::string_view text, const ScopeSet& if_none) {
  constexpr std::string_view kOfOpenId[] = {"openid", "profile", "email", "offline_access"};
  ScopeSet set;
  bool has_ignored = false;
  for (const std::string_view name : text::words(text)) {
    const bool ignored = std::ranges::find(kOfOpenId, name) != std::end(kOfOpenId);
    if (!ignored && !set.add(name)) return std::nullopt;
    has_ignored |= ignored;
  }
  if (!set.empty()) return set;
  return has_ignored ? std::optional(if_none) : std::nullopt;
}

std::string ScopeSet::to_text() const {
  std::string text;
  for (const std::string_view name : names()) {
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

bool ScopeSet::is_whole() const {
  return std::ranges::all_of(kNames, [this](std::string_view name) {
    ScopeSet one;
    return one.add(name) && covers(one);
  });
}

std::string_view ScopeSet::narrowest() const {
  constexpr std::string_view kFromNarrow[] = {"stats:read", "media:read", "media:upload",
                                              "all:read", "all:all"};
  static_assert(std::size(kFromNarrow) == std::size(kNames));
  for (const std::string_view name : kFromNarrow) {
    ScopeSet one;
    one.add(name);
    if (covers(one)) return name;
  }
  return "";
}

std::vector<std::string_view> ScopeSet::names() const {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((bits_ >> i & 1u) != 0) out.push_back(kNames[i]);
  }
  return out;
}

}  // namespace svc::oauth
