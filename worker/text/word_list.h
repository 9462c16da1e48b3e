// word_list: the words of a list, such as scopes between spaces, or names between commas.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace svc::text {

// Returns the words between spaces.
inline std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) out.push_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

inline constexpr std::string_view kComma = ", ";

// Appends a word, after a separator unless it is the first.
inline void add_word(std::string& list, std::string_view word,
                     std::string_view separator = kComma) {
  if (!list.empty()) list += separator;
  list += word;
}

// Returns the words of a range as one text.
template <class Range>
std::string joined(const Range& words, std::string_view separator = kComma) {
  std::string list;
  for (const auto& word : words) add_word(list, word, separator);
  return list;
}

}  // namespace svc::text
