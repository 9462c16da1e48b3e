#include "embed/player_options.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>

#include "base/number.h"
#include "text/ascii.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::embed {
namespace {

constexpr std::size_t kMaxNameLength = 128;
constexpr int kMinHeight = 10;  // the player reads two to four digits
constexpr int kMaxHeight = 9999;
constexpr int kMaxTime = 1'000'000;  // s; the player's limit
constexpr std::size_t kMaxUrl = 2048;

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

bool is_among(std::string_view choices, std::string_view word) {
  while (!choices.empty()) {
    const std::string_view choice = choices.substr(0, choices.find(' '));
    if (choice == word) return true;
    choices.remove_prefix(std::min(choices.size(), choice.size() + 1));
  }
  return false;
}

// Reads digits and an optional fraction, without a sign or exponent. Returns nullopt otherwise.
std::optional<double> decimal(std::string_view text) {
  if (text.empty() || !text::is_digit(text.front()) || !text::is_digit(text.back()) ||
      text.find_first_not_of("0123456789.") != std::string_view::npos)
    return std::nullopt;
  return base::parse_number<double>(text);
}

// "90", "90s", "1m30s", "1h2m3.5s"
std::optional<double> seconds(std::string_view text) {
  double sum = 0;
  bool is_any = false;
  for (const auto& [unit, length] : {std::pair('h', 3600), std::pair('m', 60)}) {
    const std::size_t end = text.find(unit);
    if (end == std::string_view::npos) continue;
    const auto number = decimal(text.substr(0, end));
    if (!number || std::trunc(*number) != *number) return std::nullopt;
    sum += *number * length;
    text.remove_prefix(end + 1);
    is_any = true;
  }
  if (text.ends_with('s')) {
    text.remove_suffix(1);
    is_any = false;
  }
  if (text.empty() && is_any) return sum;
  const auto rest = decimal(text);
  return rest ? std::optional(sum + *rest) : std::nullopt;
}

bool is_within(std::optional<double> number, double low, double high) {
  return number && *number >= low && *number <= high;
}

bool is_color(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return text.size() == 6 && std::ranges::all_of(text, text::is_hex_digit);
}

bool is_secure_url(std::string_view text) {
  const auto uri = text::parse_http_uri(text);
  return text.size() <= kMaxUrl && uri && uri->secure && text::has_only_uri_characters(text);
}

std::string one_of(std::string_view choices) {
  std::string words = "must be one of ";
  for (const char c : choices) words += c == ' ' ? std::string(", ") : std::string(1, c);
  return words;
}

}  // namespace

std::string words_of(const PlayerOption& option) {
  switch (option.allowed) {
    case Allowed::Switch: return "must be true or false";
    case Allowed::Choice: return one_of(option.choices);
    case Allowed::Color: return "must be six hex digits such as 54bbff";
    case Allowed::Height:
      return "must be a height from " + std::to_string(kMinHeight) + " to " +
             std::to_string(kMaxHeight) + " pixels, such as 720 or 720p";
    case Allowed::Time:
      return "must be from 0 to " + std::to_string(kMaxTime) + " seconds, such as 90 or 1m30s";
    case Allowed::Volume: return "must be a number from 0 to 1";
    case Allowed::Url:
      return "must be an https URL of at most " + std::to_string(kMaxUrl) + " characters";
    case Allowed::OnlyCode: return "must be in the embed code";
  }
  std::abort();
}

std::string schema_of(const PlayerOption& option) {
  const auto number = [](std::string_view type, int low, int high, std::string_view pattern) {
    std::string schema = R"("anyOf":[{"type":)";
    text::json::append_string(schema, type);
    schema += ",\"minimum\":" + std::to_string(low) + ",\"maximum\":" + std::to_string(high);
    schema += R"(},{"type":"string","pattern":)";
    text::json::append_string(schema, pattern);
    return schema + "}]";
  };
  switch (option.allowed) {
    case Allowed::Switch:
      return R"("type":["boolean","string"],"enum":[true,false,"true","false"])";
    case Allowed::Choice: {
      std::string schema = R"("type":"string","enum":["")";
      schema.pop_back();
      for (const char c : option.choices) schema += c == ' ' ? R"(",")" : std::string(1, c);
      return schema + "\"]";
    }
    case Allowed::Color: return R"("type":"string","pattern":"^#?[0-9A-Fa-f]{6}$")";
    case Allowed::Height: return number("integer", kMinHeight, kMaxHeight, "^[0-9]{2,4}p?$");
    case Allowed::Time: return number("number", 0, kMaxTime, "^[0-9.hms]+$");
    case Allowed::Volume: return number("number", 0, 1, "^[0-9.]+$");
    case Allowed::Url:
      return R"("type":"string","format":"uri","pattern":"^[Hh][Tt][Tt][Pp][Ss]://","maxLength":)" +
             std::to_string(kMaxUrl);
    case Allowed::OnlyCode: break;
  }
  std::abort();
}

bool allows(const PlayerOption& option, const media::OptionValue& value) {
  const auto* const boolean = std::get_if<bool>(&value);
  const auto* const text = std::get_if<std::string>(&value);
  const auto* const number = std::get_if<double>(&value);
  const auto sent = number != nullptr ? std::optional(*number) : std::nullopt;
  switch (option.allowed) {
    case Allowed::Switch:
      return boolean != nullptr || (text != nullptr && (*text == "true" || *text == "false"));
    case Allowed::Choice: return text != nullptr && is_among(option.choices, *text);
    case Allowed::Color: return text != nullptr && is_color(*text);
    case Allowed::Height: {
      std::string_view digits = text != nullptr ? std::string_view(*text) : "";
      if (digits.ends_with('p')) digits.remove_suffix(1);
      const auto height = text != nullptr ? decimal(digits) : sent;
      return is_within(height, kMinHeight, kMaxHeight) && std::trunc(*height) == *height &&
             digits.find('.') == std::string_view::npos && digits.size() <= 4;
    }
    case Allowed::Time: return is_within(text != nullptr ? seconds(*text) : sent, 0, kMaxTime);
    case Allowed::Volume: return is_within(text != nullptr ? decimal(*text) : sent, 0, 1);
    case Allowed::Url: return text != nullptr && is_secure_url(*text);
    case Allowed::OnlyCode: return false;
  }
  std::abort();
}

bool is_player_option(std::string_view name) {
  if (name.size() > kMaxNameLength) return false;
  const std::size_t bracket = name.find('[');
  if (bracket == std::string_view::npos) {
    return find_player_option(name) != nullptr;
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
