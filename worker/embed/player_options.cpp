#include "embed/player_options.h"

#include <algorithm>
#include <cstddef>

#include "text/ascii.h"

namespace svc::embed {
namespace {

constexpr std::size_t kMaxNameLength = 128;

// One to three groups `[key]`, each key of letters, digits, '_', '-' and '.'.
bool is_bracketed(std::string_view text) {
  int groups = 0;
  while (!text.empty()) {
    const std::size_t close = text.find(']');
    if (text.front() != '[' || close == std::string_view::npos || close < 2) return false;
    for (const char c : text.substr(1, close - 1)) {
      if (!text::is_alnum(c) && c != '_' && c != '-' && c != '.') return false;
    }
    text.remove_prefix(close + 1);
    ++groups;
  }
  return groups >= 1 && groups <= 3;
}

// `media_<i>_<j>`
bool is_media_index(std::string_view text) {
  if (!text.starts_with("media_")) return false;
  text.remove_prefix(6);
  const std::size_t underscore = text.find('_');
  if (underscore == 0 || underscore == std::string_view::npos || underscore + 1 == text.size())
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != underscore && !text::is_digit(text[i])) return false;
  }
  return true;
}

}  // namespace

bool is_player_option(std::string_view name) {
  if (name.size() > kMaxNameLength) return false;
  const std::size_t bracket = name.find('[');
  if (bracket == std::string_view::npos) {
    return std::binary_search(kPlayerOptions.begin(), kPlayerOptions.end(), name);
  }
  const std::string_view stem = name.substr(0, bracket);
  return (stem == "plugin" || stem == "videoOptions" || is_media_index(stem)) &&
         is_bracketed(name.substr(bracket));
}

void PlayerOptions::add(std::string_view name, std::string_view value) {
  const auto at =
      std::lower_bound(options_.begin(), options_.end(), name,
                       [](const Option& option, std::string_view n) { return option.name < n; });
  if (at != options_.end() && at->name == name) return;
  options_.insert(at, Option{std::string(name), std::string(value)});
}

void PlayerOptions::remove(std::string_view name) {
  std::erase_if(options_, [&](const Option& option) { return option.name == name; });
}

}  // namespace svc::embed
