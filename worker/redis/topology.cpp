#include "redis/topology.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/number.h"
#include "redis/slot.h"

namespace svc::redis {
namespace {

constexpr std::string_view kUnknownHost = "?";

}  // namespace

// Per range: its first slot, its last slot, the primary, its replicas. A node is
// its host, its port and its id.
std::vector<SlotRange> read_slot_map(const ReplyView& slots, const Endpoint& from) {
  std::vector<SlotRange> ranges;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const ReplyView range = slots.at(i);
    const ReplyView primary = range.at(2);
    const std::int64_t first = range.at(0).integer();
    const std::int64_t last = range.at(1).integer();
    const std::string_view host = primary.at(0).text().value_or("");
    const std::int64_t port = primary.at(1).integer();
    if (first < 0 || first > last || last >= static_cast<std::int64_t>(kSlots) || port < 1 ||
        port > 65'535 || host == kUnknownHost)
      continue;
    ranges.push_back(
        {static_cast<std::uint16_t>(first),
         static_cast<std::uint16_t>(last),
         {host.empty() ? from.host : std::string(host), static_cast<std::uint16_t>(port)}});
  }
  return ranges;
}

std::optional<Redirection> parse_redirection(std::string_view error) {
  const bool asking = error.starts_with("ASK ");
  if (!asking && !error.starts_with("MOVED ")) return std::nullopt;
  error.remove_prefix(error.find(' ') + 1);
  const std::size_t space = error.find(' ');
  const std::size_t colon = error.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space)
    return std::nullopt;
  const auto slot = base::parse_number<std::uint16_t>(error.substr(0, space), 0, kSlots - 1);
  const auto port = base::parse_number<std::uint16_t>(error.substr(colon + 1), 1, 65'535);
  const std::string_view host = error.substr(space + 1, colon - space - 1);
  if (!slot || !port || host == kUnknownHost) return std::nullopt;
  return Redirection{asking, *slot, {std::string(host), *port}};
}

std::optional<Endpoint> read_primary(const ReplyView& reply) {
  const auto host = reply.at(0).text();
  const auto port = base::parse_number<std::uint16_t>(reply.at(1).text().value_or(""), 1, 65'535);
  if (!host || host->empty() || !port) return std::nullopt;
  return Endpoint{std::string(*host), *port};
}

std::optional<Switch> parse_switch(std::string_view message) {
  std::array<std::string_view, 5> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t end = std::min(message.find(' '), message.size());
    words[i] = message.substr(0, end);
    if (words[i].empty() || (end == message.size()) != (i + 1 == words.size())) return std::nullopt;
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  const auto port = base::parse_number<std::uint16_t>(words[4], 1, 65'535);
  if (!port) return std::nullopt;
  return Switch{words[0], {std::string(words[3]), *port}};
}

}  // namespace svc::redis
