#include "courier/freshness.h"

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "text/ascii.h"

namespace svc::courier {
namespace {

// RFC 9111 §1.2.2: digits only. Too large a number is the largest that counts.
std::optional<std::int64_t> seconds_in(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, text::is_digit)) return std::nullopt;
  const auto number = base::parse_number<std::int64_t>(text);
  return number ? std::min(*number, std::int64_t{1} << 31) : std::int64_t{1} << 31;
}

}  // namespace

std::int64_t fresh_seconds(std::string_view cache_control, std::string_view age) {
  std::optional<std::int64_t> fresh;
  while (!cache_control.empty()) {
    const std::string_view directive = cache_control.substr(0, cache_control.find(','));
    cache_control.remove_prefix(std::min(cache_control.size(), directive.size() + 1));
    const std::string_view name = text::trimmed(directive.substr(0, directive.find('=')));
    for (const std::string_view forbids : {"no-store", "no-cache", "private"}) {
      if (text::equal_ignoring_case(name, forbids)) return 0;
    }
    if (!text::equal_ignoring_case(name, "max-age")) continue;
    const std::size_t sign = std::min(directive.find('='), directive.size() - 1);
    std::string_view value = text::trimmed(directive.substr(sign + 1));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
      value = value.substr(1, value.size() - 2);
    // RFC 9111 §4.2.1: of several or unreadable ones, the response is stale.
    if (fresh || !seconds_in(value)) return 0;
    fresh = seconds_in(value);
  }
  if (!fresh) return 0;
  const std::string_view spent = text::trimmed(age);
  const auto before = spent.empty() ? std::optional<std::int64_t>(0) : seconds_in(spent);
  if (!before) return 0;
  return std::clamp<std::int64_t>(*fresh - *before, 0, kLongestFresh);
}

}  // namespace svc::courier
