// word_list: the words of a list that spaces separate, such as one of scopes.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace svc::text {

inline std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) out.push_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

}  // namespace svc::text
