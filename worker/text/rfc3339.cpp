#include "text/rfc3339.h"

#include <chrono>
#include <cstdio>

#include "text/ascii.h"

namespace svc::text {
namespace {

// Returns the number at a fixed position, or -1 if a character there is not a
// digit.
int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (i >= text.size() || !is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool between(int value, int low, int high) { return value >= low && value <= high; }

int days_in_month(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

}  // namespace

bool is_rfc3339(std::string_view text) {
  if (text.size() < 20 || text.size() > 35) return false;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't')) return false;
  if (text[13] != ':' || text[16] != ':') return false;
  const int year = number_at(text, 0, 4);
  const int month = number_at(text, 5, 2);
  const int day = number_at(text, 8, 2);
  if (year < 0 || !between(month, 1, 12) || !between(day, 1, days_in_month(year, month)))
    return false;
  if (!between(number_at(text, 11, 2), 0, 23) || !between(number_at(text, 14, 2), 0, 59))
    return false;
  if (!between(number_at(text, 17, 2), 0, 60)) return false;
  text.remove_prefix(19);
  if (text.front() == '.') {
    std::size_t digits = 1;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    if (digits == 1) return false;
    text.remove_prefix(digits);
  }
  if (text == "Z" || text == "z") return true;
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
         between(number_at(text, 1, 2), 0, 23) && between(number_at(text, 4, 2), 0, 59);
}

std::string to_rfc3339(std::int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  std::snprintf(text, sizeof text, "T%02d:%02d:%02dZ", static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return to_full_date(day) + text;
}

std::optional<std::int64_t> seconds_of_rfc3339(std::string_view text) {
  if (!is_rfc3339(text)) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(number_at(text, 0, 4)),
      std::chrono::month(static_cast<unsigned>(number_at(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(number_at(text, 8, 2))));
  std::int64_t seconds =
      std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400;
  seconds += number_at(text, 11, 2) * 3600 + number_at(text, 14, 2) * 60 + number_at(text, 17, 2);
  if (!is_digit(text[text.size() - 1])) return seconds;  // Z
  const std::string_view offset = text.substr(text.size() - 6);
  const int minutes = number_at(offset, 1, 2) * 60 + number_at(offset, 4, 2);
  return seconds - (offset[0] == '+' ? 60 : -60) * minutes;
}

std::string to_full_date(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

std::optional<std::chrono::sys_days> day_of_full_date(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  std::string midnight(text);
  midnight.append("T00:00:00Z");
  const auto seconds = seconds_of_rfc3339(midnight);
  if (!seconds) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(*seconds)));
}

}  // namespace svc::text
