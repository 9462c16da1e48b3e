// csv: statistics as comma-separated values, RFC 4180.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viewing/statistics.h"

namespace svc::viewing {

inline constexpr std::string_view kCsvType = "text/csv; charset=utf-8";

// Appends a text in quotes. Spreadsheets run a text that begins with =, +, -, @, a tab or a line
// end as a formula: such a text gets an apostrophe before it.
void append_csv_text(std::string& out, std::string_view text);

// Sums of an account have no visitors.
enum class Visitors : std::uint8_t { Shown, LeftOut };

// Crlf: as RFC 4180 has it. Lf: for terminals and pipes.
enum class LineEnd : std::uint8_t { Crlf, Lf };

// The columns before the date in lines of several media.
inline constexpr std::string_view kCsvMediaNames = "media,name,";

// The names of the columns, and a line of them per day, each with its line end. `before`: further
// columns on the left, each with its comma.
std::string csv_names(Visitors visitors, LineEnd end, std::string_view before = {});
void append_csv_day(std::string& out, const Day& day, Visitors visitors, LineEnd end,
                    std::string_view before = {});
std::string to_csv(const std::vector<Day>& days, Visitors visitors, LineEnd end);

}  // namespace svc::viewing
