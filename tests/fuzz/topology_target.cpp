// What Redis servers say about other servers: slot maps and the primaries that
// Sentinels name, as replies; redirections and messages, as text.
#include <array>
#include <string>

#include "fuzz/replies.h"
#include "fuzz/target.h"
#include "redis/slot.h"
#include "redis/topology.h"

namespace svc::fuzz {
namespace {

void check_host(const redis::Endpoint& server) {
  require(server.port != 0, "a server has a port");
  require(server.host != "?", "an unknown host is no host");
}

void run(std::string_view input) {
  if (const auto redirection = redis::parse_redirection(input)) {
    require(redirection->slot < redis::kSlots, "a redirection is about a slot");
    check_host(redirection->to);
    const std::string again = (redirection->asking ? "ASK " : "MOVED ") +
                              std::to_string(redirection->slot) + " " + redirection->to.host + ":" +
                              std::to_string(redirection->to.port);
    const auto same = redis::parse_redirection(again);
    require(same && same->asking == redirection->asking && same->slot == redirection->slot &&
                same->to == redirection->to,
            "a printed redirection is read as it was");
  }
  if (const auto switched = redis::parse_switch(input)) {
    require(!switched->name.empty() && switched->name.find(' ') == std::string_view::npos,
            "the name of a primary has no space");
    require(switched->primary.port != 0 && !switched->primary.host.empty(),
            "a primary has an address");
  }
  if (claims_much(input)) return;
  const redis::Endpoint from{"10.0.0.9", 7009};
  const std::array pieces{input};
  for_each_reply(pieces, [&](const redis::Reply& reply) {
    const auto ranges = redis::read_slot_map(reply, from);
    require(ranges.size() <= reply.size(), "a range is an element of the reply");
    for (const redis::SlotRange& range : ranges) {
      require(range.first <= range.last && range.last < redis::kSlots, "a range has slots");
      require(!range.primary.host.empty(), "a node without a host is the one that replied");
      check_host(range.primary);
    }
    if (const auto primary = redis::read_primary(reply)) {
      require(primary->port != 0 && !primary->host.empty(), "a primary has an address");
    }
  });
}

const Registered registered("topology", run);

}  // namespace
}  // namespace svc::fuzz
