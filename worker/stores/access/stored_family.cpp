#include "stores/access/stored_family.h"

#include <algorithm>
#include <array>

#include "base/number.h"
#include "oauth/limits.h"

namespace svc::stores {

std::optional<StoredFamily> StoredFamily::in(std::string_view record) {
  std::array<std::string_view, 7> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = std::min(record.find('\n'), record.size());
    line = record.substr(0, end);
    record.remove_prefix(std::min(end + 1, record.size()));
  }
  const auto position = base::parse_number<std::uint64_t>(lines[0]);
  const auto used = base::parse_number<std::int64_t>(lines[1]);
  const auto place = base::parse_number<std::uint64_t>(lines[2]);
  const auto began = base::parse_number<std::int64_t>(lines[3]);
  if (!position || !used || !place || !began) return std::nullopt;
  return StoredFamily{*position, *used, *place, *began, lines[4], lines[5]};
}

std::int64_t StoredFamily::expires(const oauth::Limits& limits) const {
  return std::min(used + limits.public_refresh_idle, began + limits.public_refresh_lifetime);
}

std::string StoredFamily::rotated(std::uint64_t presented, std::int64_t now,
                                  std::string_view asked) const {
  std::string record = std::to_string(presented) + '\n' + std::to_string(now) + '\n' +
                       std::to_string(place + 1) + '\n' + std::to_string(began) + '\n';
  record.append(turn).append(1, '\n').append(granted).append(1, '\n').append(asked);
  return record;
}

}  // namespace svc::stores
