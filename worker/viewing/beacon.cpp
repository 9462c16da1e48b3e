#include "viewing/beacon.h"

#include <algorithm>

#include "base/number.h"

namespace svc::viewing {
namespace {

bool is_base64url(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// Takes the text up to the mark, and the mark.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::optional<std::size_t> part_in(std::string_view text) {
  return base::parse_number<std::size_t>(text, 0, kParts - 1);
}

bool add_range(std::string_view range, Beacon& beacon) {
  const bool is_one = range.find('-') == std::string_view::npos;
  const auto first = part_in(take(range, '-'));
  const auto last = is_one ? first : part_in(range);
  if (!first || !last || *first > *last) return false;
  for (std::size_t i = *first; i <= *last; ++i) {
    if (beacon.seen.at(i) < 2) ++beacon.seen.at(i);
  }
  return true;
}

}  // namespace

std::optional<Beacon> parse_beacon(std::string_view text) {
  if (text.size() > kMaxBeacon || take(text, ' ') != "v1") return std::nullopt;
  Beacon beacon;
  beacon.session = take(text, ' ');
  if (beacon.session.size() != kSession || !std::ranges::all_of(beacon.session, is_base64url))
    return std::nullopt;
  if (text == "load") return beacon;
  beacon.event = Beacon::Event::Play;
  if (text == "play") return beacon;
  beacon.event = Beacon::Event::Seen;
  if (take(text, ' ') != "seen" || text.empty() || text.back() == ',') return std::nullopt;
  while (!text.empty()) {
    if (!add_range(take(text, ','), beacon)) return std::nullopt;
  }
  return beacon;
}

}  // namespace svc::viewing
