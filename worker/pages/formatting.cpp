#include "pages/formatting.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>

#include "text/rfc3339.h"
#include "text/utf8.h"

namespace svc::pages {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

std::string calendar_day(std::int64_t time) {
  const std::chrono::sys_seconds moment{std::chrono::seconds(time)};
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(moment));
  return std::to_string(static_cast<unsigned>(date.day())) + " " +
         std::string(kMonths[static_cast<unsigned>(date.month()) - 1]) + " " +
         std::to_string(static_cast<int>(date.year()));
}

std::string ago(std::int64_t number, std::string_view unit) {
  return counted(number, unit, std::string(unit) + "s") + " ago";
}

}  // namespace

std::string relative_time(std::int64_t then, std::int64_t now) {
  const std::int64_t age = now - then;
  // Tolerates small differences between the clocks of two machines.
  if (age < kMinute && age > -kMinute) return "just now";
  if (age < 0 || age >= 30 * kDay) return calendar_day(then);
  if (age < kHour) return ago(age / kMinute, "minute");
  if (age < kDay) return ago(age / kHour, "hour");
  return ago(age / kDay, "day");
}

std::string full_time(std::int64_t time) {
  const std::int64_t of_day = (time % kDay + kDay) % kDay;
  char clock[32];
  std::snprintf(clock, sizeof clock, ", %02d:%02d UTC", static_cast<int>(of_day / kHour),
                static_cast<int>(of_day % kHour / kMinute));
  return calendar_day(time) + clock;
}

void set_time(Values& values, std::string_view name, std::int64_t then, std::int64_t now) {
  values.set(name, relative_time(then, now))
      .set(std::string(name) + "_FULL", full_time(then))
      .set(std::string(name) + "_EXACT", text::to_rfc3339(then));
}

std::string with_separators(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  std::string text = number == 0 ? "no" : with_separators(number);
  text += ' ';
  text += number == 1 ? one : many;
  return text;
}

std::string clipped(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; characters > 0 && end < text.size(); --characters)
    end += std::max<std::size_t>(1, text::utf8_length(text.substr(end)));
  return end < text.size() ? std::string(text.substr(0, end)) + "…" : std::string(text);
}

}  // namespace svc::pages
