#include "text/language_tag.h"

#include <algorithm>
#include <string>
#include <vector>

#include "text/ascii.h"

namespace svc::text {
namespace {

bool is_letters(std::string_view text) { return std::ranges::all_of(text, is_alpha); }
bool is_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

bool is_variant(std::string_view text) {
  return text.size() >= 5 || (text.size() == 4 && is_digit(text.front()));
}

// Splits at dashes. Returns an empty list if a part does not have 1 to 8
// letters and digits.
std::vector<std::string> subtags(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '-') {
      parts.emplace_back();
    } else if (is_alnum(c)) {
      parts.back() += to_lower(c);
    } else {
      return {};
    }
  }
  const bool sized = std::ranges::all_of(
      parts, [](const std::string& part) { return !part.empty() && part.size() <= 8; });
  return sized ? parts : std::vector<std::string>{};
}

}  // namespace

bool is_language_tag(std::string_view text) {
  if (text.size() > kMaxLanguageTag) return false;
  const std::vector<std::string> parts = subtags(text);
  if (parts.empty()) return false;
  if (parts[0] == "x") return parts.size() > 1;
  if (parts[0].size() < 2 || !is_letters(parts[0])) return false;
  std::size_t at = 1;
  const auto next = [&](auto fits) {
    const bool taken = at < parts.size() && fits(parts[at]);
    at += taken ? 1 : 0;
    return taken;
  };
  if (parts[0].size() <= 3) {  // extended languages
    const auto extended = [](const std::string& part) {
      return part.size() == 3 && is_letters(part);
    };
    for (int i = 0; i < 3 && next(extended); ++i) {
    }
  }
  next([](const std::string& part) { return part.size() == 4 && is_letters(part); });  // script
  next([](const std::string& part) {
    return (part.size() == 2 && is_letters(part)) || (part.size() == 3 && is_digits(part));
  });  // region
  // §2.2.5 and §2.2.6: each variant and each singleton at most once.
  std::vector<std::string> seen;
  const auto is_new = [&](const std::string& part) {
    if (std::ranges::find(seen, part) != seen.end()) return false;
    seen.push_back(part);
    return true;
  };
  while (at < parts.size() && is_variant(parts[at])) {
    if (!is_new(parts[at++])) return false;
  }
  while (at < parts.size() && parts[at].size() == 1 && parts[at] != "x") {
    if (!is_new(parts[at++])) return false;
    std::size_t length = 0;
    while (next([](const std::string& part) { return part.size() >= 2; })) ++length;
    if (length == 0) return false;
  }
  if (at < parts.size() && parts[at] == "x") return at + 1 < parts.size();
  return at == parts.size();
}

}  // namespace svc::text
