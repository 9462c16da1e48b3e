#include "text/rfc3339.h"

#include "text/ascii.h"

namespace svc::text {
namespace {

// The number in a fixed place, or -1 when a character there is not a digit.
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

}  // namespace svc::text
