// times: times of cues as text.
#pragma once

#include <cstdint>
#include <string>

namespace svc::captions {

inline constexpr unsigned kMaxHours = 999'999;

// "01:02:03.004" with the separator '.'; hours have two digits or more. Negative times count as
// zero.
std::string time_text(std::int64_t milliseconds, char separator);

}  // namespace svc::captions
