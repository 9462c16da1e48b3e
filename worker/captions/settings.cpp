#include "captions/settings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/number.h"
#include "captions/lines.h"

namespace svc::captions {
namespace {

constexpr int kTop = 8;
constexpr std::size_t kLongestNumber = 12;

// The keys from 1 to 9.
constexpr std::array<std::string_view, 9> kPlaces{
    "position:0% align:left",          "",         "position:100% align:right",
    "line:50% position:0% align:left", "line:50%", "line:50% position:100% align:right",
    "line:0 position:0% align:left",   "line:0",   "line:0 position:100% align:right"};

template <std::size_t count>
bool is_one_of(std::string_view text, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, text) != words.end();
}

// "12", "12.5": digits, a point only between them.
bool is_decimal(std::string_view text) {
  const std::string_view whole = text.substr(0, text.find('.'));
  const std::string_view part = whole.size() == text.size() ? "0" : text.substr(whole.size() + 1);
  const auto are_digits = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return text.size() <= kLongestNumber && are_digits(whole) && are_digits(part);
}

// §4.2 "percentage".
bool is_percentage(std::string_view text) {
  if (!text.ends_with('%')) return false;
  text.remove_suffix(1);
  const auto number = base::parse_number<double>(text, 0, 100);
  return is_decimal(text) && number.has_value();
}

bool is_line(std::string_view text) {
  if (is_percentage(text)) return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.find('.') == std::string_view::npos && is_decimal(text);
}

bool is_valid(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 2> kDirections{"rl", "lr"};
  constexpr std::array<std::string_view, 5> kTextAlignments{"start", "center", "end", "left",
                                                            "right"};
  constexpr std::array<std::string_view, 3> kLineAlignments{"start", "center", "end"};
  constexpr std::array<std::string_view, 3> kPositionAlignments{"line-left", "center",
                                                                "line-right"};
  if (name == "vertical") return is_one_of(value, kDirections);
  if (name == "align") return is_one_of(value, kTextAlignments);
  if (name == "size") return is_percentage(value);
  const std::string_view first = value.substr(0, value.find(','));
  const bool has_second = first.size() < value.size();
  const std::string_view second = has_second ? value.substr(first.size() + 1) : "";
  if (name == "line") return is_line(first) && (!has_second || is_one_of(second, kLineAlignments));
  return is_percentage(first) && (!has_second || is_one_of(second, kPositionAlignments));
}

std::optional<std::string_view> value_of(std::string_view settings, std::string_view name) {
  while (!settings.empty()) {
    std::string_view setting = take_field(settings, ' ');
    if (take_field(setting, ':') == name) return setting;
  }
  return std::nullopt;
}

}  // namespace

std::string settings_of(std::string_view text) {
  constexpr std::array<std::string_view, 5> kSettings{"vertical", "line", "position", "size",
                                                      "align"};
  constexpr std::string_view kWhiteSpace = " \t\n\f";
  std::array<std::string_view, kSettings.size()> values{};
  while (!text.empty()) {
    const std::size_t length = std::min(text.find_first_of(kWhiteSpace), text.size());
    std::string_view value = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (value.find(':') == std::string_view::npos) continue;
    const std::string_view name = take_field(value, ':');
    const auto* const known = std::ranges::find(kSettings, name);
    // Browsers take the last of several.
    if (known != kSettings.end() && is_valid(name, value))
      values.at(static_cast<std::size_t>(known - kSettings.begin())) = value;
  }
  std::string settings;
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    if (values.at(i).empty()) continue;
    if (!settings.empty()) settings += ' ';
    settings.append(kSettings.at(i)).append(":").append(values.at(i));
  }
  return settings;
}

std::string settings_of_place(int key) {
  if (key < 1 || key > 9) return "";
  return std::string(kPlaces.at(static_cast<std::size_t>(key - 1)));
}

int place_of(std::string_view settings) {
  const auto* const same = std::ranges::find(kPlaces, settings);
  if (same != kPlaces.end()) return static_cast<int>(same - kPlaces.begin()) + 1;
  const auto line = value_of(settings, "line");
  if (!line || value_of(settings, "vertical")) return kMiddleAtTheBottom;
  const std::string_view number = line->substr(0, line->find_first_of("%,"));
  const bool is_percent = line->find('%') != std::string_view::npos;
  const double at = base::parse_number<double>(number).value_or(-1);
  constexpr double kLines = 8;  // of some 16
  return at >= 0 && at < (is_percent ? 50 : kLines) ? kTop : kMiddleAtTheBottom;
}

}  // namespace svc::captions
