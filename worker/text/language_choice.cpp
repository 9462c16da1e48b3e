#include "text/language_choice.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "text/ascii.h"

namespace svc::text {
namespace {

constexpr int kWhole = 1000;  // thousandths: a quality has at most three decimals

// Returns a quality in thousandths (RFC 9110 §12.4.2); nullopt if it is not one.
std::optional<int> quality_of(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int quality = (text[0] - '0') * kWhole;
  if (text.size() == 1) return quality;
  if (text[1] != '.') return std::nullopt;
  int unit = kWhole / 10;
  for (const char digit : text.substr(2)) {
    if (!is_digit(digit)) return std::nullopt;
    quality += (digit - '0') * unit;
    unit /= 10;
  }
  return quality <= kWhole ? std::optional(quality) : std::nullopt;
}

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
  struct Wish {
    std::string_view range;
    int quality = kWhole;
  };
  std::vector<Wish> wishes;
  while (!header.empty() && wishes.size() < kMaxLanguageRanges) {
    const std::string_view part = header.substr(0, header.find(','));
    header.remove_prefix(std::min(header.size(), part.size() + 1));
    const std::size_t semicolon = part.find(';');
    Wish wish{trimmed(part.substr(0, semicolon))};
    if (!is_range(wish.range)) continue;
    if (semicolon != std::string_view::npos) {
      const std::string_view weight = trimmed(part.substr(semicolon + 1));
      if (!weight.starts_with("q=") && !weight.starts_with("Q=")) continue;
      const auto quality = quality_of(weight.substr(2));
      if (!quality || *quality == 0) continue;
      wish.quality = *quality;
    }
    wishes.push_back(wish);
  }
  std::ranges::stable_sort(wishes, std::ranges::greater(), &Wish::quality);
  std::vector<std::string_view> ranges;
  for (const Wish& wish : wishes) ranges.push_back(wish.range);
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
