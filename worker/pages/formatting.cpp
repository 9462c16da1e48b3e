#include "pages/formatting.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/number.h"
#include "text/ascii.h"
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

bool begins_tag(char c) { return text::is_alpha(c) || c == '/' || c == '!' || c == '?'; }

// Returns the length of the tag or comment at the beginning. If the content of the element is not
// text, includes the whole element. Returns the length of `html` if the end is missing.
std::size_t tag_length(std::string_view html) {
  const auto through = [&](std::string_view end, std::size_t from) {
    const std::size_t at = html.find(end, from);
    return at == std::string_view::npos ? html.size() : at + end.size();
  };
  if (html.starts_with("<!--")) return through("-->", 4);
  const std::string name = text::to_lower(html.substr(1, 7));
  for (const std::string_view element : {"script", "style"}) {
    if (!name.starts_with(element) ||
        (name.size() > element.size() && text::is_alnum(name[element.size()])))
      continue;
    // Without a lower-case copy of the rest: a description may have thousands of these elements.
    for (std::size_t end = html.find("</", 1); end != std::string_view::npos;
         end = html.find("</", end + 2)) {
      if (text::equal_ignoring_case(html.substr(end + 2, element.size()), element))
        return through(">", end);
    }
    return html.size();
  }
  return through(">", 1);
}

// UTF-8 of the character, or U+FFFD if there is no such character.
std::string encoded(std::uint32_t point) {
  if (point == 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return "\ufffd";
  if (point < 0x80)
    return text::is_control(static_cast<char>(point)) ? " "
                                                      : std::string(1, static_cast<char>(point));
  std::string out;
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (point < 0x800) {
    byte(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      byte(0xe0 | point >> 12);
    } else {
      byte(0xf0 | point >> 18);
      byte(0x80 | (point >> 12 & 0x3f));
    }
    byte(0x80 | (point >> 6 & 0x3f));
  }
  byte(0x80 | (point & 0x3f));
  return out;
}

// Returns the character reference at the beginning and its length. Returns the `&` itself for any
// other text.
std::pair<std::string, std::size_t> reference_at(std::string_view html) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNamed{{{"&amp;", "&"},
                                                                                 {"&lt;", "<"},
                                                                                 {"&gt;", ">"},
                                                                                 {"&quot;", "\""},
                                                                                 {"&apos;", "'"},
                                                                                 {"&nbsp;", " "}}};
  for (const auto& [name, character] : kNamed) {
    if (html.starts_with(name)) return {std::string(character), name.size()};
  }
  const std::size_t end = html.substr(0, 12).find(';');
  if (!html.starts_with("&#") || end == std::string_view::npos || end < 3) return {"&", 1};
  const bool hex = html[2] == 'x' || html[2] == 'X';
  const std::string_view digits = html.substr(hex ? 3 : 2, end - (hex ? 3 : 2));
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  const auto point = base::parse_number<std::uint32_t>(digits, 0, kMost, hex ? 16 : 10);
  if (!point) return {"&", 1};
  return {encoded(*point), end + 1};
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

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kThousand = 1000;
  if (bytes < kThousand) return counted(bytes, "byte", "bytes");
  std::int64_t tenths = bytes / (kThousand / 10);  // tenths of a kB
  constexpr std::array<const char*, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (tenths >= 10 * kThousand && unit + 1 < kUnits.size()) {
    tenths /= kThousand;
    ++unit;
  }
  std::string text = std::to_string(tenths / 10);
  if (tenths < 100 && tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text + " " + kUnits.at(unit);
}

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  const auto two = [](long number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  const long hours = whole / 3600;
  const long minutes = whole / 60 % 60;
  return hours > 0 ? std::to_string(hours) + ":" + two(minutes) + ":" + two(whole % 60)
                   : std::to_string(minutes) + ":" + two(whole % 60);
}

std::string position_text(std::int64_t milliseconds) {
  std::string text = duration_text(static_cast<double>(milliseconds / 1000));
  if (const std::int64_t rest = milliseconds % 1000; rest != 0) {
    text += '.' + std::to_string(1000 + rest).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::optional<std::int64_t> position_in(std::string_view text) {
  constexpr std::int64_t kLongest = 1'000'000;  // seconds
  constexpr std::size_t kMostDigits = 3;
  constexpr int kMostParts = 3;
  std::int64_t fraction = 0;
  if (const std::size_t point = text.find_first_of(".,"); point != std::string_view::npos) {
    std::string digits(text.substr(point + 1));
    if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
    digits.resize(kMostDigits, '0');
    const auto number = base::parse_number<std::int64_t>(digits, 0);
    if (!number) return std::nullopt;
    fraction = *number;
    text = text.substr(0, point);
  }
  std::int64_t seconds = 0;
  for (int parts = 0;; ++parts) {
    const std::string_view part = text.substr(0, text.find(':'));
    const auto number = base::parse_number<std::int64_t>(part, 0, kLongest);
    if (!number || parts == kMostParts) return std::nullopt;
    seconds = 60 * seconds + *number;
    if (part.size() == text.size()) break;
    text.remove_prefix(part.size() + 1);
  }
  if (seconds > kLongest) return std::nullopt;
  return 1000 * seconds + fraction;
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

std::string plain_text(std::string_view html) {
  std::string text;
  bool space = false;
  const auto add = [&](std::string_view part) {
    if (space && !text.empty()) text += ' ';
    space = false;
    text += part;
  };
  while (!html.empty()) {
    const char c = html.front();
    if (c == '<' && html.size() > 1 && begins_tag(html[1])) {
      html.remove_prefix(tag_length(html));
      space = true;
    } else if (c == '&') {
      const auto [character, length] = reference_at(html);
      html.remove_prefix(length);
      if (character == " ") {
        space = true;
      } else {
        add(character);
      }
    } else {
      if (c == ' ' || text::is_control(c)) {
        space = true;
      } else {
        add(html.substr(0, 1));
      }
      html.remove_prefix(1);
    }
  }
  return text;
}

std::string tidy(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

std::string clipped(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; characters > 0 && end < text.size(); --characters)
    end += std::max<std::size_t>(1, text::utf8_length(text.substr(end)));
  return end < text.size() ? std::string(text.substr(0, end)) + "…" : std::string(text);
}

long rows_of(std::string_view text) {
  long rows = 0;
  while (true) {
    const std::size_t end = text.find('\n');
    rows += 1 + static_cast<long>(text.substr(0, end).size()) / 90;
    if (end == std::string_view::npos) return rows;
    text.remove_prefix(end + 1);
  }
}

}  // namespace svc::pages
