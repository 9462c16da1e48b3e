// Beacon: a player's message about one page view, as it is sent (api-B1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "viewing/counts.h"

namespace svc::viewing {

inline constexpr std::size_t kSession = 22;      // characters, of base64url
inline constexpr std::size_t kTicket = 8;        // the last of them: embed::WatchKeys::ticket()
inline constexpr std::size_t kMaxBeacon = 1024;  // bytes; a hundred parts, twice, take less

struct Beacon {
  enum class Event : std::uint8_t { Load, Play, Seen };

  std::string_view session;
  Event event = Event::Load;
  std::array<std::uint8_t, kParts> seen{};  // 1: the first time in this session; 2: again

  std::string_view ticket() const { return session.substr(kSession - kTicket); }
};

// `v1 <session> load`, `… play` or `… seen 0-12,40-41,40-41`. Returns nullopt for anything else.
std::optional<Beacon> parse_beacon(std::string_view text);

}  // namespace svc::viewing
