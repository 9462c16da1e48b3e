#include "viewing/bots.h"

#include <algorithm>

#include "text/ascii.h"

namespace svc::viewing {

base::Result<Bots, std::string> Bots::parse(std::string_view text) {
  Bots bots;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!part.empty() && (part.back() == ' ' || part.back() == '\r')) part.remove_suffix(1);
    if (part.empty() || part.front() == '#') continue;
    const bool is_printable =
        std::ranges::all_of(part, [](char c) { return c >= ' ' && c <= '~'; });
    if (part.size() < 3 || part.size() > 100 || !is_printable)
      return base::Refusal{"line " + std::to_string(line) +
                           " must be 3 to 100 characters of printable ASCII"};
    bots.parts_.push_back(text::to_lower(part));
  }
  return bots;
}

bool Bots::has(std::string_view user_agent) const {
  if (user_agent.empty()) return true;
  const std::string lower = text::to_lower(user_agent);
  return std::ranges::any_of(
      parts_, [&](const std::string& part) { return lower.find(part) != std::string::npos; });
}

}  // namespace svc::viewing
