#include "captions/times.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace svc::captions {

std::string time_text(std::int64_t milliseconds, char separator) {
  const std::int64_t all = std::max<std::int64_t>(0, milliseconds);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02d:%02d%c%03d",
                static_cast<long long>(all / 3'600'000), static_cast<int>(all / 60'000 % 60),
                static_cast<int>(all / 1000 % 60), separator, static_cast<int>(all % 1000));
  return text.data();
}

}  // namespace svc::captions
