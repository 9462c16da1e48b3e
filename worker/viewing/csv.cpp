#include "viewing/csv.h"

#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::viewing {
namespace {

std::string_view text_of(LineEnd end) { return end == LineEnd::Crlf ? "\r\n" : "\n"; }

}  // namespace

void append_csv_text(std::string& out, std::string_view text) {
  constexpr std::string_view kFormulas = "=+-@\t\r\n";
  out += '"';
  if (!text.empty() && kFormulas.find(text.front()) != std::string_view::npos) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string csv_names(Visitors visitors, LineEnd end, std::string_view before) {
  std::string line(before);
  line += "date,loads,plays,hours_watched";
  if (visitors == Visitors::Shown) line += ",visitors";
  return line.append(text_of(end));
}

void append_csv_day(std::string& out, const Day& day, Visitors visitors, LineEnd end,
                    std::string_view before) {
  out.append(before).append(text::to_full_date(day.day));
  out += ',' + std::to_string(day.counts.loads) + ',' + std::to_string(day.counts.plays) + ',';
  text::json::append_decimal(out, day.counts.hours_watched());
  if (visitors == Visitors::Shown) out += ',' + std::to_string(day.counts.visitors);
  out += text_of(end);
}

std::string to_csv(const std::vector<Day>& days, Visitors visitors, LineEnd end) {
  std::string csv = csv_names(visitors, end);
  for (const Day& day : days) append_csv_day(csv, day, visitors, end);
  return csv;
}

}  // namespace svc::viewing
