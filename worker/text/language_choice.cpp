#include "text/language_choice.h"

#include <algorithm>
#include <cstddef>

#include "text/accept.h"
#include "text/ascii.h"

namespace svc::text {
namespace {

bool is_range(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '-'; });
}

// Removes the last subtag, and a single letter or digit before it, which only introduces it.
std::string_view shortened(std::string_view range) {
  const auto without_last = [](std::string_view text) {
    const std::size_t dash = text.rfind('-');
    return text.substr(0, dash == std::string_view::npos ? 0 : dash);
  };
  range = without_last(range);
  if (range.size() > 2 && range[range.size() - 2] == '-') range = without_last(range);
  return range;
}

}  // namespace

std::vector<std::string_view> accepted_languages(std::string_view header) {
  std::vector<std::string_view> ranges;
  for (const Accepted& accepted : accepted_ranges(header)) {
    if (is_range(accepted.range) && ranges.size() < kMaxLanguageRanges)
      ranges.push_back(accepted.range);
  }
  return ranges;
}

std::optional<std::size_t> lookup_language(std::span<const std::string_view> ranges,
                                           std::span<const std::string> tags) {
  for (std::string_view range : ranges) {
    for (; !range.empty(); range = shortened(range)) {
      for (std::size_t i = 0; i < tags.size(); ++i) {
        if (equal_ignoring_case(tags[i], range)) return i;
      }
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> languages_between_spaces(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty() && parts.size() < kMaxLanguageRanges) {
    const std::string_view part = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

}  // namespace svc::text
